"""Histories as they are found: forks, circles, half lines, odd bytes, and things that are no
history at all.
"""

from __future__ import annotations

import json
import tracemalloc
from typing import Any

import pytest
from histories import aim, chars4

from director_ctx.base.errors import DctxError
from director_ctx.history.compress.decide import decide
from director_ctx.history.compress.options import Wish
from director_ctx.history.compress.put_back import WholeHistory
from director_ctx.history.formats import FORMATS, Unread
from director_ctx.history.formats.convert import convert
from director_ctx.history.formats.document import read, write
from director_ctx.history.messages.message import (
    ASSISTANT,
    RESULT,
    SYSTEM,
    TOOL,
    USER,
    Conversation,
    said,
)
from director_ctx.history.strategies.config import ContextConfig
from director_ctx.history.strategies.keep import protected
from director_ctx.history.valid.check import check


def line(name: str, parent: str | None, role: str, content: Any, **more: Any) -> dict[str, Any]:
    message = {
        "role": role,
        "content": content,
        **({"id": f"msg_{name}"} if role == "assistant" else {}),
    }
    return {
        "type": role,
        "uuid": name,
        "parentUuid": parent,
        "sessionId": "s",
        "message": message,
        **more,
    }


def lines(*found: Any) -> bytes:
    return b"".join(json.dumps(one).encode() + b"\n" for one in found)


def texts(conversation: Conversation) -> list[str]:
    return [block.text for message in conversation.messages for block in message.blocks]


def unchanged(data: bytes) -> Conversation:
    conversation = read(data)
    assert write(conversation, conversation.messages) == data
    return conversation


TALK = (
    line("a", None, "user", "one"),
    line("b", "a", "assistant", "two"),
    line("c", "b", "user", "three"),
)


def test_a_branch_that_was_left_is_not_read_and_not_lost() -> None:
    conversation = unchanged(
        lines(*TALK, line("x", "b", "user", "instead"), line("y", "x", "assistant", "well"))
    )
    assert texts(conversation) == ["one", "two", "instead", "well"]
    assert conversation.notes == ("1 message on other branches stays in the file as it is.",)


def test_of_two_roots_the_newest_is_followed() -> None:
    assert texts(unchanged(lines(*TALK, line("x", None, "user", "anew")))) == ["anew"]


def test_a_circle_of_parents_ends() -> None:
    circle = [line("a", "c", "user", "one"), *TALK[1:]]
    conversation = unchanged(lines(*circle))
    assert (
        sorted(texts(conversation)) == ["one", "three", "two"] and "circle" in conversation.notes[0]
    )


def test_a_parent_that_is_not_there_is_told() -> None:
    conversation = unchanged(lines(*TALK[1:]))
    assert texts(conversation) == ["two", "three"] and "not there" in conversation.notes[0]


def test_lines_without_ids_are_read_in_their_order() -> None:
    bare = [{"type": one["type"], "message": one["message"]} for one in TALK]
    assert texts(unchanged(lines(*bare))) == ["one", "two", "three"]


def test_sidechains_in_the_same_file_are_not_of_the_conversation() -> None:
    side = [
        line("s", None, "user", "aside", isSidechain=True),
        line("t", "s", "assistant", "well", isSidechain=True),
    ]
    assert texts(unchanged(lines(*TALK, *side))) == ["one", "two", "three"]
    assert texts(unchanged(lines(*side))) == ["aside", "well"]


def test_calls_that_were_made_at_once_keep_all_their_results() -> None:
    def use(name: str) -> list[dict[str, Any]]:
        return [{"type": "tool_use", "id": name, "name": "Read", "input": {}}]

    def answer(name: str) -> list[dict[str, Any]]:
        return [{"type": "tool_result", "tool_use_id": name, "content": f"of {name}"}]

    first, second = line("b", "a", "assistant", use("1")), line("c", "b", "assistant", use("2"))
    second["message"]["id"] = first["message"]["id"]
    found = [TALK[0], first, second, line("d", "b", "user", answer("1")), line("e", "c", "user", answer("2")),
             line("f", "e", "assistant", "end")]  # fmt: skip
    conversation = unchanged(lines(*found))
    assert [
        block.text for one in conversation.messages for block in one.blocks if block.kind == RESULT
    ] == [
        "of 1",
        "of 2",
    ]
    assert check(conversation) == []


