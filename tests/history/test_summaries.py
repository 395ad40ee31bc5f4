"""Compressing into a summary: what is taken, what is kept, who writes it, and how it is undone."""

from __future__ import annotations

import io
import json
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pg
import pytest
from conftest import Result, plan, task, write
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from director_ctx import assemble, load_project
from director_ctx.clients.verify.scripted_model import AnswerRule, ScriptedModel
from director_ctx.context.settings.budget import count_chars
from director_ctx.history.handover.handover import ASKED, DECIDED, FILES, HEADINGS, OPEN
from director_ctx.history.messages.message import (
    ASSISTANT,
    CALL,
    RESULT,
    TEXT,
    TOOL,
    USER,
    Block,
    Message,
)
from director_ctx.history.strategies.summary import NoSummary
from director_ctx.history.summaries import summarizers
from director_ctx.history.summaries.extract import extract
from director_ctx.history.summaries.notes import SECTIONS, STATE, TROUBLE
from director_ctx.history.summaries.summaries import (
    NothingNew,
    SummaryWay,
    keep,
    planned,
    undo,
    write_summary,
)
from director_ctx.history.summaries.summarize import (
    SummaryJob,
    fewest_tokens,
    prompt_for,
    summarize,
)
from director_ctx.history.summaries.summarizers import words_of
from director_ctx.memory.conversations import messages
from director_ctx.memory.conversations import summaries as rows
from director_ctx.memory.store.open import open_store
from director_ctx.memory.store.store import Store, new_id

Dctx = Callable[..., Result]
WAY = SummaryWay(count_chars)
FILES_OF = {"VISION.md": "# Vision\n\n## Project Name\nBoat\n", **plan({"01-one.md": task("Hull")})}
SAID: list[tuple[str, str, dict[str, Any] | None]] = [
    ("user", "Build the boat. It must be of oak.", {"kind": "said"}),
    (
        "assistant",
        "I decided to use copper nails instead of iron, because iron rusts.",
        {"kind": "said"},
    ),
    ("tool_call", 'Bash {"command":"nail"}', {"kind": "tool_call", "tool": "Bash", "call": "c1"}),
    (
        "tool",
        "nail: command not found",
        {"kind": "tool_result", "tool": "Bash", "call": "c1", "error": True},
    ),
    ("assistant", "It works now with a hammer.", {"kind": "said"}),
]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "proj", FILES_OF)


@pytest.fixture(params=["sqlite", pg.POSTGRESQL])
def store(request: pytest.FixtureRequest, root: Path) -> Iterator[Store]:
    """A store in either database."""
    if request.param == "sqlite":
        opened = open_store(load_project(root=str(root)), write=True)
    else:
        opened = Store(pg.migrated(request.getfixturevalue("server").database()), new_id(), "proj")
    with opened:
        yield opened


def fill(root: Path, said: Any = SAID) -> None:
    with open_store(load_project(root=str(root)), write=True) as store:
        messages.add(store, said)


def run_one(sql: str, values: tuple[str, ...], writer: Any) -> None:
    writer.run(sql, values)


def compressed(store: Store, text: str = "") -> rows.Compression:
    plan = planned(store, count_chars)
    return keep(store, plan, text or write_summary(plan, WAY), WAY)


def archived(store: Store) -> list[bool]:
    return [
        one.archived
        for one in messages.all_messages(store)
        if '"isCompressed"' not in (one.metadata or "")
    ]


# What is taken


def test_a_compression_archives_its_messages_and_stands_for_them(store: Store) -> None:
    messages.add(store, SAID)
    made = compressed(store, "What was said.")
    assert archived(store) == [True] * 5
    (found,) = rows.compressions(store)
    assert found == made.replace(created_at=found.created_at)
    assert (found.text, found.count, found.created_by, found.summarizer) == (
        "What was said.",
        3,
        "manual",
        "extractive",
    )
    assert found.ratio == round(4 / found.tokens_in, 4) and found.previous is None
    assert found.messages and len(found.messages) == 5
    (summary,) = messages.open_messages(store)
    assert (
        summary.content == "What was said."
        and json.loads(summary.metadata or "")["isCompressed"] is True
    )


def test_the_next_compression_takes_only_what_is_new_and_builds_on_the_one_before(
    store: Store,
) -> None:
    messages.add(store, SAID)
    first = compressed(store)
    with pytest.raises(NothingNew, match="no messages since"):
        planned(store, count_chars)
    messages.add(store, [("user", "Paint it blue.", None), ("assistant", "Done.", None)])
    second = compressed(store)
    assert (second.previous, second.count) == (first.id, 2)
    for kept in ("of oak", "copper nails", "Paint it blue"):
        assert kept in second.text
    assert archived(store) == [True] * 7


