"""A shortened conversation says once how to get back what was cut, in words that fit where it is read."""

from __future__ import annotations

import re
from typing import Any

import pytest
from histories import Raw, acted, aim, chars4, conversation, runs, said, user
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from director_ctx.history.messages.message import Message, measure, size
from director_ctx.history.strategies.config import RETRIEVALS, STRATEGIES
from director_ctx.history.strategies.shrink import WORDS, shrink, strategy

LONG = "\n".join(f"line {number} of what was read" for number in range(120))
LOCATOR = re.compile(r"dctx:[0-9a-f]{12}")
WAY = {
    "auto": "dctx restore dctx:",
    "command": "dctx restore dctx:",
    "tool": "dctx_original dctx:",
    "mcp": "tool original dctx:",
}
WIDE = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))


def reads(count: int) -> list[Raw]:
    run = user("Find the mistake.")
    for number in range(count):
        path = {"path": f"src/module_{number}.py"}
        run += [
            *said(f"I read {number}."),
            *acted("read", path, f"{number}\n{LONG}", name=f"r{number}"),
        ]
    return run


def text_of(messages: list[Message]) -> str:
    return "\n".join(block.text for message in messages for block in message.blocks)


def shrunk(run: list[Raw], name: str, **wishes: Any) -> list[Message]:
    messages = conversation(run).messages
    measure(messages, chars4)
    return shrink(messages, name, aim(**wishes))


@pytest.mark.parametrize("retrieval", WAY)
@pytest.mark.parametrize("name", ["clear", "compression", "sliding_window", "hybrid", "pruning"])
def test_each_way_of_shortening_says_how_to_get_back_what_it_cut(name: str, retrieval: str) -> None:
    after = text_of(shrunk(reads(30), name, target=4_000, retrieval=retrieval))
    assert LOCATOR.search(after)
    assert WAY[retrieval] in after
    others = set(WAY.values()) - {WAY[retrieval]}
    assert not any(other in after for other in others)


def test_of_many_stubs_only_the_first_says_it() -> None:
    after = text_of(shrunk(reads(30), "clear"))
    stubs = [line for line in after.splitlines() if line.startswith("[… ")]
    assert len(stubs) > 20
    first, *others = stubs
    assert re.fullmatch(r"\[… result of read .*: dctx restore dctx:[0-9a-f]{12}\]", first)
    assert "dctx restore" not in "".join(others)


@pytest.mark.parametrize("name", ["clear", "sliding_window", "pruning", "hybrid"])
def test_where_there_is_no_way_none_is_named(name: str) -> None:
    after = text_of(shrunk(reads(30), name, target=4_000, retrieval="none"))
    assert LOCATOR.search(after)
    assert not any(way in after for way in WAY.values())


def test_what_somebody_wrote_about_it_does_not_count() -> None:
    quoted = user("It said: [… result of make, 900 characters: dctx restore dctx:0123456789ab]")
    after = text_of(shrunk([*quoted, *reads(20)], "clear"))
    assert after.count("dctx restore dctx:") == 2


def test_what_came_before_stays_the_same_when_the_conversation_grows() -> None:
    shorter = shrunk(reads(20), "clear", retrieval="tool")
    longer = shrunk(reads(26), "clear", retrieval="tool")
    told = [text_of([message]) for message in shorter]
    told_later = [text_of([message]) for message in longer]
    first_whole = next(
        n for n, text in enumerate(told) if text.endswith("line 119 of what was read")
    )
    assert first_whole > 30
    assert told[:first_whole] == told_later[:first_whole]


def test_where_a_target_leaves_no_room_for_the_words_a_little_more_is_cut() -> None:
    run = user("Find the mistake.")
    for number in range(30):
        run += [*said("Again."), *acted("read", {"path": "a.py"}, LONG, name=f"r{number}")]
    messages = conversation(run).messages
    enough = strategy("hybrid")(messages, aim(target=size(messages) * 2 // 3))
    assert "dctx restore" not in text_of(enough)

    target = size(enough)
    after = shrink(messages, "hybrid", aim(target=target))
    assert size(after) <= target
    assert text_of(after).count("dctx restore dctx:") == 1


@pytest.mark.parametrize("retrieval", RETRIEVALS)
@WIDE
@given(runs(), st.sampled_from(STRATEGIES), st.integers(1, 2_000))
def test_the_words_never_make_a_result_miss_its_target(
    retrieval: str, run: list[Raw], name: str, target: int
) -> None:
    messages = conversation(run).messages
    measure(messages, chars4)
    wanted = aim(target=target, retrieval=retrieval)
    without = strategy(name)(messages, wanted)
    after = shrink(messages, name, wanted)
    assert size(after) <= size(messages)
    if size(without) <= target:
        assert size(after) <= target


@pytest.mark.parametrize("name", ["clear", "compression"])
@WIDE
@given(runs())
def test_what_is_cut_and_says_it_is_still_shorter_than_it_was(name: str, run: list[Raw]) -> None:
    messages = conversation(run).messages
    measure(messages, chars4)
    sizes = {(one.index, block.at): block.tokens for one in messages for block in one.blocks}
    for message in shrink(messages, name, aim(retrieval="command")):
        for block in message.blocks:
            assert block.tokens <= sizes[message.index, block.at]


def test_every_setting_has_its_words() -> None:
    assert tuple(WORDS) == RETRIEVALS
