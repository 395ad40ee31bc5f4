"""The parts of a context manager, each alone: by the names of the design, and by the strategies
that there are.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from browser_runs import browser_run
from conftest import write
from histories import Raw, acted, user

from director_ctx import (
    BrowserState,
    CheckpointManager,
    CompressionLevel,
    ContextConfig,
    ContextManager,
    ContextMetrics,
    DctxError,
    IntelligentPruner,
    MessageCompressor,
    PruningRules,
    SlidingWindow,
    compress,
    load_project,
    open_store,
)
from director_ctx.history.formats import load
from director_ctx.history.strategies.config import LEVELS
from director_ctx.history.valid.check import check
from director_ctx.memory.archive.originals import find

LONG = "\n".join(f"line {n} of what was read" for n in range(200))


def run(last: int) -> list[Raw]:
    read = (
        acted("read_file", {"path": f"f{n}.py"}, f"{LONG} {n}", name=f"c{n}") for n in range(last)
    )
    return [*user("Mend it."), *(one for turn in read for one in turn)]


def size(messages: Any) -> int:
    return len(json.dumps(list(messages)))


# One implementation


@pytest.mark.parametrize(
    ("made", "strategy", "settings"),
    [
        (SlidingWindow(6, archive=False).apply, "sliding_window", {"window_size": 6}),
        (SlidingWindow(archive=False).apply, "sliding_window", {}),
        (
            MessageCompressor("high", archive=False).compress,
            "compression",
            {"compression_level": "high"},
        ),
        (
            MessageCompressor(CompressionLevel.LOW, archive=False).compress,
            "compression",
            {"compression_level": "low"},
        ),
        (
            IntelligentPruner(PruningRules(importance_threshold=0.5), archive=False).prune,
            "pruning",
            {"importance_threshold": 0.5},
        ),
    ],
)
@pytest.mark.parametrize("given", [browser_run(), run(30)], ids=["browser", "code"])
def test_each_part_does_what_its_strategy_does(
    made: Any, strategy: str, settings: Any, given: list[Raw]
) -> None:
    wanted = compress(
        given, strategy=strategy, config=ContextConfig(**settings), archive=False
    ).document
    shorter = made(given)
    assert list(shorter) == wanted
    assert size(shorter) < size(given)
    assert check(load("openai-chat").decode(list(shorter))) == []


def test_nothing_in_nothing_out_and_no_level_no_change() -> None:
    given = browser_run()
    assert SlidingWindow(archive=False).apply([]) == MessageCompressor("high").compress([]) == []
    assert list(MessageCompressor(CompressionLevel.NONE).compress(given)) == given
    assert sorted(CompressionLevel) == sorted(LEVELS)


def test_messages_of_langchain_come_back_as_such() -> None:
    objects = pytest.importorskip("langchain_core.messages").convert_to_messages(run(30))
    shorter = SlidingWindow(5, archive=False).apply(objects)
    assert shorter[0] is objects[0] and shorter[-1] is objects[-1] and len(shorter) == 8


def test_pruning_goes_down_to_the_size_that_is_asked_for() -> None:
    pruned = IntelligentPruner(archive=False).prune(run(30), target_size=6_000)
    assert size(pruned) / 4 < 8_000 < size(run(30)) / 4


def test_mistakes_are_told_when_a_part_is_made_or_set() -> None:
    with pytest.raises(DctxError, match="compression_level is 'extreme'"):
        MessageCompressor("extreme")
    with pytest.raises(DctxError, match="window_size is 0"):
        SlidingWindow(0)
    with pytest.raises(DctxError, match="importance_threshold is 3"):
        IntelligentPruner(PruningRules(importance_threshold=3))
    window = SlidingWindow(5)
    with pytest.raises(DctxError, match="window_size is -1"):
        window.window_size = -1
    assert window.window_size == 5


def test_what_a_part_cuts_is_in_the_archive(tmp_path: Path) -> None:
    write(tmp_path, {})
    shorter = MessageCompressor("high", archive=str(tmp_path)).compress(run(9))
    locator = shorter[2]["content"].rpartition("dctx:")[2].strip("]")[:12]
    with open_store(load_project(root=str(tmp_path))) as store:
        assert find(store, locator) == run(9)[2]["content"]


def test_auto_does_something_above_a_limit_that_is_small() -> None:
    small = compress(
        browser_run(), strategy="auto", config=ContextConfig(limit=4_000), archive=False
    )
    assert small.chosen == "checkpoint" and small.receipt.tokens_out < 4_000
    assert compress(browser_run(), strategy="auto", archive=False).chosen == ""


# Those of a manager


def test_a_manager_has_its_parts_and_both_read_the_same_settings() -> None:
    manager = ContextManager(ContextConfig(window_size=4, compression_level="low"), archive=False)
    assert (manager.window.window_size, manager.compressor.level) == (4, "low")
    assert manager.pruner.rules == PruningRules(
        importance_weights=manager.config.importance_weights
    )
    manager.window.window_size, manager.compressor.level = 8, CompressionLevel.NONE
    manager.pruner.rules = PruningRules(importance_threshold=0.4, importance_weights={"user": 0.9})
    assert (manager.config.window_size, manager.config.compression_level) == (8, "none")
    assert (
        manager.config.importance_weights["user"] == 0.9
        and manager.config.importance_weights["error"] == 0.6
    )
    assert manager.process_messages(run(30)) == manager.window.apply(run(30))


def test_a_window_and_a_compression_are_what_a_manager_does_with_both() -> None:
    manager = ContextManager(ContextConfig(), archive=False)
    given = browser_run()
    assert manager.process_messages(given) == manager.compressor.compress(
        manager.window.apply(given)
    )


# Checkpoints

NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)
CART = BrowserState("https://shop.example.org/cart", "Your cart")


def test_a_checkpoint_has_its_state_its_objectives_and_a_summary() -> None:
    checkpoints = CheckpointManager(clock=lambda: NOON)
    made = checkpoints.create_checkpoint("cart", CART, ["log in", "fill the cart"])
    assert (made.phase, made.timestamp, made.state) == ("cart", NOON, CART)
    assert made.completed_objectives == ("log in", "fill the cart")
    assert made.summary == "Successfully completed 2 objectives. Currently on Your cart page."
    assert (checkpoints.checkpoints, checkpoints.current_phase) == ({"cart": made}, "cart")


def test_a_context_begins_at_a_checkpoint() -> None:
    checkpoints = CheckpointManager()
    made = checkpoints.create_checkpoint("cart", CART, ["log in", "fill the cart"])
    assert checkpoints.get_context_from_checkpoint(made, "Buy a lamp.") == [
        {"role": "user", "content": "Buy a lamp."},
        {
            "role": "assistant",
            "content": "Previous phases completed. Current state:\n\nPhase: cart\n"
            "URL: https://shop.example.org/cart\nPage: Your cart\nCompleted: log in, fill the cart\n\n"
            "Successfully completed 2 objectives. Currently on Your cart page.\n\nContinuing with the next phase...",
        },
    ]


def test_checkpoints_are_listed_by_phase_the_newest_of_each() -> None:
    checkpoints = CheckpointManager()
    checkpoints.create_checkpoint("login")
    checkpoints.create_checkpoint("cart", CART)
    last = checkpoints.create_checkpoint("login", None, ["log in again"])
    assert list(checkpoints.checkpoints) == ["login", "cart"]
    assert checkpoints.checkpoints["login"] is last and checkpoints.current_phase == "login"
    assert last.summary == "Successfully completed 1 objective."


def test_a_context_from_a_checkpoint_is_no_larger_than_a_checkpoint_may_be() -> None:
    checkpoints = CheckpointManager(config=ContextConfig(max_checkpoint_size=200))
    made = checkpoints.create_checkpoint(
        "cart", CART, [f"objective number {n}" for n in range(300)]
    )
    text = checkpoints.get_context_from_checkpoint(made, "Buy.")[1]["content"]
    assert (
        len(text) <= 4 * 200
        and "objective number 299" in text
        and len(made.completed_objectives) == 300
    )


def test_what_a_manager_makes_a_checkpoint_of_is_among_its_checkpoints() -> None:
    manager = ContextManager(ContextConfig(strategy="checkpoint"), archive=False)
    given = browser_run()
    made = manager.process_messages(given)
    (text,) = [
        one["content"]
        for one in made
        if str(one["content"]).startswith("Previous phases completed.")
    ]
    (one,) = manager.checkpoints.checkpoints.values()
    assert f"Phase: {one.phase}\nURL: {one.state.url}\nPage: {one.state.page_title}\n" in text
    assert (
        one.completed_objectives
        and ", ".join(one.completed_objectives) in text
        and one.summary in text
    )
    begun = manager.checkpoints.get_context_from_checkpoint(one, "Buy a lamp.")
    assert manager.process_messages([*begun, *user("Go on.")]) == [*begun, *user("Go on.")]


# Metrics


def test_metrics_count_messages_of_every_kind() -> None:
    objects = pytest.importorskip("langchain_core.messages").convert_to_messages(run(3))
    metrics = ContextMetrics()
    metrics.record_input_size(run(3))
    whole = metrics.total_input_tokens
    metrics.record_input_size(objects)
    metrics.record_input_size([])
    metrics.record_output_size(run(1))
    assert whole > metrics.total_output_tokens > 1_000
    assert metrics.total_input_tokens == pytest.approx(2 * whole, rel=0.01)
    by_letter = ContextMetrics(count=len)
    by_letter.record_input_size(user("Hello"))
    assert by_letter.total_input_tokens == 5


def test_events_say_when_they_were() -> None:
    metrics = ContextMetrics()
    metrics.record_compression(200, 100, "clear")
    metrics.record_checkpoint("cart")
    assert metrics.compression_events[0].timestamp.tzinfo is UTC
    assert metrics.checkpoint_events[0].timestamp >= metrics.compression_events[0].timestamp


# Where they are


def test_langchain_has_a_place_of_its_own() -> None:
    pytest.importorskip("langchain")
    from director_ctx import langchain
    from director_ctx.doors import langchain as door

    assert (
        langchain.ContextMiddleware is door.ContextMiddleware
        and langchain.pre_model_hook is door.pre_model_hook
    )
    assert langchain.ContextManager is ContextManager