def test_after_messages_are_left_out_and_put_in_the_parents_lead_through() -> None:
    found = [
        *TALK,
        line("d", "c", "assistant", "four"),
        line("e", "d", "user", "five"),
        line("f", "e", "assistant", "six"),
    ]
    conversation = unchanged(lines(*found))
    first, *_, last = conversation.messages
    data = write(conversation, [first, said("in between", ASSISTANT, len), last])
    assert write(conversation, [first, said("in between", ASSISTANT, len), last]) == data
    again = read(data)
    assert texts(again) == ["one", "in between", "six"] and again.notes == ()
    assert data.startswith(lines(found[0]))
    one, added, three = (json.loads(row) for row in data.splitlines())
    assert (added["parentUuid"], three["parentUuid"]) == (one["uuid"], added["uuid"])


def test_of_lines_with_one_name_the_last_is_read_and_what_is_kept_stays_on_the_chain() -> None:
    """The first twin is a call of an answer whose other half is read."""
    call = [{"type": "tool_use", "id": "t", "name": "Bash", "input": {}}]
    twin = line("x", "b", "assistant", call)
    twin["message"]["id"] = "msg_b"
    found = [
        *TALK[:2],
        twin,
        TALK[2],
        line("x", "c", "user", "four"),
        line("e", "x", "assistant", "five"),
    ]
    conversation = unchanged(lines(*found))
    assert texts(conversation) == ["one", "two", "three", "four", "five"]
    assert conversation.notes == (
        "1 line has the uuid of a later one, and the model does not read it.",
    )
    for left in range(5):
        kept = [one for one in conversation.messages if one.index != left]
        again = read(write(conversation, kept))
        assert texts(again) == [block.text for one in kept for block in one.blocks], left
        assert len(again.notes) == (left != 3)


def test_a_circle_that_a_second_line_of_one_name_closes_makes_nothing_more_to_be_read() -> None:
    found = [
        line("a", None, "user", "one"), line("x", "a", "assistant", "first"), line("c", "x", "user", "three"),
        line("d", "c", "assistant", "four"), line("x", "d", "user", "again"), line("f", "x", "assistant", "six"),
        line("g", "f", "user", "seven"),
    ]  # fmt: skip
    conversation = unchanged(lines(*found))
    assert (
        texts(conversation) == ["three", "four", "again", "six", "seven"]
        and "circle" in conversation.notes[0]
    )
    for few in range(32):
        kept = [one for one in conversation.messages if one.index == 4 or few >> one.index & 1]
        assert texts(read(write(conversation, kept))) == [
            block.text for one in kept for block in one.blocks
        ], few


def test_what_codex_took_back_takes_nothing_of_ours_back() -> None:
    def item(role: str, text: str) -> dict[str, Any]:
        kind = "output_text" if role == "assistant" else "input_text"
        payload = {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}
        return {
            "timestamp": "2026-01-01T00:00:00.000Z",
            "type": "response_item",
            "payload": payload,
        }

    back = {
        "timestamp": "",
        "type": "event_msg",
        "payload": {"type": "thread_rolled_back", "num_turns": 3},
    }
    first, kept = (
        [item("assistant", "Hello."), item("assistant", "What is it?")],
        [item("user", "Go.")],
    )
    for taken in ([], [item("user", "No."), item("assistant", "Why?")]):
        conversation = unchanged(lines(*first, *taken, back, *kept))
        assert texts(conversation) == ["Hello.", "What is it?", "Go."]
        made = write(conversation, [said("a digest", USER, len), *conversation.messages[1:]])
        assert texts(read(made)) == ["a digest", "What is it?", "Go."]


def test_what_a_hook_of_claude_code_put_in_is_not_what_the_user_said_first() -> None:
    hook = {"type": "attachment", "uuid": "h", "parentUuid": None,
            "attachment": {"type": "hook_additional_context", "content": ["git status: clean"]}}  # fmt: skip
    first, *rest = TALK
    found = read(lines(hook, {**first, "parentUuid": "h"}, *rest)).messages
    assert [one.blocks[0].text for one in found[:2]] == ["git status: clean", "one"]
    assert {1} <= protected(found, aim()) and 0 not in protected(found, aim())


