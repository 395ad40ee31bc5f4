"""What is said where a document is not there that an agent needs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import ROOT, Result, commit, plan, task, write
from hook_events import ask, new_prompt, position, spawn

from director_ctx.project.templates import HINTS as HINTS_OF_PLANS
from director_ctx.project.templates import SIZE_HINT, without_prompts

Run = Callable[..., Result]

STEP = "goals/01-first/01-step/STEP.md"
TASK = "goals/01-first/01-step/tasks/01-one.md"
WHOLE = {
    "VISION.md": "# Vision\nA boat.\n",
    "GAMEPLAN.md": "# Gameplan\n\n## Goals\n1. **Goal 1: First** -- It floats.\n",
    **plan({"01-one.md": task("One")}),
}
SHIPPED = ROOT / "templates" / "director"
TEMPLATES = {
    "VISION.md": (SHIPPED / "VISION.greenfield.md").read_text(encoding="utf-8"),
    "GAMEPLAN.md": (SHIPPED / "GAMEPLAN.md").read_text(encoding="utf-8"),
}
HINTS = {
    "VISION.md": "describe the project in it, or say --without vision",
    "GAMEPLAN.md": "plan the goals: `dctx assemble planner` is the context for that",
    STEP: "say in it what the step delivers",
}
NEEDED = [
    *(
        (agent, "VISION.md")
        for agent in ("builder", "planner", "verifier", "inspector", "syncer", "researcher")
    ),
    ("deep-researcher", "VISION.md"),
    ("inspector", "GAMEPLAN.md"),
    *((agent, STEP) for agent in ("builder", "verifier", "syncer", "researcher")),
]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "boat", WHOLE)


@pytest.mark.parametrize(("agent", "name"), NEEDED)
@pytest.mark.parametrize("how", ["missing", "empty"])
def test_a_document_that_an_agent_needs_is_not_missed_in_silence(
    how: str, agent: str, name: str, root: Path, dctx: Run
) -> None:
    assert dctx("assemble", agent, "--strict", cwd=root).err == ""
    take_away(root, name, how)
    result = dctx("assemble", agent, cwd=root)
    said = f".director/{name} is {how}, so it was left out"
    assert (result.code, result.err) == (0, f"dctx: warning: {said}; {HINTS[name]}\n")

    refused = dctx("assemble", agent, "--strict", cwd=root)
    assert (refused.code, refused.out) == (4, "")
    assert f"{said}." in refused.err and "hint: " in refused.err


def take_away(root: Path, name: str, how: str) -> None:
    path = root / ".director" / name
    if how == "missing":
        path.unlink()
    else:
        path.write_text(" \n\n")


@pytest.mark.parametrize("skill", ["blueprint", "build", "brainstorm", "pivot", "inspect"])
def test_a_skill_without_a_vision_says_so(skill: str, root: Path, dctx: Run) -> None:
    take_away(root, "VISION.md", "missing")
    assert ".director/VISION.md is missing" in dctx("assemble", "--skill", skill, cwd=root).err
    assert dctx("assemble", "--skill", skill, "--strict", cwd=root).code == 4


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (("interviewer",), "VISION.md"),
        (("planner",), "GAMEPLAN.md"),
        (("--skill", "blueprint"), "GAMEPLAN.md"),
    ],
    ids=str,
)
def test_who_is_to_write_a_document_does_not_lack_it(
    words: tuple[str, ...], name: str, root: Path, dctx: Run
) -> None:
    for text in (TEMPLATES[name], "", None):
        (root / ".director" / name).unlink()
        if text is not None:
            write(root, {name: text})
        result = dctx("assemble", *words, "--strict", cwd=root)
        assert (result.code, result.err) == (0, "")


def test_a_template_is_lacking_too_where_it_is_not_refused(root: Path, dctx: Run) -> None:
    for name in ("VISION.md", "GAMEPLAN.md"):
        write(root, {name: TEMPLATES[name]})
        said = f".director/{name} is not filled in yet, so it was left out"
        assert said in dctx("assemble", "inspector", cwd=root).err
        assert dctx("assemble", "inspector", "--strict", cwd=root).code == 4
        write(root, {name: WHOLE[name]})


@pytest.mark.parametrize(
    "text", ["", task(what="_What is to be done?_")], ids=["empty", "template"]
)
def test_a_task_that_says_nothing_is_lacking(text: str, root: Path, dctx: Run) -> None:
    write(root, {TASK: text})
    result = dctx("assemble", "builder", cwd=root)
    assert (result.code, result.err.count("warning: ")) == (0, 1)
    assert f".director/{TASK} is " in result.err
    assert dctx("assemble", "builder", "--strict", cwd=root).code == 4


def test_what_is_left_out_on_purpose_is_not_lacking(root: Path, dctx: Run) -> None:
    take_away(root, "VISION.md", "missing")
    result = dctx("assemble", "builder", "--without", "vision", "--strict", cwd=root)
    assert (result.code, result.err) == (0, "")
    assert "VISION" not in dctx("assemble", "mapper", "--strict", cwd=root).err


def test_a_document_that_cannot_be_read_is_said_once(root: Path, dctx: Run) -> None:
    take_away(root, "VISION.md", "missing")
    (root / ".director" / "VISION.md").symlink_to("/nowhere/at/all")
    result = dctx("assemble", "builder", cwd=root)
    assert result.err.count("warning: ") == 1 and ".director/VISION.md is a link" in result.err
    assert dctx("assemble", "builder", "--strict", cwd=root).code == 4


def test_hooks_do_not_speak_of_it(root: Path) -> None:
    """A spawned agent has its context, less what is not there; a session that begins is told where
    it stands.
    """
    commit(root, "First")
    position(root, identity="none")  # what is said once is said here
    before = new_prompt(ask(root, spawn("Do it."))), position(root)
    take_away(root, "VISION.md", "missing")
    head, _, context = before[0].partition("\n\n")
    vision, _, rest = context.partition("\n\n<current_step>")
    assert vision == "<vision>\n# Vision\nA boat.\n</vision>"
    assert new_prompt(ask(root, spawn("Do it."))) == f"{head}\n\n<current_step>{rest}"
    assert position(root, identity="two") == before[1]
    assert not (root / ".director" / ".dctx" / "hooks.log").exists()


def test_the_warning_is_in_json_and_in_a_report(root: Path, dctx: Run) -> None:
    take_away(root, "VISION.md", "missing")
    said = f".director/VISION.md is missing, so it was left out; {HINTS['VISION.md']}"
    assert json.loads(dctx("assemble", "builder", "--format", "json", cwd=root).out)[
        "warnings"
    ] == [said]
    assert f"warning: {said}\n" in dctx("budget", "builder", cwd=root).err


def test_what_a_template_asks_its_author_reaches_no_agent(tmp_path: Path, dctx: Run) -> None:
    root = write(tmp_path, {"VISION.md": "# Vision\nA boat.\n"})
    for words in (("goal", "Float"), ("step", "Hull"), ("task", "Saw the planks")):
        assert dctx("add", *words, cwd=root).code == 0

    said = ".director/goals/01-float/01-hull/tasks/01-saw-the-planks.md is a template still"
    for agent in ("builder", "verifier", "researcher", "deep-researcher", "inspector"):
        assert "?_" not in dctx("assemble", agent, cwd=root).out, agent
    built = dctx("assemble", "builder", cwd=root)
    assert said in built.err
    assert "<task>\n# Task: Saw the planks\n\n## Needs First\n" in built.out
    assert "<current_step>\n# Step 1: Hull\n\n## Tasks\n" in built.out


def test_what_somebody_answered_stays_beside_what_nobody_did() -> None:
    asked = (SHIPPED.parent / "plan" / "task.md").read_text(encoding="utf-8")
    answered = asked.replace("{{about}}", "_Softly?_").replace("{{size}}", SIZE_HINT)
    answered = answered.replace(
        "it works?_", "it works?_\n- [ ] It floats.\n### Where?_\n_At sea?_"
    )
    shown = without_prompts(answered)
    assert "## Done When\n- [ ] It floats.\n### Where?_\n_At sea?_\n" in shown
    assert "## What To Do\n_Softly?_\n\n## Done When\n" in shown


@pytest.mark.parametrize("kind", ["goal", "step", "task"])
def test_every_question_of_a_plans_templates_is_known(kind: str) -> None:
    asked = (SHIPPED.parent / "plan" / f"{kind}.md").read_text(encoding="utf-8")
    filled = asked.replace("{{about}}", HINTS_OF_PLANS[kind]).replace("{{size}}", SIZE_HINT)
    assert "?_" in filled
    assert "?_" not in without_prompts(filled)
