"""What a provider would reject is found, and mended without a word being lost."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import Result, process
from hypothesis import given, settings
from hypothesis import strategies as st
from odd_stories import EACH, call, result, stories, told

from director_ctx.history.formats import FORMATS
from director_ctx.history.formats.document import read, write
from director_ctx.history.messages.message import (
    ASSISTANT,
    CALL,
    RESULT,
    SYSTEM,
    TEXT,
    TOOL,
    USER,
    Block,
    Conversation,
    Message,
)
from director_ctx.history.messages.turns import open_loop, rounds
from director_ctx.history.valid.check import check
from director_ctx.history.valid.mend import BEGIN, NO_RESULT, mend


def broken(messages: list[Message], random: Any) -> list[Message]:
    """Messages left out, twice, in another order, empty, with the ids of others or broken
    arguments.
    """
    messages = list(messages)
    for _ in range(random.randint(1, 5)):
        if not messages:
            break
        place, other = random.randrange(len(messages)), random.randrange(len(messages))
        one = messages[place]
        kind = random.choice(["out", "twice", "swapped", "renamed", "emptied", "garbled"])
        if kind == "out":
            del messages[place]
        elif kind == "twice":
            messages.insert(other, one)
        elif kind == "swapped":
            messages[place], messages[other] = messages[other], one
        else:
            blocks = [copy.copy(block) for block in one.blocks]
            for block in blocks:
                if kind == "renamed" and block.call:
                    block.call = "c0_0"
                elif kind == "emptied" and block.kind == TEXT:
                    block.text = ""
                elif kind == "garbled" and block.kind == CALL:
                    block.text = "{"
            messages[place] = one.with_blocks(blocks)
    return messages


@given(stories(), EACH, st.randoms(use_true_random=False))
@settings(max_examples=100)
def test_whatever_is_broken_is_mended_and_no_word_is_lost(
    story: Conversation, form: str, random: Any
) -> None:
    messages = broken(story.messages, random)
    if not messages:
        return
    conversation = read(write(story, messages, form), form)
    mended = mend(conversation)
    assert check(conversation.replace(messages=mended)) == []
    data = write(conversation, mended)
    assert check(read(data, form)) == []
    now = "\n".join(block.text for message in mended for block in message.blocks)
    for message in conversation.messages:
        for block in message.blocks:
            assert block.kind == CALL or not block.text.strip() or block.text in now


@given(stories(), EACH)
@settings(max_examples=30)
def test_nothing_is_wrong_with_what_is_sound_and_mending_leaves_it_alone(
    story: Conversation, form: str
) -> None:
    data = write(story, story.messages, form)
    conversation = read(data, form)
    assert check(conversation) == []
    assert all(
        one is other for one, other in zip(mend(conversation), conversation.messages, strict=True)
    )
    assert write(conversation, mend(conversation)) == data


def rules(messages: list[Message], form: str = "openai-chat") -> list[str]:
    conversation = told(0).replace(messages=messages)
    return [one.rule for one in check(read(write(conversation, messages, form), form))]


def test_each_mistake_has_its_name() -> None:
    start = [Message(USER, [Block(TEXT, "Go.")])]
    asked, end = Message(ASSISTANT, [call("a")]), [Message(USER, [Block(TEXT, "And?")])]
    assert rules([*start, asked, *end]) == ["call"]
    assert rules([*start, result("a"), *end]) == ["result"]
    assert rules([*start, result("a"), asked, *end]) == ["early"]
    assert rules([*start, asked, result("a"), result("a"), *end]) == ["second"]
    late = [*start, asked, *end, result("a")]
    assert rules(late) == rules(late, "anthropic") == ["late"]
    assert rules(late, "openai-responses") == rules(late, "codex") == [], "it only has to come"
    assert rules([*start, result("a"), asked], "codex") == ["early"]
    assert rules(
        [*start, Message(ASSISTANT, [call("a"), call("a")]), result("a"), result("a")]
    ) == ["duplicate"]
    again = [*start, asked, result("a"), asked, result("a"), *end]
    assert rules(again, "anthropic") == rules(again, "openai-responses") == ["duplicate"]
    assert rules(again) == []
    assert rules([*start, Message(ASSISTANT, [call("a", "{")]), result("a")], "codex") == []
    assert rules([asked, result("a"), *end], "anthropic") == ["first"]


def test_of_calls_with_one_id_each_keeps_its_own_result_under_a_name_that_no_other_has() -> None:
    messages = [Message(USER, [Block(TEXT, "Go.")])]
    for number, name in enumerate(("a", "a", "a_2")):
        messages.append(Message(ASSISTANT, [call(name, f'{{"number":{number}}}')]))
    for number, name in enumerate(("a", "a", "a_2")):
        messages.append(Message(TOOL, [Block(RESULT, f"found {number}", call=name)]))

    mended = mend(told(0).replace(messages=messages, format="anthropic"))
    blocks = [block for message in mended for block in message.blocks]
    assert [one.call for one in blocks if one.kind == CALL] == ["a", "a_3", "a_2"]
    found = {one.call: one.text for one in blocks if one.kind == RESULT}
    assert found == {"a": "found 0", "a_3": "found 1", "a_2": "found 2"}


def test_an_empty_answer_is_found_as_soon_as_somebody_spoke_behind_it() -> None:
    begin: list[Any] = [{"role": "user", "content": "Go."}, {"role": "assistant", "content": []}]
    begin[0]["content"] = [{"type": "text", "text": "Go.", "cache_control": {"type": "ephemeral"}}]
    assert check(read(json.dumps(begin).encode(), "anthropic")) == []
    more = [*begin, {"role": "user", "content": "And?"}]
    [problem] = check(read(json.dumps(more).encode(), "anthropic"))
    assert (problem.rule, problem.message) == ("empty", 1)


def test_what_a_client_puts_in_as_the_system_does_not_end_the_work_on_calls() -> None:
    user = Message(USER, [Block(TEXT, "Go.")])
    answer = Message(ASSISTANT, [call("a")])
    note = Message(SYSTEM, [Block(TEXT, "A file changed.")])
    assert open_loop([user, answer, result("a"), note]) == range(1, 3)
    assert open_loop([user, answer, note]) == range(1, 2)
    assert open_loop([user, answer, result("a"), user, note]) == range(0)


def test_a_last_call_without_a_result_is_normal() -> None:
    messages = [*told(1).messages[:-1], Message(ASSISTANT, [call("open")])]
    for form in FORMATS:
        assert rules(messages, form) == [], form


def test_empty_words_are_found_where_the_provider_wants_some() -> None:
    messages = [{"role": "user", "content": [{"type": "text", "text": " "}]}, {"role": "assistant", "content": "Yes."},
                {"role": "user", "content": [{"type": "tool_use_unknown"}, {"type": "text", "text": ""}]}]  # fmt: skip
    conversation = read(json.dumps({"system": "S", "messages": messages}).encode())
    assert [(one.message, one.rule) for one in check(conversation)] == [(1, "empty"), (3, "empty")]
    mended = json.loads(write(conversation, mend(conversation)))
    assert [one["content"] for one in mended["messages"]] == [
        BEGIN,
        "Yes.",
        [{"type": "tool_use_unknown"}],
    ]


def lines(*said: tuple[str, str, list[Any]]) -> bytes:
    """A session of Claude Code, a line for each block: who, which answer, what."""
    made: list[Any] = []
    for number, (role, answer, content) in enumerate(said):
        message = {"role": role, "content": content, **({"id": answer} if answer else {})}
        about = {"uuid": f"u{number}", "parentUuid": f"u{number - 1}" if number else None}
        made.append({"type": role, **about, "sessionId": "s", "message": message})
    return "\n".join(map(json.dumps, made)).encode()


BLANK = {"type": "text", "text": "\n\n"}
USED = {"type": "tool_use", "id": "a", "name": "Read", "input": {}}
FOUND = {"type": "tool_result", "tool_use_id": "a", "content": "x"}


def test_a_blank_line_of_an_answer_is_nothing_that_claude_code_would_be_refused_for() -> None:
    asked = [{"type": "text", "text": "Go."}]
    thought = {"type": "thinking", "thinking": "Hm.", "signature": "s"}
    session = lines(
        ("user", "", asked),
        ("assistant", "m1", [BLANK]),
        ("assistant", "m1", [thought]),
        ("assistant", "m1", [USED]),
        ("user", "", [FOUND]),
        ("assistant", "m2", [BLANK]),
        ("user", "", asked),
    )
    conversation = read(session)
    assert check(conversation) == []
    assert write(conversation, mend(conversation)) == session
    for to in ("anthropic", "openai-chat", "openai-responses"):
        other = read(write(conversation, conversation.messages, to), to)
        assert check(other) == []
        texts = [b.text for one in other.messages for b in one.blocks if b.kind == TEXT]
        assert all(map(str.strip, texts))


def test_a_copy_of_a_session_in_the_same_file_is_no_part_of_it() -> None:
    asked = [{"type": "text", "text": "Go."}]
    whole = lines(
        ("user", "", asked), ("assistant", "m1", [USED]), ("user", "", [FOUND]), ("user", "", asked)
    )
    copy = whole.replace(b'"u', b'"v').replace(b'"vser"', b'"user"').replace(b'"vuid"', b'"uuid"')
    conversation = read(copy + b"\n" + whole)
    assert [message.raw["uuid"] for message in conversation.messages] == ["u0", "u1", "u2", "u3"]
    assert check(conversation) == []


@pytest.mark.parametrize("form", ["anthropic", "openai-chat", "openai-responses"])
def test_nothing_is_put_into_the_mouth_of_anybody_who_said_nothing(form: str) -> None:
    odd = [
        Message(USER, [Block(TEXT, "Go.")]),
        Message(ASSISTANT, []),
        Message(USER, [Block(TEXT, "And?"), Block(TEXT, " ")]),
    ]
    conversation = told(0).replace(format=form, messages=odd)
    mended = mend(conversation)
    assert [message.role for message in mended if message.blocks] == [USER, USER]
    texts = "".join(block.text for message in mended for block in message.blocks)
    assert texts.strip() == "Go.And?"


def test_a_thought_without_its_signature_is_found_only_while_its_calls_are_open() -> None:
    thought = {"type": "thinking", "thinking": "Hm.", "signature": ""}
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "Go."},
        {"role": "assistant", "content": [thought, USED]},
        {"role": "user", "content": [FOUND]},
    ]
    conversation = read(json.dumps(messages).encode())
    assert [one.rule for one in check(conversation)] == ["signature"]
    mended = json.loads(write(conversation, mend(conversation)))
    assert mended[1]["content"] == [{"type": "text", "text": "Hm."}, USED]
    messages += [{"role": "assistant", "content": "Done."}, {"role": "user", "content": "Thanks."}]
    assert check(read(json.dumps(messages).encode())) == []


def test_results_stand_first_for_anthropic() -> None:
    text = {"type": "text", "text": "And?"}
    messages = [{"role": "user", "content": "Go."}, {"role": "assistant", "content": [USED]},
                {"role": "user", "content": [text, FOUND]}]  # fmt: skip
    conversation = read(json.dumps(messages).encode())
    assert [one.rule for one in check(conversation)] == ["inside"]
    assert json.loads(write(conversation, mend(conversation)))[2]["content"] == [FOUND, text]


def test_a_missing_result_is_a_stub_beside_the_others_and_a_missing_beginning_too() -> None:
    story = told(1)
    messages = [*story.messages[2:4], *story.messages[5:], Message(USER, [Block(TEXT, "And?")])]
    conversation = read(write(story, messages, "anthropic"), "anthropic")
    mended = json.loads(write(conversation, mend(conversation)))
    assert mended[0] == {"role": "user", "content": BEGIN}
    assert {part["tool_use_id"]: part["content"] for part in mended[2]["content"]} == {
        "c0_0": "what c0_0 found", "c0_1": NO_RESULT,
    }  # fmt: skip


def test_arguments_that_were_never_cut_are_not_said_to_be_shortened_and_an_empty_content_stays() -> (
    None
):
    def asked(text: str) -> dict[str, Any]:
        one = {"id": "c", "type": "function", "function": {"name": "ls", "arguments": text}}
        answer = {"role": "tool", "tool_call_id": "c", "content": "a"}
        said = {"role": "assistant", "content": "", "tool_calls": [one]}
        return {"messages": [{"role": "user", "content": "Go."}, said, answer]}

    for to in ("openai-chat", "anthropic"):
        conversation = read(json.dumps(asked("ls -F")).encode())
        made = write(conversation, mend(conversation), to)
        assert b"shortened" not in made and b"ls -F" in made and check(read(made)) == []
    first, said, last = conversation.messages
    short = [first, said.with_blocks([said.blocks[0].changed("ls", "cut", len)]), last]
    for messages, wanted in (
        (mend(conversation), '{"arguments":"ls -F"}'),
        (short, '{"shortened":"ls"}'),
    ):
        made = json.loads(write(conversation, messages))["messages"][1]
        assert made["tool_calls"][0]["function"]["arguments"] == wanted and made["content"] == ""


Dctx = Callable[..., Result]


@pytest.fixture
def odd(tmp_path: Path) -> Path:
    story = told(1)
    path = tmp_path / "odd.json"
    path.write_bytes(write(story, [*story.messages[:3], *story.messages[4:]], "openai-chat"))
    return path


def test_the_command_lists_what_is_wrong_and_fails(odd: Path, dctx: Dctx) -> None:
    done = dctx("doctor", str(odd))
    assert (
        done.code == 1 and "The call read (c0_0) has no result." in done.out and "--fix" in done.err
    )
    problems = json.loads(dctx("doctor", str(odd), "--json").out)["problems"]
    assert [(one["message"], one["rule"]) for one in problems] == [(2, "call")]


def test_the_command_prints_it_mended_and_leaves_the_source_alone(odd: Path, dctx: Dctx) -> None:
    before = odd.read_bytes()
    done = dctx("doctor", "--fix", str(odd))
    assert done.code == 0 and "Mended: one problem." in done.err and odd.read_bytes() == before
    again = process("doctor", "-", cwd=odd.parent, stdin=done.out.encode())
    assert (again.code, again.err) == (0, "") and "nothing is wrong" in again.out


def test_what_is_no_conversation_is_said_with_a_hint(tmp_path: Path, dctx: Dctx) -> None:
    (tmp_path / "a.json").write_text('{"name": "dctx"}')
    done = dctx("doctor", str(tmp_path / "a.json"))
    assert (
        done.code == 1 and "not the messages of a conversation" in done.err and "--from" in done.err
    )


PIECES = st.lists(
    st.tuples(
        st.sampled_from([USER, ASSISTANT, TOOL]),
        st.sampled_from([TEXT, CALL, RESULT]),
        st.sampled_from("abc"),
    ),
    max_size=14,
)


@settings(max_examples=100)
@given(PIECES)
def test_a_round_has_a_call_its_results_and_all_between(pieces: list[tuple[str, str, str]]) -> None:
    messages = [
        Message(role, [Block(kind, "x", call="" if kind == TEXT else name)])
        for role, kind, name in pieces
    ]
    found = rounds(messages)
    assert [place for row in found for place in row] == list(range(len(messages)))
    where = {place: number for number, row in enumerate(found) for place in row}
    asked: dict[str, int] = {}
    for place, message in enumerate(messages):
        block = message.blocks[0]
        if block.kind == CALL:
            asked[block.call] = place
        elif block.kind == RESULT:
            assert where[asked.get(block.call, place)] == where[place]


def test_what_a_late_answer_does_not_reach_stays_apart() -> None:
    def said(*blocks: Block) -> Message:
        return Message(ASSISTANT, list(blocks))

    user, words = Message(USER, [Block(TEXT, "Go on.")]), said(Block(TEXT, "I look."))
    first, second, third = (said(call(name)) for name in "abc")
    messages = [user, words, first, second, result("b"), result("a"), user, third, user]
    messages += [result("c"), result("a"), user]
    assert rounds(messages[:10]) == [range(1), range(1, 6), range(6, 7), range(7, 10)]
    assert rounds(messages) == [range(1), range(1, 11), range(11, 12)]
    assert rounds([]) == []