def test_what_a_hook_or_the_client_put_in_is_a_message_where_the_line_says_how_it_was_shown() -> (
    None
):
    shown = {"type": "attachment", "uuid": "h", "parentUuid": "c", "attachment": {"type": "date"},
             "rendered": [{"content": "Today."}], "renderedRole": "system"}  # fmt: skip
    hidden = {
        "type": "attachment",
        "uuid": "i",
        "parentUuid": "h",
        "attachment": {"type": "prompt_snapshot"},
    }
    file = {"type": "attachment", "uuid": "j", "parentUuid": "i",
            "attachment": {"type": "file", "content": {"file": {"content": "alpha"}}}}  # fmt: skip
    conversation = unchanged(lines(*TALK, shown, hidden, file))
    assert [(one.role, one.blocks[0].text) for one in conversation.messages[3:]] == [
        (SYSTEM, "Today."),
        (USER, "alpha"),
    ]
    cut = conversation.messages[4].with_blocks(
        [conversation.messages[4].blocks[0].changed("[cut]", "cut", len)]
    )
    data = write(conversation, [*conversation.messages[:4], cut])
    assert b"alpha" not in data and texts(read(data))[-1] == "[cut]"


def test_a_half_written_last_line_and_foreign_lines_stay_and_are_told() -> None:
    data = lines(*TALK, {"type": "new-kind"}, [1]) + b'{"type":"assistant","mess'
    conversation = unchanged(data)
    assert (
        texts(conversation) == ["one", "two", "three"] and "half written" in conversation.notes[0]
    )
    middle = lines(TALK[0]) + b"not json\n\n" + lines(*TALK[1:])
    assert "line 2" in unchanged(middle).notes[0]
    assert texts(read(b"not json\n" + lines(*TALK))) == ["one", "two", "three"]


def test_what_is_put_in_does_not_run_into_a_half_written_line() -> None:
    conversation = read(lines(*TALK) + b'{"type":"assistant","mess')
    data = write(conversation, [*conversation.messages, said("more", USER, len)])
    assert texts(read(data))[-1] == "more"


CHAT = [{"role": "user", "content": "Grüße \U0001f600"}, {"role": "assistant", "content": "ja"}]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32"])
def test_every_unicode_encoding_is_read(encoding: str) -> None:
    conversation = read(json.dumps(CHAT, ensure_ascii=False).encode(encoding))
    assert json.loads(write(conversation, conversation.messages)) == CHAT


def test_half_surrogates_and_bytes_that_are_no_text_are_written_as_escapes() -> None:
    chat = [{"role": "user", "content": "\ud83d \\\ud83d"}, {"role": "assistant", "content": "ja"}]
    conversation = read(json.dumps(chat).encode())
    assert json.loads(write(conversation, conversation.messages)) == chat
    odd = read(b'[{"role":"user","content":"\xff"}]')
    assert (
        json.loads(write(odd, odd.messages)) == [{"role": "user", "content": "\udcff"}]
        and odd.notes
    )


@pytest.mark.parametrize("style", [{}, {"indent": 2}, {"indent": "\t"}, {"separators": (",", ":")}])
def test_a_document_keeps_its_style(style: dict[str, Any]) -> None:
    unchanged(
        json.dumps(
            {"a": {}, "b": [], "messages": CHAT, "n": [1, [2.5]]}, ensure_ascii=False, **style
        ).encode()
    )


@pytest.mark.parametrize("data", [
    b"", b" \n", b"\xef\xbb\xbf", b"[]", b"{}", b"null", b"12", b"hello", b"[1, 2]", b'{"messages": []}', b'[{"a": 1}]',
    b'{"role": "user"', b'[{"role": "user", "content": "a"}', b"\x00\x01", b"[" * 100_000, b'{"a":' * 100_000,
])  # fmt: skip
def test_what_is_no_history_is_said_in_a_sentence_with_a_hint(data: bytes) -> None:
    with pytest.raises(DctxError) as found:
        read(data)
    assert (
        isinstance(found.value, Unread) and found.value.message.endswith(".") and found.value.hint
    )


def test_conversations_one_a_line_are_to_be_given_one_by_one() -> None:
    with pytest.raises(Unread, match="whole conversation on each") as found:
        read(lines({"traj": CHAT}, {"traj": CHAT}))
    assert "sed -n 1p" in found.value.hint
    assert len(read(lines({"traj": CHAT})).messages) == 2


def test_conversations_as_people_share_them_stay_what_they_are() -> None:
    talk = [{"role": "user", "content": "Hi."}, {"role": "assistant", "content": "Yes?"}]
    for key in ("conversations", "conversation"):
        for indent in (None, 2):
            found = unchanged(
                json.dumps({"id": 7, key: talk, "tags": [1, 2, 3]}, indent=indent).encode()
            )
            assert (found.format, texts(found)) == ("openai-chat", ["Hi.", "Yes?"])
    with pytest.raises(Unread, match="whole conversation on each"):
        read(lines({"conversations": talk}, {"conversations": talk}))