def test_the_next_summary_is_the_newest_also_where_a_clock_was_ahead(store: Store) -> None:
    messages.add(store, SAID)
    first = compressed(store)
    ahead = "UPDATE compressed_contexts SET created_at = '2999-01-01T00:00:00.000000Z' WHERE id = ?"
    store.engine.write(store.workflow, partial(run_one, ahead, (first.id,)))
    messages.add(store, [("user", "Go on.", {"kind": "said"})])
    second = compressed(store, "All of it.")
    assert [one.id for one in rows.compressions(store)] == [first.id, second.id]
    assert rows.compressions(store)[-1].text == "All of it."


def test_what_stands_are_sessions_beside_one_another_until_somebody_takes_them_all_up(
    store: Store,
) -> None:
    def of_session(text: str, previous: str | None = None) -> str:
        (one,) = messages.add(store, [("user", text, None)])
        return rows.keep(
            store, rows.NewSummary(text, 1, (one.id,), previous, "extractive", 9, 3, rows.SESSION)
        ).id

    assert rows.standing(store) == []
    first, other = of_session("one"), of_session("two")
    second = of_session("one more", first)
    assert rows.standing(store) == [other, second] and rows.text_of(store, other) == "two"
    messages.add(store, SAID)
    made = compressed(store, "All.")
    assert rows.standing(store) == [made.id] and made.previous == second
    beside = of_session("three")
    assert rows.standing(store) == [made.id, beside]


def test_a_message_that_arrives_meanwhile_stays(store: Store) -> None:
    messages.add(store, SAID)
    plan = planned(store, count_chars)
    messages.add(store, [("user", "Wait!", None)])
    keep(store, plan, "A summary.", WAY)
    assert archived(store) == [True] * 5 + [False]


def test_of_two_at_once_one_wins_and_the_other_says_that_nothing_is_new(root: Path) -> None:
    fill(root)
    ended: list[str] = []

    def work() -> None:
        with open_store(load_project(root=str(root)), write=True) as own:
            plan = planned(own, count_chars)
            ready.wait()
            try:
                ended.append(keep(own, plan, "A summary.", WAY).text)
            except rows.Overtaken as error:
                ended.append(error.message)

    ready = threading.Barrier(2)
    threads = [threading.Thread(target=work) for _ in range(2)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert sorted(text[:30] for text in ended) == ["A summary.", "There is nothing new to compre"]
    with open_store(load_project(root=str(root))) as own:
        assert len(rows.compressions(own)) == 1


def test_undoing_the_newest_brings_everything_back(store: Store) -> None:
    messages.add(store, SAID)
    before = messages.all_messages(store)
    first = compressed(store)
    messages.add(store, [("user", "More.", None)])
    second = compressed(store)
    with pytest.raises(Exception, match="newer ones build on it"):
        undo(store, first.id)
    assert undo(store, second.id[:6])[1] == 1
    assert undo(store, first.id)[1] == 5
    assert [one for one in messages.all_messages(store) if one.content != "More."] == before
    assert rows.compressions(store) == [] and len(messages.open_messages(store)) == 6


def test_a_summary_of_another_program_is_listed_and_cannot_be_undone(
    root: Path, dctx: Dctx
) -> None:
    fill(root)
    with open_store(load_project(root=str(root)), write=True) as own:
        sql = (
            "INSERT INTO compressed_contexts (id, workflow_id, summary, original_message_count, created_at)"
            " VALUES ('f', ?, 'Old.', 4, '2026-01-01T00:00:00.000000Z')"
        )
        own.engine.write(own.workflow, lambda writer: writer.run(sql, (own.workflow,)))
        assert rows.compressions(own)[0].text == "Old."
        with pytest.raises(Exception, match="which messages it stands for"):
            undo(own, "f")
        assert compressed(own).previous == "f"


# The command


def test_the_command_says_how_many_and_asks_nobody_who_is_not_there(root: Path, dctx: Dctx) -> None:
    fill(root)
    done = dctx("history", "summarize", cwd=root)
    assert done.code == 1 and "nobody can be asked" in done.err
    assert (
        "3 messages of the user and the assistant, with 2 calls and results of tools will be replaced by a summary."
        in done.err
    )
    assert "building on" not in done.err
    assert dctx("history", "summarize", "--yes", cwd=root).code == 0
    fill(root, [("user", "More.", None)])
    done = dctx("history", "summarize", "--yes", cwd=root)
    assert (
        "1 message of the user and the assistant will be replaced by a summary, building on the summary of"
        in done.err
    )
    assert done.out.startswith("1 message is archived; its summary ")
    done = dctx("history", "summarize", "--yes", cwd=root)
    assert (
        done.code == 1 and "There is nothing to sum up: the store has no messages since" in done.err
    )


def test_a_preview_prints_the_summary_and_changes_nothing(root: Path, dctx: Dctx) -> None:
    fill(root)
    done = dctx("history", "summarize", "--dry-run", cwd=root)
    assert done.code == 0 and "copper nails" in done.out
    with open_store(load_project(root=str(root))) as own:
        assert rows.compressions(own) == [] and archived(own) == [False] * 5


def test_it_says_when_the_summary_is_longer_than_what_it_stands_for(root: Path, dctx: Dctx) -> None:
    fill(root, [("user", "Go.", None)])
    for way in ("--dry-run", "--yes"):
        assert "The summary is no shorter" in dctx("history", "summarize", way, cwd=root).err
    fill(
        root,
        [
            ("user", "Go on with the keel of the boat. " * 40, None),
            ("assistant", "Done and done. " * 400, None),
        ],
    )
    assert (
        "no shorter"
        not in dctx("history", "summarize", "--yes", "--target-tokens", "100", cwd=root).err
    )


def test_an_image_is_no_request_of_the_user(root: Path, tmp_path: Path, dctx: Dctx) -> None:
    image = {
        "type": "image",
        "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="},
    }
    said = [image, {"type": "text", "text": "Build what is on it."}]
    talk = [
        {"role": "user", "content": said},
        {"role": "assistant", "content": [{"type": "text", "text": "Done."}]},
    ]
    (tmp_path / "talk.json").write_text(json.dumps(talk))
    assert dctx("history", "import", str(tmp_path / "talk.json"), cwd=root).code == 0
    assert "[image]" in dctx("history", "show", "store", cwd=root).out
    text = json.loads(dctx("history", "summarize", "--yes", "--json", cwd=root).out)["summary"]
    assert section(text, ASKED) == ["Build what is on it."]


