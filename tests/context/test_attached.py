"""What a context put into a conversation is not told again; what somebody wrote beside it is."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Files, Result, commit, plan, task, write
from kept_plans import new_version

from director_ctx import Project, assemble, load_project
from director_ctx.browser.display import shown as tabs_shown
from director_ctx.context.conversation.attached import without_contexts
from director_ctx.context.conversation.known_texts import KnownTexts
from director_ctx.context.divide import TOO_LARGE, divide
from director_ctx.context.layouts import HEADINGS
from director_ctx.context.settings.tags import PARTS, PROMPT_WINS
from director_ctx.memory.conversations import messages
from director_ctx.memory.store.open import open_store
from director_ctx.memory.variables import entries

Make = Callable[[Files], Project]
Run = Callable[..., Result]
PLAN = {
    "overall_goal": "The sailing list",
    "current_phase": "One",
    "phases": [
        {
            "phase_name": "One",
            "status": "pending",
            "tasks": [{"task_id": 1, "description": "Rig", "status": "pending"}],
        }
    ],
}
FILES = {
    "VISION.md": "# Vision\n\n## Project Name\nBoats\n\nA fleet of visionary boats.\n\n- one\n- two\n",
    "GAMEPLAN.md": "# Gameplan\n\n## Current Focus\n\nThe gameplan of boats.\n",
    "STATE.md": "# State\n\n**Status:** In progress of boats\n",
    "codebase/ARCHITECTURE.md": "# Architecture\n\nHulls and boats.\n",
    "research/SUMMARY.md": "# Research\n\nWater and boats.\n",
    **plan({"01-one.md": task("Rig the boats")}),
}
SAID = [
    ("user", "Build the boat.\n\nWith care.", {"kind": "said"}),
    ("assistant", "I begin with the hull.", {"kind": "said"}),
    ("tool_call", 'Bash {"command": "saw"}', {"kind": "tool_call"}),
    ("tool", "Sawn.\n\nWell.", {"kind": "tool_result"}),
]
BEFORE, AFTER = (
    "Please read this first, captain:",
    "Then go on, and mind the CURRENT PLAN and the reef.",
)


@pytest.fixture
def boats(project: Make) -> Project:
    made = project(FILES)
    with open_store(made, write=True) as store:
        new_version(store, PLAN, "first")
        entries.put(store, {"node7.wind": '"north"', "sails": "[1, 2]"}, "seen")
        messages.add(store, SAID)
    return made


def history(made: Project) -> str:
    text = assemble(load_project(root=made.root), "director").text
    return text.split(f"{HEADINGS['conversation_history']}\n", 1)[1].split("\n\n(7) ", 1)[0].strip()


def summarized(made: Project, dctx: Run) -> None:
    """So that there is a seventh part, and something new beside it."""
    assert dctx("history", "summarize", "--yes", "--root", made.root).code == 0
    with open_store(made, write=True) as store:
        messages.add(store, SAID)


WAYS = {
    "parts": ("director",),
    "parts and tags": ("director", "--with", "vision,gameplan"),
    "parts and titles": ("director", "--with", "vision,gameplan", "--format", "markdown"),
    "rows": ("director", "--format", "messages"),
    "rows of tags": ("builder", "--format", "messages"),
    "JSON": ("director", "--format", "json"),
    "JSON of tags": ("planner", "--format", "json"),
    "director in tags": ("director", "--layout", "tags"),
    "director with titles": ("director", "--layout", "tags", "--format", "markdown"),
    "builder": ("builder",),
    "builder for a cache": ("builder", "--layout", "cache"),
    "builder with titles": ("builder", "--format", "markdown"),
    "builder with parts": ("builder", "--with", "plan,vars,history,summary"),
    "inspector": ("inspector",),
    "mapper": ("mapper",),
    "mapper with titles": ("mapper", "--format", "markdown"),
    "debugger": ("debugger", "--note", "Mind the boats"),
    "skill": ("--skill", "brainstorm"),
    "little room": ("director", "--budget", "700"),
    "only history": ("director", "--only", "conversation_history"),
    "only prompt": ("director", "--only", "system_prompt"),
    "only summary": ("director", "--only", "compressed_context"),
    "for a skill": ("director", "--inject"),
}  # fmt: skip

ONLY_ON_RECORD = (
    "parts and titles", "director with titles", "builder with titles", "mapper with titles", "mapper", "debugger",
    "only prompt", "only summary",
)  # fmt: skip
"""Their titles and tags are words that people use too."""


@pytest.mark.parametrize(
    ("way", "with_summary"),
    [(way, one) for way in WAYS for one in (False, True) if one or way != "only summary"],
)
def test_nothing_of_a_context_is_told_again_and_the_words_around_it_are(
    way: str, with_summary: bool, boats: Project, dctx: Run
) -> None:
    if with_summary:
        summarized(boats, dctx)
    before = history(boats)
    shown = dctx("assemble", *WAYS[way], "--root", boats.root)
    assert shown.code == 0, shown
    with open_store(boats, write=True) as store:
        messages.add(store, [("user", f"{BEFORE}\n\n{shown.out}{AFTER}", {"kind": "said"})])
    assert history(boats) == f"{before}\n\nUser 2: {BEFORE}\n\n{AFTER}"


@pytest.mark.parametrize("kind", [None, {"kind": "said"}])
@pytest.mark.parametrize("way", [way for way in WAYS if way not in ONLY_ON_RECORD])
def test_a_message_that_is_a_context_is_left_out_also_where_nothing_is_on_record(
    way: str, kind: dict[str, str] | None, boats: Project, dctx: Run
) -> None:
    before = history(boats)
    shown = dctx("assemble", *WAYS[way], "--no-record", "--root", boats.root).out
    with open_store(boats, write=True) as store:
        messages.add(store, [("user", shown, kind), ("tool", f"$ dctx assemble\n{shown}", kind)])
    assert history(boats) == f"{before}\nTool Response: $ dctx assemble"


def test_rows_of_a_context_that_were_chatted_with_and_imported_are_no_conversation(
    boats: Project, dctx: Run, tmp_path: Path
) -> None:
    rows = json.loads(
        dctx("assemble", "director", "--format", "messages", "--root", boats.root).out
    )
    rows[-1]["content"] += "\n\nWhat is next?"
    (tmp_path / "talk.json").write_text(
        json.dumps([*rows, {"role": "assistant", "content": "The mast."}])
    )
    before = history(boats)
    assert dctx("history", "import", str(tmp_path / "talk.json"), "--root", boats.root).code == 0
    assert history(boats) == f"{before}\n\nUser 2: What is next?\n\nDirector 2: The mast."


def test_contexts_in_contexts_leave_only_words(boats: Project) -> None:
    """Each turn attaches a context that shows the turns before it."""
    said = []
    for turn in range(4):
        context = assemble(load_project(root=boats.root), "director").text
        said.append(f"Turn {turn}.\n\nGo on.")
        with open_store(boats, write=True) as store:
            messages.add(store, [("user", f"{context}\n{said[-1]}", {"kind": "said"})])
    shown = [f"User {number}: {text}" for number, text in enumerate(said, 2)]
    assert history(boats).endswith("Tool Response: Sawn.\n\nWell.\n\n" + "\n\n".join(shown))


def test_the_seeds_own_form_is_known_with_and_without_numbers(project: Make) -> None:
    made = project(FILES)
    context = (
        'CURRENT PLAN:\n{"overall_goal": "x"}\n\nWORKFLOW SNAPSHOT: {"workflow": {}, "nodes": []}\n\n'
        "WORKFLOW VARIABLES:\n- a = 1\n- b = 2\n\n(5) BROWSER STATE:\n3 tabs open:\n- Main Tab (Active) = http://x\n"
        "- Two = http://y\n\nCONVERSATION HISTORY:\nUser 1: Hi there\n\nDirector 1: Hello"
    )
    with open_store(made, write=True) as store:
        for kind in (None, {"kind": "said"}):
            messages.add(store, [("user", "Hi there", kind), ("assistant", "Hello", kind)])
            messages.add(store, [("user", f"{context}\n\nGo on.", kind)])
    assert history(made).count("Go on.") == 2
    for word in (
        "PLAN",
        "SNAPSHOT",
        "VARIABLES",
        "BROWSER",
        "HISTORY",
        "overall_goal",
        "- a = 1",
        "Main Tab",
    ):
        assert word not in history(made)


def test_every_heading_and_tag_that_is_printed_is_known() -> None:
    """Whoever adds a part has it known here without another word."""
    bodies = {
        "current_plan": "{}", "workflow_snapshot": "{}", "workflow_variables": "- a = 1",
        "browser_state": "1 tab open:\n- Main = http://x", "conversation_history": "User 1: Hi",
    }  # fmt: skip
    for tag in PARTS:
        body = bodies.get(tag, "Words.")
        context = (
            f"(3) WORKFLOW SNAPSHOT\n{{}}\n\n{HEADINGS[tag]}\n{body}\n\n(2) CURRENT PLAN\n{{}}"
        )
        assert without_contexts(f"Mine.\n{context}\nMine.", KnownTexts()) == "Mine.\n\nMine.", tag
        assert without_contexts(f"<{tag}>\n{body}\n</{tag}>", KnownTexts()) == "", tag


def test_the_line_that_a_hook_puts_before_a_context_goes_with_it(boats: Project) -> None:
    head = f"Task 1/1/1, Paint: your prompt names it. {PROMPT_WINS} You have it (claim ab12cd)."
    told = f"{head}\n\n{assemble(boats, 'builder').text}\nPaint it blue."
    assert without_contexts(told, KnownTexts()) == "Paint it blue."
    assert without_contexts(head, KnownTexts()) == head


SEEDS_RULE = "CURRENT PLAN: first the login, then the feed."
"""In a row that says nothing of itself, that is enough."""
PEOPLES = [
    "What does CURRENT PLAN: mean?",
    SEEDS_RULE,
    "The heading (2) CURRENT PLAN is wrong.",
    "(2) CURRENT PLAN\nis what I would call it.",
    "WORKFLOW VARIABLES: are they all set?",
    "BROWSER STATE: closed.",
    "(6) CONVERSATION HISTORY\nof the world",
    "(1) SYSTEM PROMPT\nBe brief.",
    "# Task\n\nBuild it.\n\n# Instructions\n\nBe brief.",
    "# Current plan\n\n1. Log in",
    "<task>\nBuild it.\n</task>\n\n<instructions>\nBe brief.\n</instructions>",
    "Look at <vision> and </vision>.",
    '{"agent": "x", "text": "y"}',
    '[{"role": "user", "content": "Hi"}]',
    "(Part 1 of 2 of one context.)",
    "",
]


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        (words, kind)
        for words in PEOPLES
        for kind in (None, {"kind": "said"})
        if kind or words != SEEDS_RULE
    ],
)
def test_what_people_write_about_plans_and_tags_stays(
    words: str, kind: dict[str, str] | None, project: Make
) -> None:
    made = project(FILES)
    with open_store(made, write=True) as store:
        messages.add(store, [("assistant", "Yes?", kind), ("user", words, kind)])
    shown = history(made).partition("\n\nUser 1:")[2].strip()
    assert shown.replace("&lt;", "<").replace("\\(", "(") == words


def test_a_summary_is_made_without_contexts_too(boats: Project, dctx: Run) -> None:
    context = assemble(boats, "director").text
    with open_store(boats, write=True) as store:
        messages.add(store, [("user", f"{context}\nYou must paint it blue.", {"kind": "said"})])
    text = json.loads(dctx("history", "summarize", "--yes", "--json", "--root", boats.root).out)[
        "summary"
    ]
    assert "- You must paint it blue." in text
    assert "CURRENT PLAN" not in text and "overall_goal" not in text
    with open_store(boats) as store:
        assert all(
            one.archived
            for one in messages.all_messages(store)
            if "isCompressed" not in (one.metadata or "")
        )


def test_a_context_that_was_cut_in_two_does_not_take_the_whole_conversation_along(
    boats: Project,
) -> None:
    context = assemble(boats, "director").text
    cut = context[: context.index('"phases"')]
    with open_store(boats, write=True) as store:
        messages.add(
            store,
            [("user", f"Read:\n{cut}", {"kind": "said"}), ("user", "Go on.", {"kind": "said"})],
        )
    assert history(boats).endswith("User 2: Read:\n\nUser 3: Go on.")


def test_commits_and_files_in_a_context_are_known_by_what_was_printed(
    boats: Project, dctx: Run
) -> None:
    root = Path(boats.root)
    commit(root, "Rig the mast")
    shown = dctx("assemble", "builder", "--format", "markdown", "--root", boats.root).out
    write(root, {"VISION.md": "# Vision\n\nAnother one.\n"})
    with open_store(boats, write=True) as store:
        messages.add(store, [("user", shown + AFTER, {"kind": "said"})])
    assert history(boats).endswith(f"User 2: {AFTER}")


@pytest.mark.parametrize(
    "line", ["# Vision\n\n", "<vision>\n", '[{"role":\n', "<task>\n</task> x\n"]
)
def test_a_message_that_begins_a_section_in_every_line_is_not_looked_through_for_ever(
    line: str,
) -> None:
    known = KnownTexts(printed=lambda: ["0" * 64], said=lambda: ["x"])
    hostile = line * 10_000
    assert without_contexts(hostile, known) == hostile


def test_a_section_that_is_not_closed_is_none() -> None:
    assert without_contexts("<vision>\nBoats.", KnownTexts()) == "<vision>\nBoats."


def test_parts_of_a_context_that_found_no_room_are_known_too(boats: Project) -> None:
    sections = assemble(boats, "director").sections
    parts = divide(sections, 1_100, 2, lambda tag: f"dctx assemble director --only {tag}")
    assert len(parts) == 2 and TOO_LARGE in parts[-1]
    text = "\n\n".join([BEFORE, *parts, AFTER])
    assert without_contexts(text, KnownTexts()) == f"{BEFORE}\n\n{AFTER}"
    assert without_contexts(f"{TOO_LARGE}\n", KnownTexts()) == f"{TOO_LARGE}\n"


def test_a_browser_without_tabs_is_a_context_too() -> None:
    assert (
        without_contexts(f"(5) BROWSER STATE\n{tabs_shown([])}\n\nGo on.", KnownTexts()) == "Go on."
    )
