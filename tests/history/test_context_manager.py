"""Between an agent and its model: one manager for messages of every kind, and an agent that keeps
what was said.
"""

from __future__ import annotations

import asyncio
import json
import logging
import threading
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from browser_runs import browser_run
from conftest import write
from histories import Raw, acted, user

from director_ctx import ContextConfig, ContextManagedAgent, ContextManager, open_store
from director_ctx.history.agents.metrics import ContextMetrics
from director_ctx.history.strategies.config import STRATEGIES
from director_ctx.memory.archive.originals import find

LONG = "\n".join(f"line {n} of what was read" for n in range(200))


def reads(first: int, last: int) -> list[Raw]:
    return [
        one
        for n in range(first, last)
        for one in acted("read_file", {"path": f"f{n}.py"}, f"{LONG} {n}", name=f"c{n}")
    ]


def run(last: int) -> list[Raw]:
    return [*user("Mend it."), *reads(0, last)]


def manager(archive: Any = False, **settings: Any) -> ContextManager:
    return ContextManager(ContextConfig(**settings), archive=archive)


def size(messages: list[Any]) -> int:
    return len(json.dumps(list(messages)))


def test_messages_come_back_shorter_and_of_the_same_kind() -> None:
    given = browser_run()
    before = json.dumps(given)
    made = manager().process_messages(given)
    assert json.dumps(given) == before
    assert made[:2] == given[:2]
    assert made[-1] == given[-1]
    assert size(made) < size(given) * 0.6


def test_what_some_take_directly_others_may_await() -> None:
    async def awaited() -> list[Any]:
        return list(await manager().process_messages(browser_run()))

    async def aside() -> list[Any]:
        return list(await manager().aprocess_messages(browser_run()))

    made = list(manager().process_messages(browser_run()))
    assert asyncio.run(awaited()) == asyncio.run(aside()) == made


def test_other_formats_come_back_as_they_are_written() -> None:
    blocks = []
    for number in range(30):
        call = {
            "type": "tool_use",
            "id": f"t{number}",
            "name": "read_file",
            "input": {"path": f"f{number}.py"},
        }
        result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": LONG}
        blocks += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    made = manager(strategy="clear").process_messages([{"role": "user", "content": "Go."}, *blocks])
    assert [one["role"] for one in made] == ["user", *["assistant", "user"] * 30]
    assert made[2]["content"][0]["type"] == "tool_result"
    assert "dctx:" in json.dumps(made[2]["content"])
    assert made[-1] == blocks[-1]


def test_after_its_strategy_every_message_is_compressed_as_configured() -> None:
    given = browser_run()
    plain = manager(compression_level="none").process_messages(given)
    assert size(manager().process_messages(given)) < size(plain) < size(given)


def test_nothing_is_done_where_it_is_not_enabled() -> None:
    assert manager(enabled=False).process_messages(run(40)) == run(40)
    assert manager().process_messages([]) == []


def test_a_strategy_with_a_target_waits_until_the_next_message_would_pass_the_limit() -> None:
    made = manager(strategy="hybrid", limit=20_000, warn_at=20_000, target_tokens=5_000)
    assert made.process_messages(run(10)) == run(10)
    assert made.receipt is None
    shorter = made.process_messages(run(18))
    assert made.tokens <= 5_000
    assert size(shorter) < size(run(18)) / 2


def test_between_two_cuts_each_request_extends_the_one_before() -> None:
    made = manager(strategy="hybrid", limit=20_000, warn_at=20_000, target_tokens=8_000)
    sent = [list(made.process_messages(run(last))) for last in range(2, 40)]
    cuts = 0
    for before, after in zip(sent, sent[1:], strict=False):
        if after[: len(before)] != before:
            cuts += 1
    assert 1 <= cuts <= 6
    assert made.metrics.get_summary()["compression_count"] == cuts