class Person(io.StringIO):
    """Somebody at a terminal."""

    def isatty(self) -> bool:
        return True


def asked(
    dctx: Dctx, root: Path, monkeypatch: pytest.MonkeyPatch, answers: str, *words: str
) -> str:
    monkeypatch.setattr("sys.stdin", Person(answers))
    return dctx("history", "summarize", *words, cwd=root).err


def test_a_person_knows_that_the_summary_is_no_shorter_before_agreeing(
    root: Path, dctx: Dctx, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(root, [("user", "Go.", None)])
    err = asked(dctx, root, monkeypatch, "n\n")
    assert (
        err.index("no shorter") < err.index("Replace them by the summary?")
        and "No summary was kept." in err
    )
    assert "No summary was kept." not in asked(dctx, root, monkeypatch, "y\n")


def test_of_a_summary_that_costs_something_a_person_is_asked_again_where_it_is_no_shorter(
    root: Path, tmp_path: Path, dctx: Dctx, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(root, [("user", "Go.", None)])
    using = ("--using", script(tmp_path, "print('It was all about the boat. ' * 9)"))
    err = asked(dctx, root, monkeypatch, "y\nn\n", *using)
    order = (
        "Replace them by the summary?",
        "no shorter",
        "Keep the longer summary all the same?",
        "No summary was kept.",
    )
    assert [err.index(words) for words in order] == sorted(err.index(words) for words in order)
    with open_store(load_project(root=str(root))) as own:
        assert rows.compressions(own) == []
    assert "no shorter" not in asked(dctx, root, monkeypatch, "n\n", *using)
    done = dctx("history", "summarize", "--yes", *using, cwd=root)
    assert done.code == 0 and "no shorter" in done.err and "archived" in done.out


def test_it_warns_when_it_is_too_soon_and_when_an_error_is_open(root: Path, dctx: Dctx) -> None:
    fill(root, SAID[:4])
    err = dctx("history", "summarize", "--dry-run", cwd=root).err
    assert "It is soon to compress" in err and "An error is still open: Bash" in err
    fill(
        root,
        [
            ("user", "word " * 6000, None),
            *SAID[2:3],
            ("tool", "fine", {"tool": "Bash", "call": "c1"}),
        ],
    )
    err = dctx("history", "summarize", "--dry-run", cwd=root).err
    assert "soon" not in err and "open" not in err


def acted(command: str, ended: str, name: str) -> list[tuple[str, str, dict[str, Any] | None]]:
    about = {"tool": "bash", "call": name}
    text = f'bash {{"command": "{command}"}}'
    return [
        ("tool_call", text, {"kind": "tool_call", **about}),
        ("tool", ended, {"kind": "tool_result", **about}),
    ]


def test_an_error_is_open_through_any_number_of_compressions_until_the_same_goes_well(
    root: Path, dctx: Dctx
) -> None:
    fill(root, [*acted("pytest a.py", "Exit code 1\nKeyError", "1"), *acted("ls", "a.py", "2")])
    for _ in range(2):
        done = dctx("history", "summarize", "--yes", "--json", cwd=root)
        assert "An error is still open: bash" in done.err and "solved" not in done.out
        assert "KeyError" in " ".join(section(json.loads(done.out)["summary"], OPEN))
        fill(root, [("user", "How is the weather?", None)])
    fill(root, acted("cd . && pytest -x a.py", "1 passed", "3"))
    done = dctx("history", "summarize", "--yes", "--json", cwd=root)
    text = json.loads(done.out)["summary"]
    assert (
        "An error" not in done.err
        and section(text, OPEN) == []
        and "KeyError -> solved: bash" in text
    )


def test_of_many_open_errors_the_newest_are_named(root: Path, dctx: Dctx) -> None:
    fill(root, [one for n in range(5) for one in acted(f"make {n}", "Exit code 2\nno", f"{n}")])
    err = dctx("history", "summarize", "--dry-run", cwd=root).err
    assert err.count("An error is still open") == 3 and "make 4" in err and "make 1" not in err
    assert "So are 2 more." in err


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        (("--select", "1,5"), [1, 5]),
        (("--select", "5"), [5]),
        (("--select", "1-2,4"), [1, 2, 3, 4]),
    ],
)
def test_chosen_messages_are_compressed_by_their_numbers(
    words: tuple[str, ...], kept: list[int], root: Path, dctx: Dctx
) -> None:
    fill(root)
    done = dctx("history", "summarize", "--yes", *words, cwd=root)
    assert done.code == 0
    assert ("so 1 more message is taken with those" in done.err) == (3 in kept)
    shown = json.loads(dctx("history", "show", "store", "--json", cwd=root).out)["messages"]
    assert [row["number"] for row in shown if row["archived"]] == kept


