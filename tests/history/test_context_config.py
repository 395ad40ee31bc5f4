"""The configuration of contexts: the names and defaults of the design, and every mistake told at
once.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Result, write

from director_ctx import ContextManager, compress
from director_ctx.base.errors import UsageProblem
from director_ctx.history.compress.configured import settled
from director_ctx.history.messages.target import room
from director_ctx.history.strategies.config import ContextConfig, checked, config_from, setting

Run = Callable[..., Result]


def test_a_conversation_gets_its_target_and_less_only_where_something_else_needs_the_room() -> None:
    assert room(20_000, 180_000, 0) == room(20_000, 180_000, 18_000) == 20_000
    assert room(24_000, 30_000, 0) == 24_000 and room(24_000, 30_000, 18_000) == 6_000
    assert room(15_000, 30_000, 20_000) == 5_000 and room(15_000, 30_000, 40_000) == 1


def test_the_design_has_its_names_and_defaults() -> None:
    wanted = {
        "enabled": True, "strategy": "sliding_window", "window_size": 15, "preserve_errors": True,
        "preserve_screenshots": True, "compression_level": "medium", "truncate_snapshots": True,
        "max_snapshot_depth": 3, "summarize_console": True, "auto_checkpoint": True,
        "checkpoint_phases": ["login", "cart", "checkout"], "max_checkpoint_size": 500, "importance_threshold": 0.3,
        "merge_similar": True, "keep_error_context": 5,
    }  # fmt: skip
    assert {
        name: value for name, value in vars(ContextConfig()).items() if name in wanted
    } == wanted
    assert ContextConfig().preserve_keywords == ["logged in", "cart updated", "order completed"]
    assert (ContextConfig().limit, ContextConfig().warn_at, ContextConfig().target_tokens) == (
        180_000,
        160_000,
        20_000,
    )


def test_every_mistake_is_told_at_once() -> None:
    values = {"windowsize": 3, "strategy": "best", "window_size": "many", "importance_threshold": 2, "enabled": 1,
              "checkpoint_phases": "login", "importance_weights": {"luck": 1}, "max_snapshot_depth": -1}  # fmt: skip
    with pytest.raises(UsageProblem) as caught:
        config_from(values, "dctx-context.yaml")
    assert caught.value.message.startswith("dctx-context.yaml cannot be used: ")
    assert len(caught.value.each) == len(values)
    assert "there is no 'windowsize'; did you mean window_size?" in caught.value.each
    assert any(
        one.startswith("strategy is 'best'; it has to be one of sliding_window")
        for one in caught.value.each
    )


def test_values_have_to_make_sense_together() -> None:
    with pytest.raises(
        UsageProblem, match="warn_at is 200000; it has to be at most the limit, 180000"
    ):
        config_from({"warn_at": 200_000})
    with pytest.raises(UsageProblem, match="target_tokens is 180000"):
        config_from({"target_tokens": 180_000})


def test_what_is_not_said_follows_a_lower_limit() -> None:
    for made in (config_from({"limit": 9_000}), ContextConfig(limit=9_000)):
        assert (made.warn_at, made.target_tokens) == (8_000, 4_500)
    assert (ContextConfig(limit=170_000).warn_at, ContextConfig(limit=170_000).target_tokens) == (
        151_111,
        20_000,
    )
    assert ContextConfig(limit=900_000).warn_at == 160_000
    with pytest.raises(UsageProblem, match="warn_at is 9001"):
        config_from({"limit": 9_000, "warn_at": 9_001})


def test_a_limit_may_be_a_share_of_a_models_window() -> None:
    made = settled(ContextConfig(model="claude-opus-4", limit=0.5, target_tokens=0.1))
    assert (made.limit, made.warn_at, made.target_tokens) == (100_000, 88_888, 20_000)
    made = settled({"model": "claude-opus-5[1m]", "warn_at": 0.15})
    assert (made.limit, made.warn_at, made.target_tokens) == (180_000, 150_000, 20_000)
    assert settled(ContextConfig(model="gpt-4", limit=1.0)).target_tokens == 4_096
    assert settled(made) == made


def test_the_model_is_that_of_the_project_where_none_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(
        write(tmp_path, {"dctx.yaml": "model: own-model\nmodels: {own-model: {window: 50000}}\n"})
    )
    assert settled(ContextConfig(limit=0.8)).limit == 40_000
    assert ContextManager({"limit": 0.8}).config.limit == 40_000


def test_the_model_is_that_of_the_project_that_was_named(
    dctx: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = write(
        tmp_path / "named",
        {"dctx.yaml": "model: own-model\nmodels: {own-model: {window: 50000}}\n"},
    )
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    conversation = [{"role": "user", "content": "Mend it."}]
    (elsewhere / "run.json").write_text(json.dumps(conversation))

    words = ("compress", "run.json", "--strategy", "hybrid", "--set", "target_tokens=0.5")
    result = dctx(*words, "--root", str(named), "--dry-run", cwd=elsewhere)
    assert result.code == 0, result
    assert json.loads(result.out)["target"] == 25_000

    config = ContextConfig(strategy="hybrid", target_tokens=0.5)
    made = compress(conversation, project=str(named), config=config)
    assert made.aim.config.target_tokens == 25_000
    with pytest.raises(UsageProblem, match="no model is named"):
        compress(conversation, config=config)


def test_a_share_that_means_nothing_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageProblem, match="no model is named"):
        settled(ContextConfig(limit=0.8))
    with pytest.raises(UsageProblem, match="'ours-1' is not known"):
        settled(ContextConfig(limit=0.8, model="ours-1"))
    with pytest.raises(
        UsageProblem, match=r"limit is 1.5; it has to be a whole number, or a share"
    ):
        settled(ContextConfig(limit=1.5))
    with pytest.raises(
        UsageProblem, match="warn_at is 180000; it has to be at most the limit, 100000"
    ):
        settled(ContextConfig(limit=0.5, warn_at=0.9, model="claude-opus-4"))


@pytest.mark.parametrize("values", [[], "sliding_window", 3])
def test_what_is_no_mapping_is_said_to_be_none(values: object) -> None:
    with pytest.raises(UsageProblem, match="no mapping"):
        config_from(values)


def test_nothing_means_the_defaults() -> None:
    assert config_from(None) == config_from({}) == ContextConfig()


def test_a_configuration_made_by_hand_is_checked_too() -> None:
    with pytest.raises(UsageProblem, match="compression_level"):
        checked(ContextConfig(compression_level="extreme"))


def test_weights_that_are_not_named_stay() -> None:
    assert config_from({"importance_weights": {"error": 1}}).importance_weights["recent"] == 0.3


def test_lists_are_not_shared_with_the_caller() -> None:
    phases = ["a"]
    made = config_from({"checkpoint_phases": phases})
    phases.append("b")
    assert made.checkpoint_phases == ["a"]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("compression_level=high", ("compression_level", "high")),
        ("window-size=20", ("window_size", 20)),
        ("limit=200_000", ("limit", 200_000)),
        ("limit=0.9", ("limit", 0.9)),
        ("warn_at=80%", ("warn_at", 0.8)),
        ("model=claude-opus-4", ("model", "claude-opus-4")),
        ("importance_threshold = 0.5", ("importance_threshold", 0.5)),
        ("preserve_errors=off", ("preserve_errors", False)),
        ("checkpoint_phases=plan, build", ("checkpoint_phases", ["plan", "build"])),
        (
            "importance_weights=error=1,recent=0",
            ("importance_weights", {"error": 1.0, "recent": 0.0}),
        ),
    ],
)
def test_a_flag_is_read_as_its_kind_of_value(text: str, wanted: tuple[str, object]) -> None:
    assert setting(text) == wanted


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("compression_level", "is no setting"),
        ("windowsize=3", "did you mean window_size"),
        ("__class__=x", "there is no '__class__'"),
        ("window_size=many", "window_size is 'many'; it has to be a whole number"),
        ("preserve_errors=perhaps", "it has to be true or false"),
        ("importance_threshold=nan", "it has to be a number"),
        ("strategy=best", "it has to be one of"),
        (
            "limit=1.5",
            "limit is '1.5'; it has to be a whole number, or a share of the model's window",
        ),
    ],
)
def test_a_flag_that_is_wrong_says_why(text: str, why: str) -> None:
    with pytest.raises(UsageProblem, match=why):
        setting(text)
