"""Settings are read where they stand and edited in place: everything that is not ours stays as it
was written.
"""

from __future__ import annotations

import json
import re
import sys
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from settings_cases import CASES, VALUES

from director_ctx.clients.entries import handler_words, hook_entries, is_ours, readers, shell_line
from director_ctx.clients.json_edit import with_edits
from director_ctx.clients.json_text import NotJson, read_json
from director_ctx.clients.settings_text import (
    containers,
    own_entries,
    read,
    with_entries,
    without_entries,
)
from director_ctx.clients.table import CLIENTS

PROGRAMS = st.sampled_from(
    [("dctx",), ("/a b/it's é/dctx",), ("/usr/bin/python3", "-m", "director_ctx")]
)


@given(VALUES, st.sampled_from([None, 2, "\t"]))
def test_a_document_has_the_value_that_json_gives_it(value: Any, indent: int | str | None) -> None:
    document = read_json(json.dumps(value, indent=indent))
    assert document.root.value == value
    assert not document.loose
    for child in document.root.children:
        assert json.loads(document.text[child.open : child.end]) == child.value


@given(st.text(st.sampled_from('{}[]",:1a \n\\tn-.e'), max_size=12))
@example('{"a":1}x')
@example('{"a" 1}')
@example("[1,,2]")
@example("[,]")
def test_what_json_refuses_is_refused_unless_it_is_only_loose(text: str) -> None:
    try:
        expected = json.loads(text, parse_constant=lambda _: 1 / 0)
    except (ValueError, ZeroDivisionError):
        try:
            assert read_json(text).loose
        except NotJson:
            pass
    else:
        assert read_json(text).root.value == expected


@pytest.mark.parametrize(
    "text", ["", "{", '{"a"', '{"a":', '["', "NaN", "Infinity", "tru", "[" * 100_000, '{"a":"\n"}']
)
def test_broken_text_is_told_with_its_place(text: str) -> None:
    with pytest.raises(NotJson, match=r"line \d+, column \d+"):
        read_json(text)


@given(CASES, PROGRAMS, st.booleans())
def test_installing_adds_our_entries_and_changes_nothing_else(
    case: tuple[str, str], program: tuple[str, ...], prompts: bool
) -> None:
    client, text = CLIENTS[case[0]], case[1]
    entries = hook_entries(client, program, prompts)
    after = with_entries(text, client, entries)
    assert own_entries(after, client) == entries
    assert with_entries(after, client, entries) == after
    before, now = read(text).root.value, read(after).root.value
    assert {key: now[key] for key in before if key != "hooks"} == {
        k: v for k, v in before.items() if k != "hooks"
    }
    for event, groups in before.get("hooks", {}).items():
        assert now["hooks"][event][: len(groups)] == groups
    assert list(now)[: len(before)] == list(before)


@given(CASES, PROGRAMS)
def test_uninstalling_gives_back_what_was_there_even_without_a_receipt(
    case: tuple[str, str], program: tuple[str, ...]
) -> None:
    client, text = CLIENTS[case[0]], case[1]
    after = without_entries(
        with_entries(text, client, hook_entries(client, program)), client, containers(text)
    )
    frame = {} if "version" in read(text).root.value else client.frame
    assert read(after).root.value == {**read(text).root.value, **frame}
    if not frame:
        assert after == text


WITH_COMMENTS = """\
// mine
{
    "theme": "dark", // nice
    /* hooks of the team */
    "hooks": {
        // before tools
        "BeforeTool": [
            {"matcher": "x", "hooks": [{"type": "command", "command": "a"}]}, // first
        ],
    },
    "n": 1.50, // the end
}
"""