def test_a_checkpoint_is_counted_when_it_is_made_and_not_with_every_request() -> None:
    made = manager(strategy="checkpoint", compression_level="none")
    for last in range(7, 12):
        made.process_messages(run(last), current_phase="look")
    for last in range(12, 25):
        made.process_messages(run(last), current_phase="mend")
    summary = made.metrics.get_summary()
    assert (summary["compression_count"], summary["checkpoint_count"]) == (2, 2)
    assert [one.phase for one in made.metrics.checkpoint_events] == ["look", "mend"]


def test_the_same_cut_again_is_not_counted_again() -> None:
    made = manager(strategy="clear")
    for _ in range(5):
        made.process_messages(run(12))
    assert made.metrics.get_summary()["compression_count"] == 1
    made.process_messages(run(13))
    assert made.metrics.get_summary()["compression_count"] == 2


def test_another_conversation_starts_anew() -> None:
    made = manager(strategy="hybrid", limit=20_000, warn_at=20_000, target_tokens=5_000)
    made.process_messages(run(20))
    other = [*user("Something else."), *reads(0, 3)]
    assert made.process_messages(other) == other


def talks(many: int, last: int) -> list[list[Raw]]:
    """Conversations that go on beside one another."""
    return [[*user(f"Mend part {number}."), *reads(0, last)] for number in range(many)]


def broken(before: list[list[Any]], after: list[list[Any]]) -> int:
    """How many requests do not begin with the one before."""
    return sum(new[: len(old)] != old for old, new in zip(before, after, strict=True))


GOES_ON = {"strategy": "hybrid", "limit": 20_000, "warn_at": 20_000, "target_tokens": 8_000}


def test_forty_conversations_that_share_a_manager_each_go_on_as_they_were_cut() -> None:
    made = manager(**GOES_ON)
    before = [list(made.process_messages(one)) for one in talks(40, 18)]
    after = [list(made.process_messages(one)) for one in talks(40, 19)]
    assert all(len(one) < 37 for one in before)
    assert broken(before, after) == 0


def test_of_more_conversations_than_are_remembered_those_that_were_seen_last_go_on() -> None:
    made = manager(**GOES_ON, max_conversations=2)
    first, second, third = talks(3, 18)
    before = [list(made.process_messages(one)) for one in (first, second, first, third)]
    one, other, another = talks(3, 19)
    assert broken(before[2:], [list(made.process_messages(talk)) for talk in (one, another)]) == 0
    assert made.process_messages(other)[: len(before[1])] != before[1]


@pytest.mark.parametrize("kind", ["openai-chat", "anthropic", "langchain"])
@pytest.mark.parametrize(
    "strategy", ["hybrid", "compression", "clear", "checkpoint", "pruning", "sliding_window"]
)
def test_a_program_that_starts_anew_goes_on_as_its_conversations_were_cut(
    kind: str, strategy: str, tmp_path: Path
) -> None:
    write(tmp_path, {})
    settings = {**GOES_ON, "strategy": strategy, "when": "limit"}
    first = manager(str(tmp_path), **settings)
    before = [list(first.process_messages(as_kind(one, kind))) for one in talks(3, 18)]
    assert first.metrics.get_summary()["compression_count"] == 3

    anew = manager(str(tmp_path), **settings)
    after = [list(anew.process_messages(as_kind(one, kind))) for one in talks(3, 19)]
    assert broken(before, after) == 0
    assert anew.metrics.get_summary() == {"status": "no compression events"}


def as_kind(messages: list[Raw], kind: str) -> list[Any]:
    if kind == "openai-chat":
        return messages
    if kind == "langchain":
        messages_of = pytest.importorskip("langchain_core.messages")
        return [
            one.model_copy(update={"id": None}) for one in messages_of.convert_to_messages(messages)
        ]
    from director_ctx.history.formats import load
    from director_ctx.history.formats.convert import convert

    whole = load("openai-chat").decode(messages)
    other = convert(whole, whole.messages, kind)
    found: list[Any] = load(kind).encode(other, other.messages)
    return found


