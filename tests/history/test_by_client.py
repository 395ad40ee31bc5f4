"""What a client says in the user's name is nobody's first words: wherever it is asked, the answer
is the same.
"""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from director_ctx.history.formats import load
from director_ctx.history.messages.client_words import OPENINGS, says_client, typed_command
from director_ctx.history.messages.message import SYSTEM, TEXT, USER, Block, Message
from director_ctx.history.messages.target import Aim
from director_ctx.history.sessions.files import File, look
from director_ctx.history.sessions.render import is_context, rows
from director_ctx.history.strategies.config import ContextConfig
from director_ctx.history.strategies.keep import protected

Raw = dict[str, Any]

EACH = [(form, opening) for form, openings in OPENINGS.items() for opening in openings]
TAGS = [opening for _, opening in EACH if opening.endswith(">")]
WORDS = "Fix the list."


def told(opening: str) -> str:
    return f"\n{opening}\nof the client\n" + (f"</{opening[1:]}\n" if opening.endswith(">") else "")


def title(*texts: str) -> str:
    lines = [
        {"type": "user", "uuid": str(n), "message": {"content": text}}
        for n, text in enumerate(texts)
    ]
    with NamedTemporaryFile("w", suffix=".jsonl") as file:
        file.writelines(f"{json.dumps(line)}\n" for line in lines)
        file.flush()
        found = look(File("claude", file.name, 0, Path(file.name).stat().st_size), "")
    assert found
    return found.title


def raws(form: str, *texts: str) -> list[Raw]:
    if form == "claude-code":
        names = ["", *(f"u{n}" for n in range(len(texts)))]
        return [
            {
                "type": "user",
                "uuid": names[n + 1],
                "parentUuid": names[n] or None,
                "message": {"content": text},
            }
            for n, text in enumerate(texts)
        ]
    if form == "codex":
        contents = [[{"type": "input_text", "text": text}] for text in texts]
        items = [{"type": "message", "role": "user", "content": content} for content in contents]
        return [{"type": "response_item", "payload": item} for item in items]
    return [{"type": "user", "id": str(n), "content": text} for n, text in enumerate(texts)]


def first_words(*texts: str) -> list[int]:
    """The places of what stays although the last turn is another, and nothing else holds it."""
    messages = [Message(USER, [Block(TEXT, text)], n) for n, text in enumerate((*texts, "Go on."))]
    found = protected(messages, Aim(len, ContextConfig()))
    return sorted(found - {len(texts)})


def test_of_several_tasks_that_a_client_put_before_the_first_answer_the_last_one_stays() -> None:
    def meta(text: str, index: int) -> Message:
        return Message(USER, [Block(TEXT, text)], index, {"type": "user", "isMeta": True})

    answer = Message("assistant", [Block(TEXT, "Done.")], 2)
    last = Message(USER, [Block(TEXT, "Go on.")], 3)
    messages = [meta("Mend the list.", 0), meta("Mend the tree.", 1), answer, last]
    assert protected(messages, Aim(len, ContextConfig())) == {1, 3}


@pytest.mark.parametrize(("form", "opening"), EACH)
def test_what_a_client_says_is_known_wherever_it_is_asked_about(form: str, opening: str) -> None:
    text = told(opening)
    assert says_client(text)
    assert all(is_context(row) for row in rows([Message(USER, [Block(TEXT, text)])]))
    assert first_words(text, WORDS) == [1]
    assert title(text, WORDS) == WORDS
    if form:
        read = load(form).decode(raws(form, text, WORDS))
        assert [one.role for one in read.messages] == [SYSTEM, USER]


@pytest.mark.parametrize("opening", TAGS)
def test_words_of_the_user_in_the_same_text_are_the_users(opening: str) -> None:
    for text in (
        told(opening) + WORDS,
        f"{told(opening)}{told('<system-reminder>')}{WORDS}",
        f"{opening} {WORDS}",
    ):
        assert not says_client(text)
        assert not any(is_context(row) for row in rows([Message(USER, [Block(TEXT, text)])]))
        assert first_words(text, "More.") == [0]
        assert WORDS in title(text, "More.")
    assert title(told(opening) + WORDS) == WORDS


