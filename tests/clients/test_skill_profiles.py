"""What each skill loads before it begins: the seed's table, the budget, and a project's own."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Files, Result, agreed, plan, task, write
from full_folder import FULL, GOAL, STEP, body, tags_of

from director_ctx import Project, assemble, what_if
from director_ctx.base.errors import AllDone, DctxError, UsageProblem
from director_ctx.context.settings.config import parse_config
from director_ctx.context.settings.profiles import PROFILES, SKILLS, find_profile
from director_ctx.context.settings.tags import INSTRUCTIONS, protected_tags

Make = Callable[[Files], Project]
Run = Callable[..., Result]
TEMPLATE = "# Vision\n\n> This file will be populated when you run /director:onboard\n\n## Project Name\n\n"
NOTES = {**FULL, "codebase/STACK.md": "# Stack\n\nPython.\n"}
TABLE = {
    "blueprint": ["vision", "gameplan", "research_summary"],
    "build": [
        "vision",
        "current_step",
        "decisions",
        "task",
        "codebase",
        "recent_changes",
        "project_state",
    ],
    "brainstorm": ["vision", "research_summary", "research", "codebase", "project_state"],
    "pivot": ["vision", "gameplan", "research_summary", "research", "codebase", "project_state"],
    "inspect": ["vision", "gameplan", "current_step", "codebase", "project_state"],
}
FILES = {
    "blueprint": ["research/SUMMARY.md"],
    "build": ["codebase/CONVENTIONS.md", "codebase/STRUCTURE.md"],
    "brainstorm": [
        "research/SUMMARY.md",
        "research/FEATURES.md",
        "codebase/ARCHITECTURE.md",
        "codebase/STACK.md",
    ],
    "pivot": [
        "research/SUMMARY.md",
        "research/FEATURES.md",
        "codebase/ARCHITECTURE.md",
        "codebase/STACK.md",
    ],
    "inspect": ["codebase/CONVENTIONS.md", "codebase/TESTING.md"],
}


def test_the_five_skills_of_the_seed_have_profiles() -> None:
    assert set(SKILLS) == set(TABLE)
    assert all(profile.skill for profile in SKILLS.values())
    assert not any(profile.skill for profile in PROFILES.values())


@pytest.mark.parametrize("skill", TABLE)
def test_each_skill_gets_its_sections(project: Make, skill: str) -> None:
    assert tags_of(assemble(project(NOTES), skill=skill)) == TABLE[skill]


@pytest.mark.parametrize("skill", FILES)
def test_each_skill_gets_the_notes_of_the_seeds_table(project: Make, skill: str) -> None:
    assembly = assemble(project(NOTES), skill=skill)
    sources = [path for one in assembly.sections for path in one.sources]
    notes = [
        path.removeprefix(".director/")
        for path in sources
        if "/research/" in path or "/codebase/" in path
    ]
    assert notes == FILES[skill]


@pytest.mark.parametrize("skill", TABLE)
def test_a_missing_note_is_passed_over_without_a_word(project: Make, skill: str) -> None:
    bare = {
        name: text for name, text in FULL.items() if not name.startswith(("research/", "codebase/"))
    }
    assembly = assemble(project(bare), skill=skill)
    assert assembly.warnings == ()
    assert not {"research", "research_summary", "codebase"} & set(tags_of(assembly))


def test_a_note_that_was_named_and_is_not_there_is_told(project: Make) -> None:
    assembly = assemble(project(FULL), skill="brainstorm", codebase="NOWHERE")
    assert any("NOWHERE" in warning for warning in assembly.warnings)


def test_a_skill_has_instructions_only_if_they_are_wanted(project: Make) -> None:
    loaded = project(NOTES)
    assert INSTRUCTIONS not in tags_of(assemble(loaded, skill="build"))
    text = body(assemble(loaded, skill="build", with_="instructions"), INSTRUCTIONS)
    assert text == body(assemble(loaded, "builder"), INSTRUCTIONS)
    assert assemble(loaded, skill="build", without="instructions").sections


def test_what_only_instructions_can_say_brings_them(project: Make) -> None:
    assembly = assemble(project(NOTES), skill="brainstorm", note="Keep it small.")
    assert body(assembly, INSTRUCTIONS).endswith("A note from the user:\nKeep it small.")
    assert assembly.warnings == ()


def test_a_projects_own_instructions_are_there_for_a_skill_too(project: Make) -> None:
    loaded = project({**NOTES, "instructions/brainstorm.md": "Think in threes.\n"})
    agreed(Path(loaded.root))
    assert body(
        assemble(loaded, skill="brainstorm", with_="instructions"), INSTRUCTIONS
    ).startswith("Think in threes.")


@pytest.mark.parametrize("skill", [name for name in TABLE if name != "blueprint"])
def test_only_the_skill_that_plans_works_on_a_vision_that_is_a_template(
    project: Make, skill: str
) -> None:
    loaded = project({**NOTES, "VISION.md": TEMPLATE})
    with pytest.raises(DctxError, match=f"the {skill} skill cannot work without a vision"):
        assemble(loaded, skill=skill)
    assert "vision" not in tags_of(assemble(loaded, skill=skill, without="vision"))
    assert tags_of(assemble(loaded, skill="blueprint")) == ["gameplan", "research_summary"]


def test_a_task_is_inspected_when_it_is_named(project: Make) -> None:
    loaded = project(NOTES)
    named = assemble(loaded, skill="inspect", task="1/1/1")
    assert named.task and named.task["ref"] == "1/1/1"
    assert "FIRST TASK BODY" in body(named, "task")
    assert "task" in tags_of(assemble(loaded, skill="inspect", with_="task"))


def test_a_finished_plan_can_be_inspected_but_not_built(project: Make) -> None:
    done = {f"{STEP}/STEP.md": FULL[f"{STEP}/STEP.md"], f"{STEP}/tasks/01-one.done.md": task("One")}
    loaded = project(
        {"VISION.md": FULL["VISION.md"], f"{GOAL}/GOAL.md": "# Goal 1: First\n", **done}
    )
    assert tags_of(assemble(loaded, skill="inspect")) == ["vision", "current_step"]
    with pytest.raises(AllDone):
        assemble(loaded, skill="build")


def test_research_is_never_dropped_while_planning_nor_codebase_notes_while_building() -> None:
    assert protected_tags(SKILLS["blueprint"].protect) >= {"research_summary"}
    assert protected_tags(SKILLS["build"].protect) >= {"codebase"}


def test_a_tight_budget_takes_the_summary_for_the_wide_pack_and_keeps_what_is_protected(
    project: Make,
) -> None:
    long = {
        f"{name}": f"# {name}\n\n" + "Words of no use. " * 400 for name in FILES["brainstorm"][1:]
    }
    loaded = project({**NOTES, **long, "research/SUMMARY.md": "# Sum\n\n" + "Short. " * 200})
    tight = assemble(loaded, skill="brainstorm", budget="1500")
    assert not tight.over_budget and "research" not in tags_of(tight) and "vision" in tags_of(tight)
    assert "research_summary" in tags_of(assemble(loaded, skill="blueprint", budget="150"))


def test_an_agent_or_a_skill_and_never_both(project: Make) -> None:
    loaded = project(NOTES)
    for call in (
        lambda: assemble(loaded),
        lambda: what_if(loaded, None),
        lambda: assemble(loaded, "builder", skill="build"),
    ):
        with pytest.raises(UsageProblem) as caught:
            call()
        assert caught.value.hint


def test_an_unknown_skill_is_guessed_and_an_agents_name_is_told_from_a_skills(
    project: Make,
) -> None:
    loaded = project(NOTES)
    with pytest.raises(UsageProblem) as caught:
        assemble(loaded, skill="brainstrom")
    assert "Did you mean brainstorm?" in caught.value.hint
    with pytest.raises(UsageProblem) as caught:
        find_profile("pivot")
    assert "--skill pivot" in caught.value.hint
    assert assemble(loaded, skill="Director:Brain_Storm").agent == "brainstorm"


# what a project makes of them


def test_dctx_yaml_overrides_a_skill_and_adds_others() -> None:
    own = {
        "brainstorm": {"codebase": ["CONCERNS"], "recent_changes": 3},
        "release": {"extends": "pivot", "purpose": "writes the notes of a release"},
        "retro": {"skill": True, "sections": ["vision", "recent_changes"]},
    }
    settings = parse_config({"profiles": own})
    assert settings.profiles == PROFILES
    assert list(settings.skills) == [*SKILLS, "release", "retro"]
    assert settings.skills["brainstorm"] == SKILLS["brainstorm"].replace(
        codebase=("CONCERNS",), recent_changes=3
    )
    assert settings.skills["release"].sections == SKILLS["pivot"].sections
    assert settings.skills["retro"].sections == ("vision", "recent_changes")


def test_an_agent_made_of_a_skill_has_instructions_and_a_skill_made_of_an_agent_may_keep_them() -> (
    None
):
    own = {
        "talker": {"extends": "brainstorm", "skill": False},
        "make": {"extends": "builder", "skill": True},
    }
    settings = parse_config({"profiles": own})
    assert settings.profiles["talker"].sections[-1] == INSTRUCTIONS
    assert settings.skills["make"].sections == PROFILES["builder"].sections


@pytest.mark.parametrize(("name", "skill"), [("builder", True), ("pivot", False)])
def test_a_shipped_profile_stays_what_it_is(name: str, skill: bool) -> None:
    with pytest.raises(DctxError, match=rf"profiles\.{name}\.skill"):
        parse_config({"profiles": {name: {"skill": skill}}})


def test_a_projects_own_skill_is_assembled_and_shown(tmp_path: Path, dctx: Run) -> None:
    config = "profiles:\n  retro: {skill: true, sections: [vision], purpose: looks back}\n"
    root = write(
        tmp_path,
        {"VISION.md": "# Vision\nA thing.\n", "dctx.yaml": config, **plan({"01-a.md": task()})},
    )
    assert (
        dctx("assemble", "--skill", "retro", cwd=root).out
        == "<vision>\n# Vision\nA thing.\n</vision>\n"
    )
    assert (
        "retro " in dctx("profiles", cwd=root).out
        and "looks back" in dctx("profiles", cwd=root).out
    )
    assert "skill: true" in dctx("profiles", "retro", cwd=root).out


# on the command line


def test_budget_tells_of_a_skill_and_of_its_past(example: Path, tmp_path: Path, dctx: Run) -> None:
    out = dctx("budget", "--skill", "brainstorm", cwd=example).out
    assert out.startswith("Context budget: brainstorm\n") and "Research summary" in out
    assert (
        json.loads(dctx("budget", "--skill", "build", "--what-if", "--json", cwd=example).out)[
            "agent"
        ]
        == "build"
    )
    root = write(tmp_path, {"VISION.md": "# Vision\nA thing.\n"})
    dctx("assemble", "--skill", "pivot", cwd=root)
    assert "pivot" in dctx("budget", "--skill", "pivot", "--history", cwd=root).out
    assert "No context for build" in dctx("budget", "--skill", "build", "--history", cwd=root).out


def test_without_an_agent_or_a_skill_the_builder_is_meant(example: Path, dctx: Run) -> None:
    result = dctx("assemble", cwd=example)
    assert result.out and result.out == dctx("assemble", "builder", cwd=example).out