def test_a_turn_is_never_split_also_where_it_makes_several_calls(root: Path, dctx: Dctx) -> None:
    one, two = acted("ls", "a.py", "1"), acted("pwd", "/x", "2")
    said = ("assistant", "Let me look.", None)
    fill(
        root,
        [
            ("user", "Go.", None),
            said,
            one[0],
            two[0],
            one[1],
            two[1],
            ("assistant", "Well.", None),
            said,
        ],
    )
    done = dctx("history", "summarize", "--yes", "--select", "3", cwd=root)
    assert (
        "A turn is never split, so 4 more messages are taken with those that you chose." in done.err
    )
    with open_store(load_project(root=str(root))) as own:
        assert archived(own) == [False, *[True] * 5, False, False]


def test_restore_takes_back_the_newest_summary_by_the_start_of_its_id(
    root: Path, dctx: Dctx
) -> None:
    fill(root)
    first = json.loads(dctx("history", "summarize", "--yes", "--json", cwd=root).out)["id"]
    fill(root, [("user", "Go on.", {"kind": "said"})])
    second = json.loads(dctx("history", "summarize", "--yes", "--json", cwd=root).out)["id"]
    done = dctx("restore", first[:8], cwd=root)
    assert done.code == 1 and f"Undo {second[:8]}" in done.err
    done = dctx("restore", second[:8], cwd=root)
    assert (done.code, done.out) == (
        0,
        "",
    ) and "its 1 message is back in the conversation." in done.err
    assert "(archived) User 1" in dctx("history", "show", "store", cwd=root).out
    done = dctx("restore", first, cwd=root)
    assert done.code == 0 and "its 5 messages are back in the conversation." in done.err
    with open_store(load_project(root=str(root))) as own:
        assert archived(own) == [False] * 6 and len(messages.all_messages(own)) == 6
    assert (
        "copper nails"
        not in assemble(load_project(root=str(root)), "director").text.partition("(7)")[2]
    )
    assert dctx("restore", first, cwd=root).code == 1


def test_a_start_that_means_several_summaries_restores_none(root: Path, dctx: Dctx) -> None:
    sql = (
        "INSERT INTO compressed_contexts (id, workflow_id, summary, original_message_count, created_at)"
        " VALUES ('abcd' || ?, ?, 'Old.', 4, '2026-01-01T00:00:00.000000Z')"
    )
    with open_store(load_project(root=str(root)), write=True) as own:
        messages.add(own, SAID)
        for name in ("1", "2"):
            own.engine.write(own.workflow, partial(run_one, sql, (name, own.workflow)))
    done = dctx("restore", "abcd", cwd=root)
    assert done.code == 1 and "abcd is the start of 2 summaries." in done.err


@pytest.mark.parametrize("wrong", ["x", "1-", "-3", "1--2", ""])
def test_a_wrong_range_is_one_sentence(wrong: str, root: Path, dctx: Dctx) -> None:
    fill(root)
    assert dctx("history", "summarize", "--dry-run", f"--select={wrong}", cwd=root).code == 2


def test_archived_messages_stay_visible_and_searchable_and_the_director_sees_the_summary(
    root: Path, dctx: Dctx
) -> None:
    fill(root)
    dctx("history", "summarize", "--yes", cwd=root)
    fill(root, [("user", "Go on.", {"kind": "said"})])
    assert "(archived) User 1: Build the boat." in dctx("history", "show", "store", cwd=root).out
    assert (
        "store:1 user (archived): Build the boat."
        in dctx("history", "search", "of oak", cwd=root).out
    )
    text = assemble(load_project(root=str(root)), "director").text
    said = text.partition("(6) CONVERSATION HISTORY\n")[2].partition("\n\n(7) COMPRESSED CONTEXT\n")
    assert said[0] == "User 1: Go on." and "copper nails" in said[2]