def test_comments_commas_at_an_end_and_numbers_stay_as_they_are_written() -> None:
    client = CLIENTS["gemini"]
    after = with_entries(WITH_COMMENTS, client, hook_entries(client, ("dctx",)))
    lines = after.splitlines()
    assert all(line in lines or f"{line}," in lines for line in WITH_COMMENTS.splitlines())
    assert own_entries(after, client) == hook_entries(client, ("dctx",))
    back = without_entries(after, client, containers(WITH_COMMENTS))
    assert read(back).root.value == read(WITH_COMMENTS).root.value
    comments = re.findall(r"//.*|/\*.*\*/", WITH_COMMENTS)
    assert re.findall(r"//.*|/\*.*\*/", back) == comments
    assert '"n": 1.50,' in back


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('{"a": [1, /* x */ 2]}', '{"a": [1, /* x */ 2], "hooks": '),
        ('{"a":1}', '{"a":1,"hooks":{"BeforeTool":['),
        ('{\n\t"a": 1\n}', '{\n\t"a": 1,\n\t"hooks": {\n\t\t"BeforeTool": ['),
        ('{\r\n    "a": 1\r\n}', '{\r\n    "a": 1,\r\n    "hooks": {\r\n        "BeforeTool": ['),
        ("{}", '{\n  "hooks": {\n    "BeforeTool": ['),
        ("", '{\n  "hooks": {\n    "BeforeTool": ['),
        ('{\n  // empty\n}\n', '{\n  // empty\n  "hooks": {\n    "BeforeTool": ['),
        ('{\n  "a": 1 // one\n}\n', '{\n  "a": 1, // one\n  "hooks": {'),
    ],
)  # fmt: skip
def test_new_entries_follow_the_style_of_the_file(text: str, wanted: str) -> None:
    client = CLIENTS["gemini"]
    after = with_entries(text, client, hook_entries(client, ("dctx",)))
    assert after.startswith(wanted)
    assert read(after).root.value["hooks"] == hook_entries(client, ("dctx",))


def test_our_handler_beside_another_in_one_group_goes_alone() -> None:
    text = """{
  "hooks": {
    "Stop": [
      {
        "hooks": [
          {"type": "command", "command": "dctx hook --client claude"},
          {"type": "command", "command": "other"}, // theirs
          {"type": "command", "command": "/x/dctx", "args": ["hook"]}
        ]
      }
    ]
  }
}
"""
    after = without_entries(text, CLIENTS["claude"])
    assert read(after).root.value == {
        "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "other"}]}]}
    }
    assert '{"type": "command", "command": "other"} // theirs\n        ]' in after


def test_a_comment_before_the_comma_of_an_entry_stays() -> None:
    theirs = '{"type": "command", "command": "other"}'
    text = '{"hooks": {"Stop": [{"hooks": [THEIRS /* mine */ , {"command": "dctx hook"}]}]}}'
    after = without_entries(text.replace("THEIRS", theirs), CLIENTS["gemini"])
    left = '{"hooks": {"Stop": [{"hooks": [THEIRS /* mine */]}]}}'
    assert after.replace(" ", "") == left.replace("THEIRS", theirs).replace(" ", "")


def test_what_is_no_group_at_all_stays() -> None:
    ours = {"hooks": [{"type": "command", "command": "dctx hook"}]}
    for odd in (None, 7, "x", [], {}):
        text = json.dumps({"hooks": {"SessionStart": [odd, ours]}})
        for client in CLIENTS.values():
            entry = (
                text
                if not client.flat
                else text.replace(json.dumps(ours), json.dumps(ours["hooks"][0]))
            )
            assert read(without_entries(entry, client)).root.value == {
                "hooks": {"SessionStart": [odd]}
            }


@pytest.mark.parametrize(
    "handler",
    [
        {"command": "dctx hook"},
        {"command": "dctx hook --client codex --part 2"},
        {"command": "'/a b/dctx' hook --client codex"},
        {"command": '"C:\\Program Files\\dctx.exe" hook --client codex'},
        {"command": "/usr/bin/python3 -m director_ctx hook --client claude"},
        {"command": "/venv/bin/dctx", "args": ["hook", "--client", "claude"]},
        {"command": "python", "args": ["-P", "-m", "director_ctx", "hook"]},
        {"command": "dctx hook --client=codex --part=2"},
        {"command": "/venv/bin/dctx", "args": ["hook", "--client=codex"]},
    ],
)
def test_a_call_of_dctx_hook_is_ours_whichever_dctx_it_is(handler: dict[str, Any]) -> None:
    assert is_ours(handler)


