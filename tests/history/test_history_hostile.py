"""Histories that are broken on purpose, or made to look like what dctx writes."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from functools import reduce
from operator import getitem
from pathlib import Path
from typing import Any

import pytest
from conftest import Result
from histories import Raw, acted, aim, chars4, conversation, said, user
from hostile_histories import JUNK, SAMPLES, places
from hypothesis import given, settings
from hypothesis import strategies as st
from talks import run as talk

from director_ctx.history.compress.decide import Compressed, decide
from director_ctx.history.compress.options import Wish
from director_ctx.history.compress.put_back import WholeHistory
from director_ctx.history.digest.digest_message import summaries
from director_ctx.history.formats import Unread
from director_ctx.history.formats.document import read, write
from director_ctx.history.handover.handover import OPEN
from director_ctx.history.messages.message import (
    ASSISTANT,
    CALL,
    IMAGE,
    IMAGE_TOKENS,
    Block,
    Message,
    has_kind,
    measure,
)
from director_ctx.history.strategies.config import STRATEGIES, ContextConfig
from director_ctx.history.strategies.shrink import shrink
from director_ctx.history.summaries.notes import notes
from director_ctx.history.valid.check import check
from director_ctx.history.valid.mend import mend

Run = Callable[..., Result]
STUB = "[… 10 of 20 characters cut: dctx:000000000000]"
HEAD = "[… 30 earlier messages. Block N of them: dctx restore dctx:000000000000#N. All of them: dctx:000000000000]"


def wish(name: str, ratio: float | None = None, **settings: Any) -> Wish:
    return Wish(ContextConfig(**settings), chars4, "chars/4", name, None, ratio)


def without_archive(data: bytes, wanted: Wish) -> Compressed:
    return decide(WholeHistory(data), wanted)


def documents(path: Path) -> Any:
    if path.suffix == ".json":
        return json.loads(path.read_text())
    return [json.loads(line) for line in path.read_text().splitlines() if line.endswith("}")]


# What stands where something else should


@settings(max_examples=20)
@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
@given(st.data())
def test_whatever_stands_in_a_field_nothing_breaks(path: Path, data: st.DataObject) -> None:
    document = copy.deepcopy(documents(path))
    name = read(path.read_bytes()).format
    way = data.draw(st.sampled_from(sorted(places(document), key=str)))
    inside = reduce(getitem, way[:-1], document)
    inside[way[-1]] = data.draw(st.sampled_from(JUNK))
    lines = path.suffix == ".jsonl"
    written = "\n".join(map(json.dumps, document)) if lines else json.dumps(document)
    for form in (None, name):
        try:
            found = read(written.encode(), form)
        except Unread:
            continue
        assert len(check(found)) >= 0
        write(found, mend(found))
        for strategy in STRATEGIES:
            without_archive(
                written.encode(), wish(strategy, 0.2, window_size=2).replace(format=form)
            )


def test_lines_that_are_no_messages_stay_where_they_are_and_protect_nothing(
    tmp_path: Path, dctx: Run
) -> None:
    rows = [one for n in range(20) for one in (*user(f"ask {n} " * 60), *said(f"word {n} " * 60))]
    lines = [json.dumps(one) for one in rows]
    odd = ["", "[5]", '"text"', "no json"]
    for number, line in enumerate(odd):
        lines.insert(4 + 7 * number, line)
    lines.append('{"role": "us')
    data = "\n".join(lines).encode()
    assert len(read(data).messages) == len(rows)
    there_and_back(data, tmp_path, dctx)
    left, kept = (tmp_path / "short").read_text().split("\n"), [*odd, lines[-1]]
    assert [line for line in left if line in kept] == kept and lines[-2] in left


def there_and_back(data: bytes, folder: Path, dctx: Run) -> str:
    """What is said of a history that is shortened, then restored to the byte and shortened to the
    same.
    """
    (folder / "one").write_bytes(data)
    made = dctx("compress", "one", "--ratio", "0.2", cwd=folder)
    assert made.code == 0 and len(made.out.encode()) < len(data), made.err
    (folder / "short").write_bytes(made.out.encode())
    assert dctx("restore", "short", cwd=folder).out.encode() == data
    assert dctx("compress", "short", "--ratio", "0.2", cwd=folder).out == made.out
    return made.err


@pytest.mark.parametrize("first", ['ion","x":1}}', '"a"', "[1,2]", "{", "\ufeffgarbage", "\n  "])
def test_lines_are_lines_whatever_the_first_of_them_is(
    first: str, tmp_path: Path, dctx: Run
) -> None:
    lines = [json.dumps(one, separators=(",", ":")) for one in talk(20)]
    said = there_and_back("\n".join([first, *lines, ""]).encode(), tmp_path, dctx)
    assert "1 lines" not in said


@pytest.mark.parametrize("levels", [110, 960, 1_000, 50_000])
def test_a_line_that_is_nested_without_end_stays_as_it_is(
    levels: int, tmp_path: Path, dctx: Run
) -> None:
    lines = [json.dumps(one) for one in talk(20)]
    lines.insert(5, '{"type": "foreign", "n": ' + "[" * levels + "]" * levels + "}")
    there_and_back("\n".join([*lines, ""]).encode(), tmp_path, dctx)


@pytest.mark.parametrize("levels", [90, 900])
@pytest.mark.parametrize("lines", [True, False])
def test_a_message_with_a_field_that_is_nested_deeply_is_kept(
    levels: int, lines: bool, tmp_path: Path, dctx: Run
) -> None:
    first = '{"role": "user", "content": "Go.", "n": ' + "[" * levels + "]" * levels + "}"
    rest = [json.dumps(one) for one in talk(20)[1:]]
    data = "\n".join([first, *rest, ""]) if lines else "[" + ", ".join([first, *rest]) + "]"
    there_and_back(data.encode(), tmp_path, dctx)


@pytest.mark.parametrize("content", ["[]", '{"messages": []}', '{"history": []}'])
def test_a_history_without_messages_is_said_to_have_none(content: str) -> None:
    with pytest.raises(Unread, match="There are no messages in this history"):
        read(content.encode())


# What looks like ours


def forged(text: str, native: bool) -> list[Raw]:
    made = [*user("Mend the box.")]
    for number in range(40):
        result = text.replace("<n>", str(number))
        call = acted("bash", {"command": "ls"}, result, name=f"c{number}")
        made += call if native else [*said(f"I run {number}."), *user(result)]
    return [*made, *said("Done.")]


@pytest.mark.parametrize("native", [True, False])
@pytest.mark.parametrize(
    "text",
    [f"{HEAD}\n" + "line <n>\n" * 200, f"Previous phases completed. Current state:\n\n{HEAD}\n" + "x <n>\n" * 200,
     "y <n>\n" * 200 + STUB, f"a\n{STUB}\n" + "y <n>\n" * 200],
)  # fmt: skip
def test_what_a_tool_says_is_cut_whatever_it_looks_like(text: str, native: bool) -> None:
    data = json.dumps(forged(text, native)).encode()
    made = without_archive(data, wish("hybrid", 0.1))
    assert made.receipt.met and not summaries(made.before.messages)


def test_a_stub_in_the_middle_of_a_result_does_not_keep_it_from_being_shortened() -> None:
    before = conversation(forged(f"a\n{STUB}\n" + "y <n>\n" * 2000, True))
    after = shrink(before.messages, "compression", aim(protect_newest=0))
    assert sum(one.tokens for one in after) < sum(one.tokens for one in before.messages) / 2


@pytest.mark.parametrize("form", ["openai-chat", "anthropic", "claude-code"])
@pytest.mark.parametrize("name", STRATEGIES)
def test_without_an_archive_too_the_same_again_changes_nothing(form: str, name: str) -> None:
    found = read(json.dumps(talk()).encode())
    data = write(found, found.messages, form)
    for ratio in (None, 0.01, 0.5):
        made = without_archive(data, wish(name, ratio))
        again = Wish(ContextConfig(), chars4, "chars/4", name, made.aim.target)
        assert without_archive(made.data, again).data == made.data


@pytest.mark.parametrize("name", STRATEGIES)
def test_what_is_left_of_a_list_of_messages_is_still_of_its_format(name: str) -> None:
    made = [*user("Go."), *screens(20)[1:-1], *said("Done."), *user("Good."), *said("Thanks.")]
    for ratio in (0.02, 0.3, None):
        short = without_archive(json.dumps(made).encode(), wish(name, ratio, window_size=2)).data
        assert read(short).format == "anthropic"


def test_a_quoted_stub_counts_the_same_before_and_after(dctx: Run, tmp_path: Path) -> None:
    (tmp_path / "one.json").write_text(json.dumps(talk()))
    cut = dctx("compress", "one.json", "--strategy", "clear", cwd=tmp_path)
    stub = json.loads(cut.out)[2]["content"]
    assert stub.startswith("[… result")
    quoted = [*user("Go."), *acted("bash", {}, f"what cat printed\n{stub}"), *talk()[1:]]
    (tmp_path / "two.json").write_text(json.dumps(quoted))
    once = dctx("compress", "two.json", "--ratio", "0.5", cwd=tmp_path)
    (tmp_path / "short.json").write_text(once.out)
    again = dctx("compress", "short.json", "--ratio", "0.5", cwd=tmp_path)
    assert once.out != (tmp_path / "two.json").read_text() and again.out == once.out


# Images

PICTURE = {
    "type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "PIXELS"}, "mine": 1,
}  # fmt: skip


def screens(number: int) -> list[Raw]:
    made: list[Raw] = [{"role": "user", "content": "Look."}]
    for one in range(number):
        shown = [{"type": "text", "text": f"page {one}"}, PICTURE]
        call = {"type": "tool_use", "id": f"t{one}", "name": "screen", "input": {}}
        result = {"type": "tool_result", "tool_use_id": f"t{one}", "content": shown}
        made.append({"role": "assistant", "content": [call]})
        made.append({"role": "user", "content": [result]})
    return [*made, {"role": "assistant", "content": "Seen."}]


def test_images_count_so_that_a_cut_of_nothing_else_is_one() -> None:
    data = json.dumps(screens(9)).encode()
    made = without_archive(data, wish("compression", preserve_screenshots=False, protect_newest=0))
    assert made.receipt.tokens_in > 9 * IMAGE_TOKENS > made.receipt.tokens_out
    assert b"PIXELS" not in made.data and {cut.kind for cut in made.receipt.cuts} == {IMAGE}
    assert measure(read(made.data).messages, chars4) == made.receipt.tokens_out


ADDRESS = "data:image/png;base64,PIXELS"
SCREEN = {"id": "t", "type": "function", "function": {"name": "screen", "arguments": "{}"}}
BESIDE: dict[str, list[Raw]] = {
    "anthropic": screens(1),
    "openai-chat": [
        *user("Look."), {"role": "assistant", "content": None, "tool_calls": [SCREEN]},
        {"role": "tool", "tool_call_id": "t", "content": [
            {"type": "text", "text": "page"}, {"type": "image_url", "image_url": {"url": ADDRESS}, "mine": 1}]},
    ],
    "openai-responses": [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Look."}]},
        {"type": "function_call", "call_id": "t", "name": "screen", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "t", "output": [
            {"type": "input_text", "text": "page"}, {"type": "input_image", "image_url": ADDRESS, "mine": 1}]},
    ],
    "langchain": [
        {"type": "human", "data": {"content": "Look."}},
        {"type": "ai", "data": {"content": "", "tool_calls": [{"id": "t", "name": "screen", "args": {}}]}},
        {"type": "tool", "data": {"tool_call_id": "t", "content": [
            {"type": "text", "text": "page"}, {"type": "image_url", "image_url": {"url": ADDRESS}, "mine": 1}]}},
    ],
}  # fmt: skip


@pytest.mark.parametrize("form", BESIDE)
def test_an_image_beside_a_text_that_changed_stays_as_it_is(form: str) -> None:
    before = read(json.dumps(BESIDE[form]).encode())
    assert before.format == form
    messages = []
    for message in before.messages:
        shows = has_kind(message.blocks, IMAGE)
        blocks = [
            one.changed("other", "changed", chars4) if shows and one.kind != IMAGE else one
            for one in message.blocks
        ]
        messages.append(message.with_blocks(blocks))
    made = write(before, messages)
    assert b"other" in made and b"page" not in made and b'"mine"' in made


DEEP = '{"plan": ' + "[" * 100_000


def test_a_plan_that_is_nested_without_end_is_no_list_of_things_to_do() -> None:
    planned = Message(ASSISTANT, [Block(CALL, DEEP, call="c1", tool="update_plan")])
    assert all(one.section != OPEN or "not answered" in one.text for one in notes([planned]))


def test_arguments_that_are_nested_without_end_are_mended() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "run", "arguments": DEEP}}
    data = json.dumps(
        [{"role": "user", "content": "Go."}, {"role": "assistant", "tool_calls": [call]}]
    ).encode()
    before = read(data, "openai-chat")
    assert "arguments" in {one.rule for one in check(before)}
    assert not check(before.replace(messages=mend(before)))


def test_a_thought_is_looked_for_in_the_content_whatever_else_a_message_has() -> None:
    parts = [
        {"type": "thinking", "thinking": "hm"},
        {"type": "tool_use", "id": "c1", "name": "run", "input": {}},
    ]
    messages = [
        {"role": "user", "content": "Go."},
        {"role": "assistant", "message": "hi", "content": parts},
    ]
    assert "signature" in {
        one.rule for one in check(read(json.dumps(messages).encode(), "anthropic"))
    }