def test_summaries_are_listed_shown_and_exported(root: Path, dctx: Dctx) -> None:
    done = dctx("history", "list", "--summaries", cwd=root)
    assert done.out == "" and "There is no summary yet." in done.err
    fill(root)
    first = json.loads(dctx("history", "summarize", "--yes", "--json", cwd=root).out)
    fill(root, [("user", "Go on.", None)])
    second = json.loads(dctx("history", "summarize", "--yes", "--json", cwd=root).out)
    exported = json.loads(dctx("history", "list", "--summaries", "--json", cwd=root).out)
    assert exported == [first, second] and second["previous"] == first["id"]
    table = dctx("history", "list", "--summaries", cwd=root).out
    assert first["id"][:8] in table and second["id"][:8] in table
    newest = dctx("history", "list", "--summaries", "--last", "1", cwd=root).out
    assert second["id"][:8] in newest and "\n" + first["id"][:8] not in newest
    shown = dctx("history", "show", first["id"][:8], cwd=root)
    assert shown.out.strip() == first["summary"].strip()
    assert json.loads(dctx("history", "show", first["id"], "--json", cwd=root).out) == first
    assert dctx("history", "show", "zzz", cwd=root).code == 1


# Who writes it


def script(tmp_path: Path, code: str) -> str:
    path = tmp_path / "write.py"
    path.write_text(f"import sys, time, os\n{code}\n")
    return f"{sys.executable} {path}"


def test_a_command_is_given_the_prompt_with_fresh_parts_and_its_output_is_the_summary(
    root: Path, tmp_path: Path, dctx: Dctx
) -> None:
    fill(root)
    using = script(
        tmp_path,
        "open(sys.argv[1], 'w').write(sys.stdin.read()); print('It was all about the boat.')",
    )
    done = dctx(
        "history",
        "summarize",
        "--yes",
        "--json",
        "--using",
        f"{using} {tmp_path / 'seen'}",
        cwd=root,
    )
    assert json.loads(done.out)["summary"] == "It was all about the boat."
    seen = (tmp_path / "seen").read_text()
    assert seen.startswith("You are the Director and your context window is getting full.")
    assert '"description": "Hull"' in seen and "You direct this project" in seen
    assert (
        "User 1: Build the boat." in seen and "calling_tool: Bash" in seen and "~20K tokens" in seen
    )
    fill(root, [("user", "Go on.", None)])
    dctx("history", "summarize", "--yes", "--using", f"{using} {tmp_path / 'seen'}", cwd=root)
    seen = (tmp_path / "seen").read_text()
    assert (
        "WHICH YOURS REPLACES:\nIt was all about the boat." in seen
        and "Build the boat." not in seen
    )