def test_other_settings_cut_anew_and_a_store_holds_no_more_than_is_asked_for(
    tmp_path: Path,
) -> None:
    write(tmp_path, {})
    before = list(manager(str(tmp_path), **GOES_ON).process_messages(run(18)))
    other = manager(str(tmp_path), **{**GOES_ON, "target_tokens": 4_000})
    assert list(other.process_messages(run(18))) != before
    keeps = ContextManager(
        ContextConfig(**GOES_ON), archive=str(tmp_path), keep=["what was read 9"]
    )
    assert list(keeps.process_messages(run(18))) != before
    later = manager(str(tmp_path), **{**GOES_ON, "warn_at": 9_000, "max_conversations": 99})
    assert list(later.process_messages(run(18))) == before
    assert later.metrics.get_summary() == {"status": "no compression events"}
    narrow = manager(str(tmp_path), **GOES_ON, max_conversations=3)
    for messages in talks(5, 18):
        narrow.process_messages(messages)
    with open_store(_project(tmp_path)) as store:
        assert store.engine.row("SELECT count(*) FROM dctx_cuts") == (3,)


def test_what_is_forgotten_is_not_remembered_in_cuts_either(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dctx: Any
) -> None:
    monkeypatch.chdir(write(tmp_path, {}))
    manager(True, **GOES_ON).process_messages(run(18))
    with open_store(_project(tmp_path)) as store:
        assert store.engine.row("SELECT count(*) FROM dctx_cuts") == (1,)
    assert dctx("history", "remove", "--all", "--yes", cwd=tmp_path).code == 0
    with open_store(_project(tmp_path)) as store:
        assert store.engine.row("SELECT count(*) FROM dctx_cuts") == (0,)


DAMAGED = [
    "",
    "[]",
    '{"length": 99, "after": []}',
    '{"length": 1, "after": [5]}',
    '{"length": 1, "after": [{"place": 0, "role": "user", "blocks": [9]}]}',
]


@pytest.mark.parametrize("content", DAMAGED)
def test_a_cut_that_is_no_longer_what_it_was_is_made_anew(content: str, tmp_path: Path) -> None:
    write(tmp_path, {})
    before = list(manager(str(tmp_path), **GOES_ON).process_messages(run(18)))
    with open_store(_project(tmp_path), write=True) as store:
        store.engine.write(
            "", lambda writer: writer.run("UPDATE dctx_cuts SET content = ?", (content,))
        )
    anew = manager(str(tmp_path), **GOES_ON)
    assert list(anew.process_messages(run(18))) == before
    assert anew.metrics.get_summary()["compression_count"] == 1


def test_one_conversation_is_shortened_after_the_other() -> None:
    at_work: set[int] = set()
    at_once = []

    def count(text: str) -> int:
        at_work.add(threading.get_ident())
        at_once.append(len(at_work))
        time.sleep(0.0005)
        return len(text) // 4

    def clock() -> None:
        at_work.discard(threading.get_ident())

    made = ContextManager(ContextConfig(strategy="clear"), count=count, clock=clock, archive=False)
    given = [[*user(f"Mend part {number}."), *reads(number, number + 12)] for number in range(4)]
    threads = [threading.Thread(target=made.process_messages, args=(one,)) for one in given]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(at_once) == {1}
    assert made.metrics.get_summary()["compression_count"] == 4


@pytest.mark.parametrize("when", ["always", "limit", "auto"])
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_limit_holds_whatever_the_strategy_and_whenever_it_works(
    strategy: str, when: str
) -> None:
    for given in (browser_run(), run(40)):
        made = manager(strategy=strategy, when=when, limit=2_500, compression_level="low")
        made.process_messages(given)
        assert made.tokens <= 2_500


def test_a_limit_holds_beside_what_goes_out_with_the_messages() -> None:
    made = manager(strategy="clear", when="always", limit=4_000)
    made.process_messages(run(40), beside=2_000)
    assert made.tokens <= 2_000


