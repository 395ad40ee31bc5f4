"""What agents find by words, the best first, and read on by its place."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from client_sessions import Claude
from conftest import plan, task, write
from mcp_server import Server

from director_ctx import load_project, set_variable, update_plan

PLAN = {
    "overall_goal": "A list of links",
    "current_phase": "First",
    "phases": [
        {
            "phase_name": "First",
            "status": "in_progress",
            "tasks": [
                {"task_id": "1/1/1", "description": "One", "status": "completed"},
                {"task_id": "1/1/2", "description": "Two", "status": "pending"},
            ],
        }
    ],
    "next_actions": [],
    "blockers": [],
    "notes": "",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    files = {
        "VISION.md": "# Vision\n\nA list of links.\n\n- [UNCLEAR] For whom?\n",
        "GAMEPLAN.md": "# Gameplan\n\nGoal by goal.\n",
        **plan(
            {"01-one.done.md": task("One"), "02-two.md": task("Two", what="Build the spyglass.")}
        ),
    }
    return write(tmp_path / "project", files)


def test_a_search_looks_into_folder_plan_contexts_and_conversations(root: Path) -> None:
    project = load_project(root=str(root))
    update_plan(project, {**PLAN, "notes": "Mind the spyglass."}, "First")
    set_variable(project, "found.spyglass", "in the attic", "Seen")
    with Server(root) as server:
        assert "Nothing was found" in server.text("search", text="telescope")
        server.text("context")
        said = server.text("search", text="spyglass")
        path = ".director/goals/01-first/01-step/tasks/02-two.md"
        assert said.startswith("Found in folder (1 line), plan (2 lines). To read on at one of")
        assert f'original {{"locator":"{path}:4"}}' in said
        assert f"folder:\n  {path}\n    4: Build the spyglass." in said
        assert "plan:\n  Mind the spyglass.\n  - found.spyglass" in said
        # What was told earlier is shown where it is not just what the folder says now.
        assert "contexts:" not in said
        write(root, {path.removeprefix(".director/"): task("Two", what="Build the telescope.")})
        later = server.text("search", text="spyglass")
        assert re.search(
            r"contexts:\n  r[0-9a-f]+ \(builder, .*\)\n    task: Build the spyglass", later
        )
        only = server.text("search", text="spyglass", where="plan")
        assert "folder:" not in only
        assert "has to be" not in server.refusal("search", text="x", where="attic")


def test_the_document_that_is_about_the_words_comes_first(root: Path) -> None:
    files = {
        "research/A.md": "# Notes\n\nA spyglass. Much more of the feed, for the reader.\n",
        "research/B.md": "# Notes\n\nThe reader of the feed.\n\nA feed, and its reader.\n",
        "research/C.md": "# The feed reader\n\nIt reads.\n",
        "research/D.md": "# Notes\n\nSo the feed reader is here.\n",
    }
    write(root, files)
    with Server(root) as server:
        said = server.text("search", text="feed reader")
        assert re.findall(r"research/(.)\.md\n", said) == ["C", "D", "B", "A"]
        # Words that stand in one document, though on no line of it together.
        said = server.text("search", text="spyglass notes")
        assert "No line has all of these words; these documents have most of them." in said
        assert "  .director/research/A.md\n    1: # Notes\n    3: A spyglass." in said
        # Of a question the words that nobody wrote do not matter.
        said = server.text("search", text="wherever is the spyglass zeppelin of the reader?")
        assert re.findall(r"research/(.)\.md\n", said) == ["A"]
        assert "has even two of these" in server.text("search", text="aeroplane zeppelin")


def test_of_one_document_a_search_of_everything_shows_a_few_lines(root: Path) -> None:
    write(root, {"research/MANY.md": "A line about the feed.\n" * 300})
    with Server(root) as server:
        said = server.text("search", text="feed")
        assert said.count("A line about the feed.") == 6
        assert "(and 294 more lines)" in said
        said = server.text("search", text="feed", where="folder")
        assert said.count("A line about the feed.") > 100


def test_a_document_with_a_long_path_is_named_by_all_of_it(root: Path) -> None:
    folder = "/".join("x" * 90 for _ in range(3))
    write(root, {f"research/{folder}/LONG.md": "# Spyglass\n"})
    with Server(root) as server:
        said = server.text("search", text="spyglass", where="folder")
        locator = f".director/research/{folder}/LONG.md:1"
        assert f'original {{"locator":"{locator}"}}' in said
        assert "# Spyglass" in server.text("original", locator=locator)


def test_a_word_that_is_asked_for_twice_counts_once(root: Path) -> None:
    write(root, {"research/MAST.md": "# The mast\n", "research/SAIL.md": "# Of sail and rope\n"})
    with Server(root) as server:
        said = server.text("search", text="mast mast sail rope", where="folder")
        assert "SAIL.md" in said and "MAST.md" not in said


def test_what_a_search_shows_is_read_on_by_its_place(root: Path) -> None:
    long = "".join(f"Line {number} of a long note.\n" for number in range(1, 901))
    write(root, {"research/LONG.md": f"{long}The spyglass.\n", "research/KEY.md": "# Key\n"})
    talk = Claude(root)
    talk.user("Where is the spyglass?").said("In the attic.\nBehind the telescope.").write()
    with Server(root) as server:
        document = ".director/research/LONG.md"
        said = server.text("original", locator=f"{document}:901")
        assert "The spyglass." in said
        assert "Page 3 of 3, the last" in said
        first = server.text("original", locator=document)
        assert first.startswith("Line 1 of")
        assert f'"locator":"{document}","page":2' in first

        said = server.text("search", text="attic", where="conversations")
        assert "aaaaaaaa (claude)\n    2 assistant: In the attic." in said
        said = server.text("original", locator="aaaaaaaa:2")
        assert said.startswith("assistant: In the attic.\nBehind the telescope.")
        assert 'The next message: original {"locator":"aaaaaaaa:3"}' in said
        assert "has no message 3" in server.refusal("original", locator="aaaaaaaa:3")

        server.text("context")
        said = server.text("search", text="Because", where="contexts")
        run = re.search(r"(r[0-9a-f]+) \(builder", said)
        assert run
        assert server.text("original", locator=f"{run[1]}:task").startswith("<task>\n# Task: Two")


def test_conversations_are_searched_for_words_in_any_order(root: Path) -> None:
    Claude(root).user("Put the red spyglass into the attic.").said("Done.").write()
    with Server(root) as server:
        where = {"where": "conversations"}
        assert "1 user: Put the red" in server.text("search", text="attic spyglass", **where)
        assert "Nothing" in server.text("search", text="attic telescope", **where)
        assert "Nothing" in server.text("search", text="Attic", **where)


def test_no_page_has_half_a_key(root: Path) -> None:
    words = [f"{number:03}" + "Zx9aQ7bW3" * 6 for number in range(40)]
    key = "\n".join(["-----BEGIN RSA PRIVATE KEY-----", *words, "-----END RSA PRIVATE KEY-----"])
    write(root, {"research/KEY.md": "A line of text.\n" * 550 + f"{key}\n" + "After.\n" * 200})
    with Server(root) as server:
        for page in (1, 2):
            said = server.text("original", locator=".director/research/KEY.md", page=page)
            assert not [word for word in words if word in said]