def test_other_json_is_not_said_to_be_none() -> None:
    for value in ({"a": 1}, {"a": [1, 2]}, [1], "a"):
        for indent in (None, 2):
            with pytest.raises(Unread, match="not the messages of a conversation"):
                read(json.dumps(value, indent=indent).encode())


def spoken(role: str, text: str) -> dict[str, Any]:
    side = "output_text" if role == "assistant" else "input_text"
    return {"type": "message", "role": role, "content": [{"type": side, "text": text}]}


@pytest.mark.parametrize(
    ("name", "settings"),
    [("sliding_window", {"window_size": 2}), ("pruning", {}), ("checkpoint", {})],
)
def test_items_of_which_only_words_and_a_digest_are_left_stay_items(
    name: str, settings: dict[str, Any]
) -> None:
    calls = [
        {
            "type": "function_call",
            "call_id": f"c{n}",
            "name": "shell",
            "arguments": json.dumps({"cmd": f"ls {n}"}),
        }
        for n in range(20)
    ]
    results = [
        {"type": "function_call_output", "call_id": f"c{n}", "output": f"src/f{n}.py value\n" * 60}
        for n in range(20)
    ]
    given = [
        spoken("user", "Fix the parser."),
        *(one for both in zip(calls, results, strict=True) for one in both),
    ]
    given += [spoken("assistant", "Done."), spoken("user", "Thanks.")]
    wish = Wish(ContextConfig(**settings), chars4, "chars/4", name, 200)
    made = decide(WholeHistory(json.dumps(given).encode()), wish)
    assert made.receipt.cuts and read(made.data).format == "openai-responses"
    digest = spoken(
        "user", "[… 9 earlier messages. Block N of them: #N. All of them: dctx:000000000000]"
    )
    digest["content"][0]["type"] = "text"
    assert (
        read(json.dumps([digest, spoken("assistant", "Done.")]).encode()).format
        == "openai-responses"
    )
    assert read(json.dumps([{**digest, "type": "message"}]).encode()).format == "anthropic"


REASON = {
    "type": "reasoning",
    "id": "rs_1",
    "summary": [{"type": "summary_text", "text": "Look."}],
    "encrypted_content": "gA",
}
SEARCH = {"type": "web_search_call", "id": "ws_1", "status": "completed"}
ASKED = {"type": "function_call", "call_id": "c", "name": "ls", "arguments": "{}"}


def test_reasons_go_between_formats_with_the_same_items_by_what_is_encrypted_of_them_but_not_alone() -> (
    None
):
    carried = {key: value for key, value in REASON.items() if key != "id"}
    start, answer = (
        {"role": "user", "content": "Go."},
        {"type": "function_call_output", "call_id": "c", "output": "a"},
    )
    for rest, kept in (([REASON, ASKED, answer], 1), ([REASON, SEARCH, start], 0), ([REASON], 0)):
        before = read(json.dumps([start, *rest]).encode())
        there = read(write(before, before.messages, "codex"))
        assert [one.raw for one in there.messages if one.raw.get("type") == "reasoning"] == [
            carried
        ] * kept
        back = read(write(there, there.messages, "openai-responses"))
        assert [one.raw for one in back.messages if one.raw.get("type") == "reasoning"] == [
            carried
        ] * kept
        assert any(
            "thoughts" in note for note in convert(before, before.messages, "codex").notes
        ) == (not kept)
        assert check(there) == []


@pytest.mark.parametrize("junk", [None, 1, "a", [], {"role": 5}, {"role": "user"}, {"role": "user", "content": 5},
                                  {"role": "assistant", "content": [None, 1, {"type": 5}], "tool_calls": [None, {}, 5]},
                                  {"role": "tool", "tool_call_ids": [], "content": {"a": 1}}])  # fmt: skip
@pytest.mark.parametrize("form", FORMATS)
def test_junk_among_messages_never_breaks_and_is_never_lost(form: str, junk: Any) -> None:
    value = [
        *CHAT, junk, {"type": "user", "uuid": "a", "parentUuid": 5, "message": junk},
        {"type": "human", "data": junk}, {"type": "response_item", "payload": junk},
        {"type": "function_call", "arguments": junk}, {"type": "ai", "content": "x", "tool_calls": [junk]},
    ]  # fmt: skip
    try:
        conversation = read(json.dumps(value).encode(), form)
    except Unread:
        # Where nothing is said in this format: the chat is in another one.
        assert form in ("claude-code", "codex")
        return
    check(conversation)
    assert json.loads(write(conversation, conversation.messages)) == value