@pytest.mark.parametrize(
    "text",
    ["<div> fix this", "<div>fix this</div>", "# AGENTS.md is old", "Why <system-reminder>?"],
)
def test_other_tags_and_headings_are_the_users(text: str) -> None:
    assert not says_client(text)
    assert first_words(text, "More.") == [0]
    assert title(text) == text


@given(
    st.lists(
        st.sampled_from(
            [*(told(opening) for _, opening in EACH), WORDS, "", "<div>", "</command-name>"]
        )
    )
)
def test_a_text_has_a_title_if_it_is_not_the_clients(pieces: list[str]) -> None:
    text = "".join(pieces)
    is_typed = not says_client(text) or bool(typed_command(text))
    assert bool(title(text)) == (bool(text.strip()) and is_typed)


def test_a_command_with_words_behind_it_is_a_title_where_nothing_else_was_typed() -> None:
    command = (
        "<command-message>team:review</command-message>\n<command-name>/team:review</command-name>\n"
        "<command-args>the list\nof links</command-args>"
    )
    assert title(command, "<local-command-stdout>done</local-command-stdout>") == (
        "/team:review the list of links"
    )
    assert title(command, WORDS) == WORDS
    assert title("<command-name>/clear</command-name>\n<command-args></command-args>") == ""


def test_what_is_put_beside_a_prompt_is_the_systems_in_no_format() -> None:
    for form in filter(None, OPENINGS):
        for opening in OPENINGS[""]:
            assert [one.role for one in load(form).decode(raws(form, told(opening))).messages] == [
                USER
            ]


def test_a_result_that_looks_like_a_clients_words_is_a_result() -> None:
    part = {"type": "tool_result", "tool_use_id": "t", "content": told("<local-command-stdout>")}
    line = {
        "type": "user",
        "uuid": "u",
        "parentUuid": None,
        "message": {"role": "user", "content": [part]},
    }
    assert [one.role for one in load("claude-code").decode([line]).messages] == ["tool"]


def test_what_the_user_ran_in_a_client_is_no_title() -> None:
    ran = ("<bash-input>ls</bash-input>", "<bash-stdout>a</bash-stdout><bash-stderr></bash-stderr>")
    assert title(*ran, "<user_shell_command>ls</user_shell_command>", WORDS) == WORDS


def session(*said: tuple[str, str, bool]) -> list[Message]:
    """Lines of a session: who, what, and whether the client put it in."""
    lines = [
        {"type": role, "uuid": str(number), "parentUuid": str(number - 1) if number else None, "sessionId": "s",
         "message": {"role": role, "content": text}, **({"isMeta": True} if meta else {})}
        for number, (role, text, meta) in enumerate(said)
    ]  # fmt: skip
    return load("claude-code").decode(lines).messages


CAVEAT = ("user", "Caveat: the messages below were generated.", True)
TASK = ("user", "Mend the parser; never touch tests.", False)
EXPANDED = ("user", "You review pull requests. Review this one.", True)
NAMED = ("user", "<command-name>/review</command-name>", False)
ANSWER = ("assistant", "Yes.", False)


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ([CAVEAT, TASK, ANSWER, TASK], 1),
        ([NAMED, EXPANDED, ANSWER, TASK], 1),
        ([TASK, ANSWER, EXPANDED, ANSWER], 0),
    ],
)
def test_the_task_is_what_somebody_typed_else_what_a_command_stands_for(
    said: list[Any], kept: int
) -> None:
    messages = [
        *session(*said),
        *session(("user", "go on", False), ANSWER, ("user", "and on", False)),
    ]
    found = protected(messages, Aim(count=len, config=ContextConfig()))
    assert {place for place in found if place < len(said) and messages[place].role == "user"} == {
        kept
    }