def test_where_no_strategy_can_hold_a_limit_that_is_said_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    long_task = [*user("Mend it. " * 4_000), *reads(0, 9)]
    made = manager(strategy="hybrid", limit=5_000)
    with caplog.at_level(logging.WARNING, "director_ctx"):
        for last in (10, 15, 19):
            made.process_messages(long_task[:last])
    (said,) = [one.message for one in caplog.records]
    assert "over the limit of 5000, and no strategy gets below it" in said
    assert made.tokens < 11_000


def test_what_cannot_be_cut_further_is_not_cut_at_every_request() -> None:
    long_task = [*user("Mend it. " * 10_000), *reads(0, 40)]
    made = manager(strategy="hybrid", limit=20_000)
    sent = [list(made.process_messages(long_task[:last])) for last in range(5, 80, 2)]
    assert 1 <= broken(sent[:-1], sent[1:]) <= len(sent) / 2


def test_the_number_of_messages_can_be_what_a_cut_waits_for() -> None:
    made = manager(strategy="hybrid", max_messages=30)
    short = [
        *user("Say yes."),
        *(one for n in range(80) for one in acted("ask", {"n": n}, "yes", name=f"c{n}")),
    ]
    sent = [list(made.process_messages(short[: 1 + 2 * turns])) for turns in range(1, 80)]
    assert sent[13] == short[:29]
    assert max(map(len, sent)) <= 30
    assert 1 <= broken(sent[:-1], sent[1:]) <= 12


def test_a_warning_comes_once_before_the_limit(caplog: pytest.LogCaptureFixture) -> None:
    made = manager(strategy="hybrid", limit=100_000, warn_at=10_000)
    with caplog.at_level(logging.WARNING, "director_ctx"):
        made.process_messages(run(9))
        made.process_messages(run(12))
    assert [one.message for one in caplog.records] == [
        f"The context has {made_tokens(9)} of 100000 tokens."
    ]


def made_tokens(last: int) -> int:
    made = manager(enabled=False)
    made.process_messages(run(last))
    return made.tokens


def test_a_phase_is_remembered_from_when_it_was_told() -> None:
    made = manager(strategy="checkpoint", compression_level="none")
    made.process_messages(run(6), current_phase="look")
    made.process_messages(run(12), current_phase="mend")
    now = made.process_messages(run(15), current_phase="mend")
    assert "Phase: mend" in now[1]["content"]
    assert [one["tool_call_id"] for one in now if one["role"] == "tool"] == [
        "c11",
        "c12",
        "c13",
        "c14",
    ]
    assert made.metrics.get_summary()["checkpoint_count"] >= 1


def test_mistakes_in_a_configuration_are_told_when_a_manager_is_made() -> None:
    with pytest.raises(Exception, match="compression_level is 'extreme'"):
        manager(compression_level="extreme")
    assert ContextManager({"window_size": 3}).config.window_size == 3
    with pytest.raises(Exception, match="no format that is known"):
        manager().process_messages([{"who": "me"}])


# The archive


def test_originals_are_in_the_store_before_anything_goes_out(tmp_path: Path) -> None:
    write(tmp_path, {})
    made = ContextManager(ContextConfig(strategy="clear"), archive=str(tmp_path))
    shorter = made.process_messages(run(9))
    assert made.receipt is not None
    assert len(made.receipt.cuts) == 6
    with open_store(_project(tmp_path)) as store:
        for cut in made.receipt.cuts:
            assert cut.locator in json.dumps(shorter)
            assert find(store, cut.locator) == run(9)[cut.message]["content"]


def test_the_originals_of_a_digest_are_there_too(tmp_path: Path) -> None:
    write(tmp_path, {})
    made = ContextManager(ContextConfig(window_size=4), archive=_project(tmp_path))
    digest = made.process_messages(run(20))[1]["content"]
    where = digest.partition("dctx restore ")[2].partition("#N")[0]
    with open_store(_project(tmp_path)) as store:
        assert find(store, f"{where}#2") == run(20)[2]["content"]


