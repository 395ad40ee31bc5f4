"""Between an agent and its model: one manager for messages of every kind, and an agent that keeps what was said."""

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
from director_ctx.history.metrics import ContextMetrics
from director_ctx.memory.archive import find

LONG = "\n".join(f"line {n} of what was read" for n in range(200))


def reads(first: int, last: int) -> list[Raw]:
    return [
        one for n in range(first, last) for one in acted("read_file", {"path": f"f{n}.py"}, f"{LONG} {n}", name=f"c{n}")
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
        call = {"type": "tool_use", "id": f"t{number}", "name": "read_file", "input": {"path": f"f{number}.py"}}
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
    assert made.metrics.get_summary()["compression_count"] >= cuts


def test_another_conversation_starts_anew() -> None:
    made = manager(strategy="hybrid", limit=20_000, warn_at=20_000, target_tokens=5_000)
    made.process_messages(run(20))
    other = [*user("Something else."), *reads(0, 3)]
    assert made.process_messages(other) == other


def test_agents_that_share_a_manager_each_go_on_as_they_were_cut() -> None:
    made = manager(strategy="hybrid", limit=20_000, warn_at=20_000, target_tokens=8_000)
    others = [*user("Something else."), *run(60)[1:]]
    for last in (36, 38):
        sent = [list(made.process_messages(messages[:last])) for messages in (run(60), others)]
        if last == 36:
            before = sent
    assert [after[: len(one)] == one for one, after in zip(before, sent, strict=True)] == [True, True]


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
    threads = [threading.Thread(target=made.process_messages, args=(run(12),)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(at_once) == {1}
    assert made.metrics.get_summary()["compression_count"] == 4


def test_a_warning_comes_once_before_the_limit(caplog: pytest.LogCaptureFixture) -> None:
    made = manager(strategy="hybrid", limit=100_000, warn_at=10_000)
    with caplog.at_level(logging.WARNING, "director_ctx"):
        made.process_messages(run(9))
        made.process_messages(run(12))
    assert [one.message for one in caplog.records] == [f"The context has {made_tokens(9)} of 100000 tokens."]


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
    assert [one["tool_call_id"] for one in now if one["role"] == "tool"] == ["c11", "c12", "c13", "c14"]
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
    where = digest.partition("dctx history get ")[2].partition("#N")[0]
    with open_store(_project(tmp_path)) as store:
        assert find(store, f"{where}#2") == run(20)[2]["content"]


def _project(root: Path) -> Any:
    from director_ctx import load_project

    return load_project(root=str(root))


def test_without_an_archive_nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(write(tmp_path, {}))
    manager(strategy="clear").process_messages(run(9))
    assert not (tmp_path / ".director" / ".dctx").exists()
    manager(archive=True, strategy="clear").process_messages(run(9))
    assert (tmp_path / ".director" / ".dctx" / "store.db").exists()


def test_where_nothing_can_be_kept_nothing_is_cut(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    write(tmp_path, {".dctx/store.db": b"this is no database, and far too long to be mistaken for a new one"})
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
