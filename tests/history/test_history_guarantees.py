"""What `dctx compress` promises, for every format, strategy and target, over conversations that
nobody chose.
"""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from histories import Raw, chars4, runs, said, user
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmarks.survival.shop import shopping
from director_ctx.history.compress.compress import archive_into
from director_ctx.history.compress.decide import Compressed, decide
from director_ctx.history.compress.options import Wish
from director_ctx.history.compress.put_back import put_back
from director_ctx.history.formats import FORMATS
from director_ctx.history.formats.document import read, write
from director_ctx.history.messages.message import ADDED, Message, measure
from director_ctx.history.strategies.config import STRATEGIES, ContextConfig
from director_ctx.history.valid.check import check
from director_ctx.memory.archive.originals import find
from director_ctx.memory.store.sqlite import SQLite
from director_ctx.memory.store.store import Store, new_id

RATIOS = (None, 0.05, 0.2, 0.5)
LOCATED = re.compile(r"dctx:[0-9a-f]{12}")
WIDE = settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))


def wish(name: str, ratio: float | None, to: str | None = None) -> Wish:
    return Wish(ContextConfig(), chars4, "chars/4", name, None, ratio, (), None, to)


def opened() -> Store:
    return Store(SQLite(":memory:"), new_id())


def kept(store: Store, data: bytes, wanted: Wish) -> Compressed:
    """The whole way, with a store that is open."""
    made = decide(put_back(store, data), wanted)
    if made.receipt.cuts:
        archive_into(store, made, "")
    return made


def as_format(run: list[Raw], name: str) -> bytes:
    found = read(json.dumps(run).encode(), "openai-chat")
    return json.dumps(run).encode() if name == "openai-chat" else write(found, found.messages, name)


def texts(messages: list[Message]) -> str:
    return "\n".join(block.text for message in messages for block in message.blocks)


def holds(data: bytes, name: str, ratio: float | None, form: str | None = None) -> None:
    with opened() as store:
        promised(store, data, wish(name, ratio), form)


def promised(store: Store, data: bytes, wanted: Wish, form: str | None) -> None:
    ratio = wanted.ratio
    before = read(data)
    tokens = measure(before.messages, chars4)
    assert form in (None, before.format)
    made = kept(store, data, wanted)
    receipt = made.receipt
    assert receipt.tokens_in == tokens >= receipt.tokens_out
    assert receipt.met == (ratio is None or receipt.tokens_out <= int(tokens * ratio))
    assert receipt.met or receipt.why_not
    places = [one.index for one in made.after if one.index != ADDED]
    assert places == sorted(set(places))
    again = read(made.data)
    assert again.format == before.format
    assert len(check(again)) <= len(check(before))
    assert measure(again.messages, chars4) <= tokens
    assert decide(put_back(store, data), wanted).data == made.data
    assert kept(store, made.data, wanted).data == made.data
    assert put_back(store, made.data).data == data
    originals(store, made)
    other = wanted.replace(ratio=0.1)
    assert kept(store, made.data, other).data == decide(put_back(store, data), other).data


def originals(store: Store, made: Compressed) -> None:
    known = {message.index: message.blocks for message in made.before.messages}
    for cut in made.receipt.cuts:
        block = known[cut.message][cut.block]
        text = find(store, cut.locator)
        assert text is not None
        if block.data is None:
            assert text == block.text
        else:
            assert json.loads(text) == block.data
    for locator in LOCATED.findall(texts(made.after)):
        assert find(store, locator) is not None


@WIDE
@pytest.mark.parametrize("name", STRATEGIES)
@pytest.mark.parametrize("form", FORMATS)
@given(runs(), st.sampled_from(RATIOS))
def test_every_promise_holds_for_every_format_strategy_and_target(
    form: str, name: str, run: list[Raw], ratio: float | None
) -> None:
    holds(as_format(run, form), name, ratio, form)


@pytest.mark.parametrize("name", STRATEGIES)
@pytest.mark.parametrize("ratio", (None, 0.2))
def test_every_promise_holds_for_long_conversations(name: str, ratio: float | None) -> None:
    holds(json.dumps({"messages": next(iter(shopping())).chat}).encode(), name, ratio)


@WIDE
@pytest.mark.parametrize("form", FORMATS)
@given(runs(), st.sampled_from(STRATEGIES), st.sampled_from(RATIOS))
def test_a_conversation_that_went_on_is_shortened_from_its_original(
    form: str, run: list[Raw], name: str, ratio: float | None
) -> None:
    with opened() as store:
        made = kept(store, as_format(run, form), wish(name, ratio))
        longer = grown(made.data, form)
        whole = put_back(store, longer).data
        assert told(whole) == told(grown(as_format(run, form), form))
        second = kept(store, longer, wish(name, ratio))
        assert second.receipt.tokens_in == measure(read(whole).messages, chars4)
        assert kept(store, second.data, wish(name, ratio)).data == second.data
        assert put_back(store, second.data).data == whole


def grown(data: bytes, form: str) -> bytes:
    """What a client writes behind it: one more question and its answer."""
    more = as_format([*user("And now the lid."), *said("It is mended.")], form)
    if form in ("claude-code", "codex"):
        lines = [json.loads(line) for line in more.splitlines() if line.strip()]
        written = "".join(f"{json.dumps(one)}\n" for one in behind(lines, data))
        return data.rstrip(b"\n") + b"\n" + written.encode()
    document = json.loads(data)
    mine = listed(document)
    mine.extend(one for one in listed(json.loads(more)) if one not in mine)
    return json.dumps(document, ensure_ascii=False).encode()


def behind(lines: list[Any], data: bytes) -> list[Any]:
    """Lines that follow the last one there is."""
    rows = [json.loads(line) for line in data.splitlines() if line.strip()]
    parent = next((row["uuid"] for row in reversed(rows) if "uuid" in row), None)
    made = []
    for number, line in enumerate(lines):
        if "uuid" in line:
            own = f"00000000-0000-4000-8000-00000000000{number}"
            made.append({**line, "uuid": own, "parentUuid": parent})
            parent = own
        elif "sessionId" not in line and line.get("type") != "session_meta":
            made.append(line)
    return made


def listed(document: Any) -> list[Any]:
    return (
        document
        if isinstance(document, list)
        else next(one for one in document.values() if isinstance(one, list))
    )


def told(data: bytes) -> list[tuple[str, list[tuple[str, str]]]]:
    return [
        (one.role, [(block.kind, block.text) for block in one.blocks])
        for one in read(data).messages
    ]