@pytest.mark.parametrize(
    "handler",
    [
        {"command": "dctx status"}, {"command": "dctx assemble hook"}, {"command": "echo dctx hook"},
        {"command": "mydctx hook"}, {"command": "hook"},
        {"command": "python -m director_ctx.other hook"}, {"command": "dctx 'hook"}, {"command": 7}, {}, None, "x",
        {"command": "/x/dctx/run hook"}, {"command": "sh -c 'dctx hook'"}, {"type": "http", "url": "dctx hook"},
        {"command": "dctx hook --client gemini; notify-send done && ./my-backup.sh"},
        {"command": "dctx hook --client gemini;./my-backup.sh"}, {"command": "dctx hook --client gemini&"},
        {"command": "dctx hook --client gemini > log"}, {"command": "dctx hook --client $CLIENT"},
        {"command": "./my-backup.sh; python3 -m director_ctx hook"}, {"command": "./my-backup.sh&&/bin/dctx hook"},
        {"command": "-m director_ctx hook"}, {"command": "dctx hook --client"}, {"command": "dctx hook --other x"},
        {"command": "dctx hook --client codex --client codex"}, {"command": "dctx hook --client codex more"},
        {"command": "/venv/bin/dctx", "args": ["hook", "--client", "claude", "x"]},
    ],
)  # fmt: skip
def test_other_handlers_are_not_ours(handler: object) -> None:
    assert not is_ours(handler)


@given(
    st.lists(
        st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1),
        min_size=1,
        max_size=4,
    )
)
def test_a_shell_line_is_read_back_as_its_words(words: list[str]) -> None:
    if not any(word[1:3] == ":\\" or ":\\" in word for word in words):
        assert handler_words({"command": shell_line(tuple(words))}) == words


@pytest.mark.parametrize("name", sorted(CLIENTS))
def test_all_entries_are_ours_and_call_the_client_by_its_name(name: str) -> None:
    client = CLIENTS[name]
    handlers = [
        one
        for groups in hook_entries(client, ("dctx",), True).values()
        for group in groups
        for one in group.get("hooks", [group])
    ]
    assert handlers and all(map(is_ours, handlers))
    for words in map(handler_words, handlers):
        assert "--client" in words and readers(client)[0].name in words


def test_what_codex_is_answered_is_never_cut_in_the_middle() -> None:
    for groups in hook_entries(CLIENTS["codex"], ("dctx",), True).values():
        assert [one["additionalContextLimit"] for one in groups[0]["hooks"]] == [0]


PIECES = st.lists(
    st.tuples(st.text(min_size=1, max_size=4), st.none() | st.text(max_size=3)), max_size=8
)


@given(PIECES, st.randoms())
def test_edits_replace_their_spans_in_whatever_order_they_are_given(
    pieces: list[tuple[str, str | None]], by: Any
) -> None:
    """A piece of the text, and what takes its place; None where it stays."""
    edits, at = [], 0
    for old, new in pieces:
        edits += [(at, at + len(old), new)] if new is not None else []
        at += len(old)
    by.shuffle(edits)
    wanted = "".join(old if new is None else new for old, new in pieces)
    assert with_edits("".join(old for old, _ in pieces), edits) == wanted


class Copied(str):
    """A text that counts what is copied of it."""

    count = 0

    def __getitem__(self, place: Any) -> Copied:
        piece = Copied(super().__getitem__(place))
        Copied.count += len(piece)
        return piece

    def __add__(self, other: str) -> Copied:
        return Copied(super().__add__(other))


def test_many_edits_copy_a_text_once() -> None:
    text = Copied("0123456789" * 500)
    assert with_edits(text, [(at, at + 9, "") for at in range(0, 5_000, 10)]) == "9" * 500
    assert Copied.count <= len(text)


def test_entries_between_comments_are_found_with_steps_in_proportion_to_their_number() -> None:
    client = CLIENTS["gemini"]
    ours = '{"hooks": [{"type": "command", "command": "dctx hook"}]} /* a */, {"hooks": []}'

    def lines(count: int) -> int:
        text = '{"hooks": {"SessionStart": [' + ", ".join([ours] * count) + "]}}"
        steps = 0

        def counted(frame: Any, event: str, argument: Any) -> Any:
            nonlocal steps
            steps += event == "line"
            return counted

        before = sys.gettrace()
        sys.settrace(counted)
        try:
            after = without_entries(text, client)
        finally:
            sys.settrace(before)
        assert own_entries(after, client) == {}
        return steps

    assert lines(400) < 2.5 * lines(200)


@pytest.mark.parametrize("name", sorted(CLIENTS))
def test_a_client_waits_longest_for_what_a_session_needs_and_three_seconds_at_its_end(
    name: str,
) -> None:
    client = CLIENTS[name]
    kinds = {event: kind for reader in readers(client) for event, kind in reader.events.items()}
    for event, groups in hook_entries(client, ("dctx",), prompts=True).items():
        seconds = {
            one["timeout"] / client.timeout_unit
            for group in groups
            for one in group.get("hooks", [group])
        }
        assert seconds == {3 if kinds[event] == "end" else 10}
