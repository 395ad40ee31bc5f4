"""Which window a context is fitted to, and who said so."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, Result, plan, task, write
from hook_events import ask, spawn

from director_ctx import assemble, load_project

Run = Callable[..., Result]

PLAN = {"VISION.md": "# Vision\nA boat.\n", **plan({"01-one.md": task("One")})}
IN_CONFIG = "in .director/config.json"


def of_config(tmp_path: Path, config: object, **files: str) -> Path:
    text = config if isinstance(config, str) else json.dumps(config)
    return write(tmp_path, {**PLAN, "config.json": text, **files})


def budget(root: Path, agent: str = "builder", **options: Any) -> tuple[int, str]:
    found = assemble(load_project(root=str(root)), agent, **options).budget
    return found.window, found.window_from


@pytest.fixture
def shipped() -> dict[str, Any]:
    """The settings that `dctx init` and the plugin write."""
    loaded: dict[str, Any] = json.loads(
        (ROOT / "templates" / "director" / "config.json").read_text()
    )
    return loaded


@pytest.mark.parametrize(
    ("agent", "window", "source"),
    [
        ("builder", 1_000_000, f"agents.builder.model {IN_CONFIG}: opus"),
        ("planner", 200_000, "default"),
        ("verifier", 200_000, f"agents.verifier.model {IN_CONFIG}: haiku"),
        (
            "deep-researcher",
            1_000_000,
            f"model_profiles.balanced.deep-researcher {IN_CONFIG}: sonnet",
        ),
    ],
)
def test_the_window_is_that_of_the_model_that_the_project_names(
    agent: str, window: int, source: str, shipped: dict[str, Any], tmp_path: Path
) -> None:
    shipped["agents"]["builder"]["model"] = "opus"
    assert budget(of_config(tmp_path, shipped), agent) == (window, source)


@pytest.mark.parametrize(("chosen", "window"), [("quality", 1_000_000), ("budget", 200_000)])
def test_the_chosen_model_profile_decides(
    chosen: str, window: int, shipped: dict[str, Any], tmp_path: Path
) -> None:
    shipped["model_profile"] = chosen
    found = budget(of_config(tmp_path, shipped), "deep-researcher")
    model = shipped["model_profiles"][chosen]["deep-researcher"]
    assert found == (window, f"model_profiles.{chosen}.deep-researcher {IN_CONFIG}: {model}")


def test_what_is_said_outright_comes_first(tmp_path: Path) -> None:
    root = of_config(tmp_path, {"agents": {"builder": {"model": "opus"}}})
    assert budget(root) == (1_000_000, f"agents.builder.model {IN_CONFIG}: opus")
    write(root, {"dctx.yaml": "model: haiku\n"})
    assert budget(root) == (200_000, "model in dctx.yaml: haiku")
    write(root, {"dctx.yaml": "model: haiku\nwindow: 50k\n"})
    assert budget(root) == (50_000, "window in dctx.yaml")
    assert budget(root, model="gpt-4o") == (128_000, "--model gpt-4o")
    assert budget(root, model="gpt-4o", window="9k") == (9_000, "--window")


def test_an_unknown_model_is_said_once_and_the_default_stands(tmp_path: Path, dctx: Run) -> None:
    root = of_config(tmp_path, {"agents": {"builder": {"model": "glm-9"}}})
    result = dctx("budget", "builder", cwd=root)
    assert result.err.count("the model 'glm-9' is not in the table") == 1
    line = f"Window: 200,000 tokens (default; agents.builder.model {IN_CONFIG}: glm-9 is not in the table)"
    assert line in result.out.splitlines()


def test_an_unknown_model_profile_is_said_and_the_usual_one_stands(
    shipped: dict[str, Any], tmp_path: Path, dctx: Run
) -> None:
    shipped["model_profile"] = "qualty"
    root = of_config(tmp_path, shipped)
    result = dctx("budget", "deep-researcher", cwd=root)
    assert "chooses a model profile that it does not have; balanced was taken instead" in result.err
    assert (
        f"Window: 1,000,000 tokens (model_profiles.balanced.deep-researcher {IN_CONFIG}: sonnet)"
        in result.out
    )


@pytest.mark.parametrize(
    "config",
    [
        {},
        {"agents": {"builder": {"model": "inherit"}}},
        {"agents": {"builder": {"model": " Inherit "}}},
        {"agents": {"builder": {"model": 7}}},
        {"agents": {"builder": "opus"}},
        {"agents": ["opus"], "model_profiles": "quality", "model_profile": ["x"]},
        {
            "model_profiles": {"balanced": {"builder": "inherit"}},
            "agents": {"builder": {"model": "opus"}},
        },
        "",
    ],
    ids=json.dumps,
)
def test_where_no_model_is_named_the_default_stands(
    config: object, tmp_path: Path, dctx: Run
) -> None:
    result = dctx("budget", "builder", cwd=of_config(tmp_path, config))
    assert "Window: 200,000 tokens (default)" in result.out.splitlines()
    assert result.err == ""


@pytest.mark.parametrize(
    "config", ["{", "[" * 100_000, "[]", '{"agents": NaN}'], ids=lambda text: text[:9]
)
def test_a_broken_file_is_said_and_the_default_stands(
    config: str, tmp_path: Path, dctx: Run
) -> None:
    result = dctx("budget", "builder", cwd=of_config(tmp_path, config))
    assert "Window: 200,000 tokens (default)" in result.out.splitlines()
    assert result.err.count(".director/config.json is not") == 1


def test_a_skill_runs_in_the_session_whatever_agents_run_on(tmp_path: Path) -> None:
    root = of_config(tmp_path, {"agents": {"build": {"model": "opus"}}})
    found = assemble(load_project(root=str(root)), skill="build").budget
    assert (found.window, found.window_from) == (200_000, "default")


def test_every_account_says_where_the_window_comes_from(tmp_path: Path, dctx: Run) -> None:
    root = of_config(tmp_path, {"agents": {"builder": {"model": "opus"}}})
    source = f"agents.builder.model {IN_CONFIG}: opus"
    assert (
        f"Window: 1,000,000 tokens ({source})\n"
        in dctx("assemble", "builder", "--explain", cwd=root).err
    )
    for words in (("budget", "builder", "--json"), ("assemble", "builder", "--format", "json")):
        assert json.loads(dctx(*words, cwd=root).out)["budget"]["window_from"] == source
    everybody = dctx("budget", "--all", cwd=root).out
    assert re.search(r"^Window of .*builder.*: 1,000,000 tokens$", everybody, re.MULTILINE)


def test_a_spawned_agent_has_the_window_of_its_model(tmp_path: Path, dctx: Run) -> None:
    root = of_config(tmp_path, {"agents": {"builder": {"model": "opus"}}})
    ask(root, spawn("Do it."))
    ask(root, spawn("Do it.", model="haiku"))
    assert windows(dctx, root) == [1_000_000, 200_000]


def windows(dctx: Run, root: Path) -> list[int]:
    """Of the contexts that were handed on, the oldest first."""
    lines = (root / ".director" / ".dctx" / "runs.jsonl").read_text().splitlines()
    runs: list[Mapping[str, Any]] = [json.loads(line) for line in lines]
    return [run["window"] for run in runs]