def _project(root: Path) -> Any:
    from director_ctx import load_project

    return load_project(root=str(root))


def test_without_an_archive_nothing_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(write(tmp_path, {}))
    manager(strategy="clear").process_messages(run(9))
    assert not (tmp_path / ".director" / ".dctx").exists()
    manager(archive=True, strategy="clear").process_messages(run(9))
    assert (tmp_path / ".director" / ".dctx" / "store.db").exists()


def test_where_nothing_can_be_kept_nothing_is_cut(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write(
        tmp_path,
        {".dctx/store.db": b"this is no database, and far too long to be mistaken for a new one"},
    )
    with caplog.at_level(logging.WARNING, "director_ctx"):
        made = ContextManager(ContextConfig(strategy="clear"), archive=str(tmp_path))
        assert made.process_messages(run(9)) == run(9)
    assert "Nothing was cut, because the originals could not be kept" in caplog.text
    assert made.metrics.get_summary() == {"status": "no compression events"}
    assert made.receipt is None


# Metrics


def test_the_summary_has_the_names_of_the_design() -> None:
    ticks = iter(range(9))
    metrics = ContextMetrics(lambda: next(ticks))
    assert metrics.get_summary() == {"status": "no compression events"}
    metrics.record_compression(200, 100, "clear")
    metrics.record_compression(100, 25, "hybrid")
    metrics.record_checkpoint("cart")
    assert metrics.get_summary() == {
        "total_input_tokens": 300, "total_output_tokens": 125, "total_reduction": pytest.approx(58.33, abs=0.01),
        "compression_count": 2, "average_reduction": 62.5, "checkpoint_count": 1,
    }  # fmt: skip
    assert [one.timestamp for one in metrics.compression_events] == [0, 1]
    metrics.record_compression(0, 0, "clear")
    assert metrics.compression_events[-1].reduction_percent == 0


# An agent that keeps what was said


class Scripted:
    """An agent that answers with chunks."""

    def __init__(self, *chunks: Any) -> None:
        self.chunks, self.given = chunks, list[Any]()

    def stream(self, messages: dict[str, Any], **options: Any) -> Iterator[Any]:
        self.given = messages["messages"]
        yield from self.chunks

    async def astream(self, messages: dict[str, Any], **options: Any) -> AsyncIterator[Any]:
        for chunk in self.stream(messages, **options):
            yield chunk


ANSWER = {"role": "assistant", "content": "Done.", "id": "m1"}


@pytest.mark.parametrize(
    "chunks",
    [
        [{"agent": {"messages": [ANSWER]}}],
        [{"model": {"messages": [ANSWER]}}, {"model": {"messages": [ANSWER]}}],
        [("updates", {"agent": {"messages": [ANSWER]}}), ("messages", ("Do", {}))],
        [{"other": None}, {"agent": {"messages": [ANSWER]}}],
    ],
)
def test_an_agent_reads_less_and_everything_that_was_said_stays(chunks: list[Any]) -> None:
    async def streamed() -> list[Any]:
        return [chunk async for chunk in agent.astream({"messages": given})]

    inner, given = Scripted(*chunks), run(30)
    agent = ContextManagedAgent(inner, manager())
    assert asyncio.run(streamed()) == chunks
    assert size(inner.given) < size(given) / 2
    assert agent.original_messages == [*run(30), ANSWER]
    assert given == run(30)
    assert list(agent.stream({"messages": given})) == chunks
    assert agent.original_messages == [*run(30), ANSWER]


def test_whole_states_that_are_streamed_add_only_what_is_new() -> None:
    inner = Scripted()
    agent = ContextManagedAgent(inner, manager())
    list(agent.stream({"messages": run(30)}))
    state = inner.given
    inner.chunks = ({"messages": state}, {"messages": [*state, ANSWER]})
    list(agent.stream({"messages": run(30)}))
    assert agent.original_messages == [*run(30), ANSWER]