def test_a_prompt_that_no_window_may_hold_is_warned_of_before_anybody_is_asked(
    root: Path, tmp_path: Path, dctx: Dctx
) -> None:
    fill(root)
    using = ("--using", script(tmp_path, "print('It was all about the boat.')"))
    assert "is large" not in dctx("history", "summarize", "--dry-run", *using, cwd=root).err
    write(root, {"dctx.yaml": "hooks: {warn: 300, urgent: 400}\n"})
    done = dctx("history", "summarize", *using, cwd=root)
    assert "tokens, and 400 are the limit." in done.err and "Summarize earlier" in done.err
    assert done.err.index("is large") < done.err.index("nobody can be asked")
    assert (
        "and 400 are the limit." in dctx("history", "summarize", "--dry-run", *using, cwd=root).err
    )
    assert "is large" not in dctx("history", "summarize", "--dry-run", cwd=root).err
    fill(root, [("user", "word " * 150_000, None)])
    (root / ".director/dctx.yaml").unlink()
    assert (
        "and 180,000 are the limit."
        in dctx("history", "summarize", "--dry-run", *using, cwd=root).err
    )


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("sys.exit(3)", "its exit code was 3"),
        ("sys.stderr.write('no key\\n'); sys.exit(1)", "no key"),
        ("", "it is empty"),
        ("print('   ')", "it is empty"),
        ("print('word ' * 100_000)", "tokens, and 20,000 were wanted"),
        ("sys.stdout.buffer.write(bytes(range(256)) * 9)", "is no text"),
        ("print('\\x1b\\x00 abc')", "anybody could read"),
        ("print('%&/ 123 ' * 30)", "anybody could read"),
        ("time.sleep(60)", "longer than 1 seconds"),
        ("os.write(1, b'x' * 9_000_000)", "without end"),
    ],
)
def test_a_summary_that_failed_changes_nothing(
    code: str,
    why: str,
    root: Path,
    tmp_path: Path,
    dctx: Dctx,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fill(root)
    monkeypatch.setattr(summarizers, "SECONDS", 1 if "sleep" in code else 20)
    done = dctx("history", "summarize", "--yes", "--using", script(tmp_path, code), cwd=root)
    assert done.code == 1 and why in done.err and done.out == "", done
    with open_store(load_project(root=str(root))) as own:
        assert rows.compressions(own) == [] and archived(own) == [False] * 5


@pytest.mark.parametrize(
    "text",
    [
        "L'erreur\u00a0: le bateau prend l'eau\u202f; on le r\u00e9pare.",
        "\u8239\u304c\u6f0f\u308c\u308b\u3000\u76f4\u3059",
        "The sailor \U0001f469\u200d\u2708\ufe0f mends\u200b the boat.",
    ],
)
def test_a_summary_is_readable_in_whatever_language(
    text: str, root: Path, tmp_path: Path, dctx: Dctx
) -> None:
    fill(root)
    code = f"sys.stdout.buffer.write({text.encode()!r})"
    done = dctx("history", "summarize", "--yes", "--using", script(tmp_path, code), cwd=root)
    assert done.code == 0, done
    with open_store(load_project(root=str(root))) as own:
        assert rows.compressions(own)[0].text.strip() == text


def test_a_command_that_is_too_late_ends_with_everything_that_it_started(
    root: Path, tmp_path: Path, dctx: Dctx, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(root)
    monkeypatch.setattr(summarizers, "SECONDS", 2)
    begin = "import subprocess\nchild = subprocess.Popen(['sleep', '60'])\n"
    code = f"{begin}open(sys.argv[1], 'w').write(str(child.pid))\ntime.sleep(60)"
    pid = tmp_path / "pid"
    started = time.monotonic()
    done = dctx(
        "history",
        "summarize",
        "--yes",
        "--using",
        f"{script(tmp_path, code)} {pid}",
        cwd=root,
    )
    assert done.code == 1 and time.monotonic() - started < 30
    for _ in range(100):
        if not _runs(int(pid.read_text())):
            break
        time.sleep(0.05)
    assert not _runs(int(pid.read_text()))


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_shell_is_used_only_where_something_is_for_a_shell() -> None:
    assert words_of("claude -p 'sum it up'") == ["claude", "-p", "sum it up"]
    assert words_of("cat | head -5") == ["sh", "-c", "cat | head -5"]
    assert words_of("claude -p $MODEL")[:2] == ["sh", "-c"]
    for wrong in ("", "'open"):
        with pytest.raises(Exception, match="--using"):
            words_of(wrong)


def test_a_client_that_writes_the_summary_is_given_no_context_of_ours(
    root: Path, tmp_path: Path, dctx: Dctx
) -> None:
    fill(root)
    using = script(tmp_path, "print('hooks are', os.environ['DCTX_HOOKS'])")
    assert (
        "hooks are off" in dctx("history", "summarize", "--dry-run", "--using", using, cwd=root).out
    )


@pytest.mark.parametrize("provider", ["anthropic", "openai"])
def test_a_provider_writes_the_summary(
    provider: str, root: Path, dctx: Dctx, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip(provider)
    fill(root)
    with ScriptedModel([AnswerRule("All about the boat.", when="is getting full")]) as model:
        for name, end in (("ANTHROPIC", ""), ("OPENAI", "/v1")):
            monkeypatch.setenv(f"{name}_BASE_URL", f"{model.url}{end}")
            monkeypatch.setenv(f"{name}_API_KEY", "not-a-key")
        done = dctx(
            "history", "summarize", "--dry-run", "--using", f"{provider}:scripted", cwd=root
        )
        assert done.out == "All about the boat.\n", done
        assert "User 1: Build the boat." in model.conversations[0].said
        monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
        monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9")
        done = dctx(
            "history", "summarize", "--dry-run", "--using", f"{provider}:scripted", cwd=root
        )
        assert done.code == 1 and "wrote no summary" in done.err


def test_a_provider_without_its_library_or_a_model_is_one_sentence(
    root: Path, dctx: Dctx, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(root)
    monkeypatch.setitem(sys.modules, "anthropic", None)
    done = dctx("history", "summarize", "--dry-run", "--using", "anthropic:x", cwd=root)
    assert done.code == 1 and "director-ctx[summarizers]" in done.err
    done = dctx("history", "summarize", "--dry-run", "--using", "anthropic:", cwd=root)
    assert done.code == 2 and "which model?" in done.err


def test_outside_of_a_project_the_parts_of_a_prompt_are_empty() -> None:
    prompt = prompt_for(SummaryJob([said(USER, "Hi")], "", 20_000, count_chars))
    assert "- Current Plan: (none)" in prompt and "User 1: Hi" in prompt


# The built-in one


def said(role: str, text: str) -> Message:
    return Message(role, [Block(TEXT, text)])


def called(
    tool: str, arguments: str, result: str, error: bool = False, call: str = "c"
) -> list[Message]:
    return [
        Message(ASSISTANT, [Block(CALL, arguments, call=call, tool=tool)]),
        Message(TOOL, [Block(RESULT, result, call=call, tool=tool, error=error)]),
    ]


def chars4(text: str) -> int:
    return (len(text) + 3) // 4


def section(text: str, name: str) -> list[str]:
    after = text.partition(f"## {name}\n\n")[2].partition("\n\n## ")[0]
    return [line.removeprefix("- ") for line in after.strip().splitlines()]


def test_what_must_not_get_lost_is_in_the_summary() -> None:
    run = [
        said(USER, "Never touch main.py. Use tabs."),
        said(ASSISTANT, "Let me see.\nWe go with SQLite rather than files, since it is safe."),
        *called("Bash", '{"command":"make"}', "Exit code 2\nmake: no rule for all", True, "1"),
        *called("Bash", '{"command":"cd hull && make -j4"}', "ok", False, "2"),
        *called("Edit", '{"file_path":"src/app.py"}', "done", False, "3"),
        *called("create_node", '{"name":"login"}', "Node created with ID node_123", False, "4"),
        *called(
            "TodoWrite",
            '{"todos":[{"content":"Ship it","status":"pending"},{"content":"Old","status":"completed"}]}',
            "ok",
            False,
            "5",
        ),
        *called("Read", '{"file_path":"gone.py"}', "Exit code 1\nno such file", True, "6"),
    ]
    text = extract(run, "", 20_000, count_chars)
    assert section(text, ASKED) == ["Never touch main.py. Use tabs."]
    assert section(text, DECIDED) == ["We go with SQLite rather than files, since it is safe."]
    assert (
        'make: no rule for all -> solved: Bash {"command":"cd hull && make -j4"}'
        in section(text, TROUBLE)[0]
    )
    assert section(text, FILES) == ["src/app.py (1 edit)"]
    assert "Node created with ID node_123" in text
    assert section(text, OPEN)[0] == "Ship it" and "no such file" in section(text, OPEN)[1]
    assert "Old" not in section(text, OPEN)


CREATED = [
    "Created node {0}.",
    "Created node {0} (http_request) with a timeout of 30 s.",
    'I\'ve added a "Send mail" node {0} after the login.',
    "Node {0} was created and connected to the one before.",
    "The trigger of node {0} is now configured for 9 o'clock.",
    "I set `retries_{0}` to 5.",
    "Variable user_{0} = 42.",
    '✅ Created "Fetch orders" (node_{0})',
]
FIXED = [
    "We fixed problem {0} by waiting for the page.",
    "Problem {0} was solved by a new selector.",
    "Resolved {0}: the button was behind a banner.",
    "The login {0} kept failing until I cleared the cookies.",
    "Ran into rate limit {0}; worked around it with a delay.",
    "The fix of {0} was simple: read the header first. The fix: read header {0}.",
]


@pytest.mark.parametrize(("sentences", "heading"), [(CREATED, STATE), (FIXED, TROUBLE)])
def test_what_was_created_and_how_problems_were_solved_is_kept_in_the_words_of_the_agent(
    sentences: list[str], heading: str
) -> None:
    told = [sentence.format(number) for number, sentence in enumerate(sentences * 3)]
    run = [
        one
        for text in told
        for one in (said(USER, "Go on."), said(ASSISTANT, f"I look at the page. {text}"))
    ]
    run += [said(ASSISTANT, "Now I read on.") for _ in range(300)]
    text = extract(run, "", 20_000, chars4)
    for _ in range(3):
        text = extract([said(USER, "Next."), said(ASSISTANT, "Reading.")], text, 20_000, chars4)
    kept = "\n".join(section(text, heading))
    assert [one for one in told if one.rpartition(". The")[2] not in kept and one not in kept] == []


def test_what_is_listed_below_such_a_heading_is_kept_too() -> None:
    answer = "Here is where we are.\n\n**Created nodes:**\n\n- Login, type form\n- Cart, type loop\n\nI go on now."
    text = extract([said(USER, "Build it."), said(ASSISTANT, answer)], "", 20_000, chars4)
    assert section(text, STATE) == ["- Login, type form", "- Cart, type loop"]


@pytest.mark.parametrize("text", [
    "Let me create the next node of it.", "Node 5 should be created later on.", "Nothing was fixed by all of this.",
    "I will set timeout to 3 seconds.", "If the node is created twice, it fails.", "Was node 4 created before it?",
])  # fmt: skip
def test_what_is_planned_denied_or_asked_was_not_done(text: str) -> None:
    found = extract(
        [said(USER, "Build it."), said(ASSISTANT, text), said(ASSISTANT, "I go on.")],
        "",
        20_000,
        chars4,
    )
    assert section(found, STATE) == section(found, TROUBLE) == []


def test_the_configuration_of_a_node_is_kept_and_of_the_state_what_was_read_last() -> None:
    config = json.dumps(
        {
            "name": "login",
            "type": "form",
            "config": {"url": "https://a.example/" + "x" * 150, "wait": 9},
        }
    )
    run = [
        said(USER, "Build it."),
        *called("mcp__flow__create_node", config, "Node created with ID node_1", False, "1"),
        *called("get_variables", "{}", '{"total": 1}', False, "2"),
        *called("connectNodes", '{"from": "node_1", "to": "node_2"}', "ok", False, "3"),
        *called("get_variables", "{}", '{"total": 2}', False, "4"),
        *called("list_files", "{}", "a.py", False, "5"),
    ]
    kept = section(extract(run, "", 20_000, chars4), STATE)
    assert [line.partition(" ")[0] for line in kept] == [
        "mcp__flow__create_node",
        "connectNodes",
        "get_variables",
    ]
    assert '"wait": 9' in kept[0] and "node_1" in kept[0]
    assert '{"total": 2}' in kept[2]


def test_an_earlier_summary_is_an_input_and_what_was_open_then_is_not_open_now() -> None:
    first = extract(
        [said(USER, "Only oak."), *called("Bash", "{}", "Exit code 1\nbroken", True)],
        "",
        20_000,
        count_chars,
    )
    assert "broken" in " ".join(section(first, OPEN))
    second = extract(
        [said(USER, "And blue."), *called("Bash", "{}", "fine")], first, 20_000, count_chars
    )
    assert section(second, ASKED) == ["Only oak.", "And blue."] and section(second, OPEN) == []


def test_an_earlier_summary_of_somebody_else_stays_as_it_is_through_any_number_of_compressions() -> (
    None
):
    theirs = "The boat is 12 m long.\n\nIts owner is Ada."
    text = extract([said(USER, "Go on.")], theirs, 20_000, count_chars)
    for number in range(3):
        text = extract([said(USER, f"Step {number}.")], text, 20_000, count_chars)
    assert "12 m long" in text and "Ada" in text and text.count("## Earlier") == 1
    assert section(text, ASKED) == ["Go on.", "Step 0.", "Step 1.", "Step 2."]


TEXTS = st.lists(
    st.sampled_from("I decided on it. Error! must never, so that\n- ## Open 🚤 \x00".split(" ")),
    max_size=30,
)
TURNS = st.one_of(
    st.builds(
        lambda role, words: [said(role, " ".join(words))], st.sampled_from([USER, ASSISTANT]), TEXTS
    ),
    st.builds(
        lambda tool, words, error: called(tool, " ".join(words), " ".join(words), error),
        st.sampled_from(["Bash", "Edit", "set_x"]),
        TEXTS,
        st.booleans(),
    ),
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(TURNS, max_size=8), st.text(max_size=100), st.integers(1, 400))
def test_the_summary_is_never_longer_than_its_target_and_always_the_same(
    run: Any, previous: str, target: int
) -> None:
    flat = [one for turn in run for one in turn]
    text = extract(flat, previous, target, count_chars)
    assert count_chars(text) <= target
    assert extract(flat, previous, target, count_chars) == text
    headings = [line[3:] for line in text.splitlines() if line.startswith("## ")]
    assert (
        headings == [name for name in (*HEADINGS, "Earlier", *SECTIONS) if name in headings]
        or "## " in previous
    )


def test_of_little_room_the_newest_constraints_are_kept() -> None:
    run = [said(USER, f"You must keep rule {number}. " + "word " * 30) for number in range(200)]
    text = extract(run, "", 500, count_chars)
    assert "rule 199" in text and "rule 3." not in text and count_chars(text) > 300


@pytest.mark.parametrize(
    ("tokens", "fewest"),
    [(28, 0), (1_000, 10), (9_000, 90), (29_347, 100), (180_000, 100)],
    ids=str,
)
def test_a_summary_that_somebody_writes_has_at_least_so_many_tokens(
    tokens: int, fewest: int
) -> None:
    job = SummaryJob([said(USER, "word" * tokens)], "", 20_000, count_chars)
    assert fewest_tokens(job) == fewest
    assert fewest_tokens(job.replace(target=20)) == min(fewest, 10)


def test_what_a_command_says_in_five_words_is_no_summary_of_a_long_conversation(
    root: Path, tmp_path: Path, dctx: Dctx
) -> None:
    long = [
        {"role": "user", "content": "Build the boat. " * 2_000},
        {"role": "assistant", "content": "It floats."},
    ]
    (tmp_path / "talk.json").write_text(json.dumps(long))
    dctx("history", "import", str(tmp_path / "talk.json"), cwd=root)
    short = (
        "history",
        "summarize",
        "--yes",
        "--using",
        script(tmp_path, "print('Credit balance is too low')"),
    )
    done = dctx(*short, cwd=root)
    assert (
        done.code == 1
        and re.search(r"it has \d tokens for 8,0", done.err)
        and "has at least 80" in done.err
    )
    assert (
        "--target-tokens" in done.err
        and "2 messages of" in dctx("history", "summarize", "--dry-run", cwd=root).err
    )
    assert dctx(*short, "--target-tokens", "10", cwd=root).code == 0


def test_an_empty_conversation_has_no_summary() -> None:
    with pytest.raises(NoSummary, match="it is empty"):
        summarize("extractive", SummaryJob([], "", 20_000, count_chars))