def test_a_line_of_ten_megabytes_and_an_image_of_twenty_take_no_more_memory_than_they_should() -> (
    None
):
    url = "data:image/png;base64," + "A" * 20_000_000
    image = {"role": "user", "content": [{"type": "image_url", "image_url": {"url": url}}]}
    chat = [
        image,
        {"role": "assistant", "content": "x" * 10_000_000},
        {"role": "user", "content": "\U0001f600"},
    ]
    data = json.dumps(chat, ensure_ascii=False).encode()
    tracemalloc.start()
    conversation = read(data)
    made = write(conversation, conversation.messages)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert made == data and peak < 4 * len(data)
    assert sum(len(text) for text in texts(conversation)) == 10_000_001


def test_an_item_that_is_null_does_not_stand_for_instructions_that_are_not_there() -> None:
    said = {"type": "message", "role": "user", "content": "hi"}
    conversation = unchanged(json.dumps({"model": "m", "input": [None, said]}).encode())
    left = json.loads(write(conversation, conversation.messages[1:]))
    assert left == {"model": "m", "input": [said]}


@pytest.mark.parametrize("odd", [5, True, [{"a": 1}], {"a": 1}])
def test_a_content_that_no_provider_sends_is_carried_over_to_anthropic(odd: Any) -> None:
    asked = {"type": "user", "message": {"role": "user", "content": odd}}
    answered = {"type": "assistant", "message": {"role": "assistant", "content": "Yes."}}
    lines = "\n".join(map(json.dumps, (asked, answered, answered)))
    conversation = read(lines.encode(), "claude-code")
    data = json.loads(write(conversation, conversation.messages, "anthropic"))
    content = data[0]["content"]
    assert content == (odd if isinstance(odd, list) else [odd])


def test_a_broken_line_stays_directly_before_the_row_that_it_stood_before() -> None:
    rows = [
        {"role": "user", "content": "1"},
        {"role": "assistant", "content": "2"},
        {"role": "user", "content": "3"},
    ]
    first, second, third = map(json.dumps, rows)
    lines = [first, "{broken", second, "{broken, too", third]
    conversation = read("\n".join(lines).encode(), "openai-chat")
    shorter = write(conversation, [conversation.messages[0], conversation.messages[2]])
    assert shorter.decode().splitlines() == [first, "{broken", "{broken, too", third]
    whole = write(conversation, conversation.messages)
    assert whole.decode().splitlines() == lines


def test_items_keep_their_ids_behind_a_reason_that_is_still_there() -> None:
    def reason(number: int) -> dict[str, Any]:
        return {"type": "reasoning", "id": f"rs_{number}", "summary": []}

    def answer(number: int) -> dict[str, Any]:
        content = [{"type": "output_text", "text": f"Answer {number}."}]
        return {"type": "message", "id": f"msg_{number}", "role": "assistant", "content": content}

    def asked(text: str) -> dict[str, Any]:
        content = [{"type": "input_text", "text": text}]
        return {"type": "message", "role": "user", "content": content}

    items = [asked("Go."), reason(1), answer(1), answer(2), asked("And?"), reason(3), answer(3)]
    conversation = read(json.dumps(items).encode(), "openai-responses")
    assert json.loads(write(conversation, conversation.messages)) == items

    without_answer = [*conversation.messages[:2], *conversation.messages[3:]]
    written = json.loads(write(conversation, without_answer))
    ids = [item.get("id") for item in written]
    # The first reason has nothing to say aloud, so it goes; what follows asks for it no more.
    assert ids == [None, None, None, "rs_3", "msg_3"]


def test_results_with_words_of_the_user_beside_them_are_the_users() -> None:
    call = {"type": "tool_use", "id": "a", "name": "read", "input": {}}
    picture = {
        "type": "image",
        "source": {"type": "base64", "media_type": "image/png", "data": "A"},
    }
    result = {"type": "tool_result", "tool_use_id": "a", "content": [picture]}
    words = {"type": "text", "text": "Look closely."}
    for parts, role in (([result], TOOL), ([result, words], USER)):
        messages = [{"role": "assistant", "content": [call]}, {"role": "user", "content": parts}]
        conversation = read(json.dumps(messages).encode(), "anthropic")
        assert conversation.messages[1].role == role
