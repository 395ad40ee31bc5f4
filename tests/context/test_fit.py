"""The ladder: order, skipping, protection, and what holds for every folder and every budget."""

from __future__ import annotations

from collections.abc import Container
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from conftest import commit, step, task, write
from hypothesis import given, settings
from hypothesis import strategies as st

from director_ctx import Assembly, assemble, load_project
from director_ctx.assembling.what_if import what_if
from director_ctx.context.assembly import RUNG_TITLES
from director_ctx.context.extracts import step_extract
from director_ctx.context.ladder import LADDER, rungs_for
from director_ctx.context.settings.budget import OVER, REDUCED, WITHIN, count_chars
from director_ctx.context.settings.profiles import PROFILES
from director_ctx.context.settings.tags import EVERYWHERE_PROTECTED, protected_tags
from director_ctx.project.templates import is_template_vision

GOAL = "goals/01-first"
STEP = f"{GOAL}/01-start"
LONG = "Something worth saying about it, at length. " * 12


def large() -> dict[str, str]:
    """A folder in which every rung has something to shorten."""
    tasks = "- [ ] Task 1: Setup page"
    decisions = f"### Locked\n- Use SQLite\n- {LONG}"
    return {
        "VISION.md": f"# Vision\n\n{LONG}\n",
        "GAMEPLAN.md": (
            f"# Gameplan\n\n## Overview\n{LONG}\n\n## Goals\n1. **Goal 1: First** -- x\n\n## Current Focus\nGo\n"
        ),
        "STATE.md": (
            "# State\n\n**Status:** Building\n\n## Current Position\n**Current goal:** First\n\n"
            f"## Recent Activity\n- {LONG}\n\n"
            "## Cost Summary\n**Total:** 5 tokens\n"
        ),
        f"{STEP}/STEP.md": step(1, "Start", tasks, decisions).replace(
            "And more.", f"And more. {LONG}"
        ),
        f"{STEP}/RESEARCH.md": f"# Step research\n\n{LONG * 4}\n",
        f"{STEP}/tasks/01-setup.md": task(
            "Setup page", what="Install and configure the page and its database."
        ),
        "research/STACK.md": f"# Stack Research\n\n{LONG * 3}\n",
        "research/FEATURES.md": f"# Feature Research\n\n{LONG * 3}\n",
        "research/SUMMARY.md": f"# Research Summary\n\n{LONG}\n",
        "codebase/CONVENTIONS.md": f"# Conventions\n\n{LONG * 2}\n",
        "codebase/TESTING.md": f"# Testing\n\n{LONG * 2}\n",
        "codebase/SUMMARY.md": f"# Codebase Summary\n\n{LONG}\n",
        "reference/guide.md": f"# Guide\n\n{LONG}\n\n## Database rules\n{LONG}\n\n## Colours\n{LONG}\n",
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = write(tmp_path_factory.mktemp("large"), large())
    for number in range(12):
        commit(root, f"Change number {number} makes something better", {f"src/{number}": "x"})
    return root


def rungs(assembly: Assembly) -> list[str]:
    return list(dict.fromkeys(cut.rung for cut in assembly.reductions))


def at(folder: Path, agent: str, budget: int, **options: object) -> Assembly:
    return assemble(load_project(root=str(folder)), agent, budget=str(budget), **options)  # type: ignore[arg-type]


EVERYTHING = {
    "with_": "gameplan,step,task,decisions,state,recent,step_research,codebase,research",
    "step": "1",
    "task": "1",
    "research": "STACK,FEATURES",
    "codebase": "CONVENTIONS,TESTING",
    "ref": ["guide"],
}


def test_the_whole_ladder_is_climbed_down_in_its_order(folder: Path) -> None:
    assembly = at(folder, "verifier", 101, **EVERYTHING)
    assert rungs(assembly) == [
        "recent-5",
        "recent-3",
        "recent-1",
        "recent-none",
        "reference-relevant",
        "reference-paths",
        "research-summary",
        "research-none",
        "codebase-summary",
        "codebase-none",
        "step-decisions",
        "step-extract",
        "state-position",
        "gameplan-focus",
    ]
    assert assembly.budget.status == OVER


def test_without_a_summary_files_stay_for_the_next_rung(tmp_path: Path) -> None:
    files = {name: text for name, text in large().items() if not name.endswith("SUMMARY.md")}
    assembly = at(write(tmp_path, files), "verifier", 101, **EVERYTHING)
    found = rungs(assembly)
    assert "research-summary" not in found
    assert "codebase-summary" not in found
    assert found[found.index("research-related") :][:4] == [
        "research-related",
        "research-none",
        "codebase-related",
        "codebase-none",
    ]


def test_unrelated_domains_go_first_and_related_ones_stay(tmp_path: Path) -> None:
    files = {name: text for name, text in large().items() if not name.endswith("SUMMARY.md")}
    root = write(tmp_path, files)
    stages = [at(root, "verifier", budget, **EVERYTHING) for budget in range(200, 6000, 150)]
    related = [one for one in stages if rungs(one)[-1:] == ["research-related"]]
    assert related
    for assembly in related:
        assert "# Stack Research" in assembly.text
        assert "# Feature Research" not in assembly.text


def test_the_step_extract_keeps_what_the_agent_cannot_do_without(folder: Path) -> None:
    text = at(folder, "builder", 101).text
    found = text[text.index("<current_step>") : text.index("</current_step>")]
    assert found == (
        "<current_step>\n# Step 1: Start\n\n## What This Delivers\n\nIt delivers something. And more.\n\n"
        "## Tasks\n\n- [ ] Task 1: Setup page\n\n## Needs First\n\nNothing.\n"
    )


@pytest.mark.parametrize(
    "odd",
    ["- [ ] Subtask 1: Something else", "[see task 1 here] and the task 12", "- [ ] Task 12: No"],
)
def test_only_the_tasks_own_line_is_in_the_step_extract(tmp_path: Path, odd: str) -> None:
    text = step(1, "Start", f"{odd}\n- [ ] Task 1: Setup page", f"### Locked\n- {LONG}")
    extract = at(write(tmp_path, {**large(), f"{STEP}/STEP.md": text}), "builder", 101).text
    found = extract[extract.index("<current_step>") : extract.index("</current_step>")]
    assert "## Tasks\n\n- [ ] Task 1: Setup page\n" in found
    assert odd not in found


def test_a_step_that_begins_with_a_fence_is_not_made_code_by_its_extract() -> None:
    step = "```\nx = 1\n```\n## Decisions\n- Plain SQL"
    extract = step_extract(step, 1, True)
    assert "```" not in extract
    assert "- Plain SQL" in extract
    assert step_extract(extract, 1, True) == extract


def test_the_step_extract_keeps_the_decisions_where_no_tag_has_them(folder: Path) -> None:
    text = at(folder, "verifier", 101).text
    assert "## Decisions\n\n### Locked\n- Use SQLite" in text[text.index("<current_step>") :]
    assert "step-decisions" not in rungs(at(folder, "verifier", 101))


def test_extracts_of_state_and_gameplan_stay(folder: Path) -> None:
    text = at(folder, "planner", 101).text
    assert (
        "<project_state>\n# State\n\n## Current Position\n**Current goal:** First\n\n"
        "## Cost Summary\n**Total:** 5 tokens\n"
        "</project_state>"
    ) in text
    assert (
        "<gameplan>\n# Gameplan\n\n## Goals\n1. **Goal 1: First** -- x\n\n## Current Focus\nGo\n</gameplan>"
        in text
    )


def test_reference_documents_shrink_to_what_the_task_is_about_then_to_paths(folder: Path) -> None:
    stages = [at(folder, "builder", budget, ref=["guide"]) for budget in range(400, 3000, 40)]
    relevant = next(one for one in stages if rungs(one)[-1:] == ["reference-relevant"])
    assert "## Database rules" in relevant.text
    assert "## Colours" not in relevant.text
    paths = next(one for one in stages if "reference-paths" in rungs(one))
    assert "<reference>\n- .director/reference/guide.md\n</reference>" in paths.text


def tags(assembly: Assembly) -> set[str]:
    return {section.tag for section in assembly.sections}


def test_a_planner_never_loses_research_and_a_builder_never_the_codebase(folder: Path) -> None:
    planner = at(folder, "planner", 101, step="1")
    assert "research_summary" in tags(planner)
    assert "codebase_summary" not in tags(planner)
    builder = at(folder, "builder", 101)
    assert "codebase_summary" in tags(builder)


def test_in_a_small_window_the_summary_of_the_codebase_is_better_than_none_and_than_too_much(
    tmp_path: Path,
) -> None:
    files = {**large(), "codebase/CONVENTIONS.md": LONG * 70, "codebase/SUMMARY.md": LONG * 25}
    root = write(tmp_path, files)
    whole = at(root, "builder", 60_000)
    assembly = at(root, "builder", 9_000)
    assert whole.budget.used > 10_000
    assert assembly.budget.status == REDUCED
    assert tags(whole) - tags(assembly) == {"codebase"}
    assert tags(assembly) - tags(whole) == {"codebase_summary"}
    assert rungs(assembly) == ["codebase-summary"]
    (summary,) = [section for section in assembly.sections if section.tag == "codebase_summary"]
    assert summary.protected


def test_of_a_protected_codebase_files_about_the_task_stay_longest(tmp_path: Path) -> None:
    root = write(tmp_path, {**large(), "codebase/TESTING.md": f"# Testing\n\n{LONG * 40}\n"})
    options = {"codebase": "CONVENTIONS,TESTING"}
    assert rungs(at(root, "builder", 101, **options))[-3:] == [
        "codebase-related",
        "codebase-summary",
        "codebase-none",
    ]
    related = at(root, "builder", 3_000, **options)
    assert rungs(related) == ["codebase-related"]
    assert "# Conventions" in related.text
    assert "# Testing" not in related.text


def test_a_protected_codebase_without_a_summary_is_never_dropped_even_if_none_of_it_is_related(
    tmp_path: Path,
) -> None:
    files = {name: text for name, text in large().items() if not name.endswith("SUMMARY.md")}
    files["dctx.yaml"] = "profiles:\n  builder:\n    codebase: [TESTING]\n"
    assembly = at(write(tmp_path, files), "builder", 101)
    assert "codebase" in tags(assembly)
    assert "# Testing" in assembly.text


def test_what_a_profile_protects_of_its_own_goes_last_too_and_never_entirely(
    folder: Path, tmp_path: Path
) -> None:
    files = {
        **large(),
        "dctx.yaml": "profiles:\n  builder:\n    protect: [recent_changes, current_step]\n",
    }
    root = write(tmp_path, files)
    for number in range(12):
        commit(root, f"Change number {number} makes something better", {f"src/{number}": "x"})
    usual = rungs(at(folder, "builder", 101, ref=["guide"]))
    own = rungs(at(root, "builder", 101, ref=["guide"]))
    assert usual[:4] == ["recent-5", "recent-3", "recent-1", "recent-none"]
    assert own == [
        "reference-relevant",
        "reference-paths",
        "research-summary",
        "research-none",
        "recent-5",
        "recent-3",
        "recent-1",
        "codebase-summary",
        "step-decisions",
        "step-extract",
    ]


# Notes that an option names.


def noted(tmp_path: Path, **tokens: int) -> Path:
    """A project with notes of so many tokens, and a task of no kind in particular."""
    notes = {name: "Something worth saying. " * (size // 6) for name, size in tokens.items()}
    files = {f"{name.replace('_', '/')}.md": f"# {name}\n\n{text}" for name, text in notes.items()}
    layout = {f"{STEP}/tasks/01-setup.md": task("Go on", what="Improve it.")}
    few = {name: text for name, text in large().items() if "/" not in name or "/STEP" in name}
    return write(tmp_path, {**few, **layout, **files})


def test_naming_all_notes_ends_where_naming_none_does_before_the_budget_is_exceeded(
    tmp_path: Path,
) -> None:
    root = noted(
        tmp_path,
        codebase_CONVENTIONS=1_000,
        codebase_TESTING=2_500,
        codebase_STACK=2_500,
        codebase_SUMMARY=3_500,
        research_STACK=2_000,
        research_FEATURES=2_000,
        research_SUMMARY=3_000,
    )
    usual = at(root, "builder", 5_000)
    assert usual.budget.status == WITHIN
    named = at(root, "builder", 5_000, codebase="all", research="all")
    assert named.budget.status == REDUCED
    assert [one for one in named.sections if one.tag == "codebase"] == [
        one for one in usual.sections if one.tag == "codebase"
    ]
    assert rungs(named) == ["research-summary", "research-none", "codebase-named"]
    assert len(named.reductions) == 3
    assert (named.reductions[0].rung, named.reductions[0].tag) == ("research-summary", "research")
    summary = named.reductions[1].before
    assert (named.reductions[0].after, named.reductions[1].after) == (summary, 0)
    whole = at(root, "builder", 20_000, codebase="all", research="all")
    assert whole.budget.status == WITHIN


def test_of_unprotected_notes_the_usual_ones_come_back_where_the_summary_is_too_long(
    tmp_path: Path,
) -> None:
    root = noted(tmp_path, codebase_CONVENTIONS=300, codebase_TESTING=2_000, codebase_SUMMARY=1_500)
    options = {"skill": "inspect", "codebase": "all"}
    config = "profiles:\n  inspect:\n    codebase: [CONVENTIONS]\n"
    write(root, {"dctx.yaml": config})
    limit = at(root, None, 60_000, skill="inspect").budget.used  # type: ignore[arg-type]
    assembly = at(root, None, limit, **options)  # type: ignore[arg-type]
    assert rungs(assembly) == ["codebase-summary", "codebase-named"]
    (notes,) = [one for one in assembly.sections if one.tag == "codebase"]
    assert notes.sources == (".director/codebase/CONVENTIONS.md",)


# The way back.


def test_what_was_taken_and_fits_again_is_given_back(folder: Path) -> None:
    whole = at(folder, "verifier", 60_000, **EVERYTHING)
    reduced = at(folder, "verifier", whole.budget.used - 700, **EVERYTHING)
    assert rungs(reduced) == ["research-summary"]
    assert (
        reduced.text.count("makes something better")
        == whole.text.count("makes something better")
        == 10
    )
    assert "## Colours" in reduced.text


def from_below(agent: str, taken: Container[str]) -> tuple[bool, ...]:
    """Which rungs were taken, the last one first; the smaller of two such rows has more of what
    matters more.
    """
    return tuple(rung.name in taken for rung in reversed(rungs_for(PROFILES[agent].protect)))


def test_statuses(folder: Path) -> None:
    assert at(folder, "builder", 60_000).budget.status == WITHIN
    assert at(folder, "builder", 1_700).budget.status == REDUCED
    assert at(folder, "builder", 101).budget.status == OVER


def test_every_rung_has_words_of_its_own() -> None:
    assert len(RUNG_TITLES) == len(LADDER) + 1
    assert len(set(RUNG_TITLES.values())) == len(RUNG_TITLES)


def test_what_if_names_the_smallest_window_in_which_nothing_is_cut(folder: Path) -> None:
    project = load_project(root=str(folder))
    answer = what_if(project, "builder")
    assert answer.smallest_window is not None
    assert not assemble(project, "builder", window=answer.smallest_window).reductions
    assert assemble(project, "builder", window=answer.smallest_window - 1).reductions
    assert [budget.window for budget, _ in answer.windows] == [
        8_000,
        32_000,
        128_000,
        200_000,
        1_000_000,
    ]
    for budget, cuts in answer.windows:
        real = assemble(project, "builder", window=budget.window)
        assert (real.budget.replace(window_from=""), real.reductions) == (budget, cuts)


def test_what_if_with_a_plain_number_has_no_smallest_window(folder: Path) -> None:
    answer = what_if(load_project(root=str(folder)), "builder", budget="9000")
    assert answer.smallest_window is None
    assert answer.smallest_limit == assemble(load_project(root=str(folder)), "builder").budget.used


# What must hold whatever stands in the folder.

words = st.sampled_from(
    [
        "page",
        "test",
        "route",
        "install",
        "Nothing",
        "the",
        "previous",
        "task",
        "Step 1",
        "é",
        "</task>",
        "#",
        "x",
    ]
)
lines = st.one_of(
    st.just(""),
    st.lists(words, max_size=12).map(" ".join),
    st.sampled_from(
        [
            "# Title",
            "## Decisions",
            "### Locked",
            "- item",
            "- [ ] Task 1: X",
            "```",
            "## Current Position",
            "## Goals",
            "---",
        ]
    ),
)
documents = st.one_of(
    st.none(),
    st.lists(lines, max_size=25).map("\n".join),
    st.integers(1, 30).map(lambda times: "# Long\n\n" + f"## Part\n{LONG}\n\n" * times),
)
NAMES = (
    "VISION.md",
    "GAMEPLAN.md",
    "STATE.md",
    f"{STEP}/STEP.md",
    f"{STEP}/RESEARCH.md",
    "research/STACK.md",
    "research/FEATURES.md",
    "research/SUMMARY.md",
    "codebase/CONVENTIONS.md",
    "codebase/STRUCTURE.md",
    "codebase/SUMMARY.md",
    "reference/guide.md",
)
folders = st.fixed_dictionaries(
    dict.fromkeys(NAMES, documents)
    | {f"{STEP}/tasks/01-x.md": documents.map(lambda text: text or "")}
)
agents = st.sampled_from(sorted(PROFILES))
asked = st.fixed_dictionaries(
    {
        "without": st.sampled_from(["", "vision"]),
        "layout": st.sampled_from(["tags", "cache"]),
        "format": st.sampled_from(["xml", "markdown"]),
        "ref": st.sampled_from([(), ("guide",)]),
        "research": st.sampled_from(["", "all", "STACK"]),
        "step": st.sampled_from([None, "1"]),
        "task": st.just("1"),
        "note": st.sampled_from([None, "A note."]),
    }
)


def own_layout(agent: str) -> dict[str, str]:
    """The director's parts are numbered, in an order of their own."""
    return {"layout": "parts"} if agent == "director" else {}


@settings(max_examples=40)
@given(folders, agents, asked, st.lists(st.integers(101, 8000), min_size=2, max_size=5))
def test_for_every_folder_agent_and_budget(
    files: dict[str, str | None], agent: str, options: dict[str, object], limits: list[int]
) -> None:
    with TemporaryDirectory() as name:
        root = write(Path(name), {path: text for path, text in files.items() if text is not None})
        if (
            not (root / ".director/reference/guide.md").exists()
            or not (files["reference/guide.md"] or "").strip()
        ):
            options = {**options, "ref": ()}
        if is_template_vision(files["VISION.md"] or "") and agent in ("builder", "planner"):
            options = {**options, "without": "vision"}
        options = {**options, **own_layout(agent)}
        whole = at(root, agent, 1_000_000_000, **options)
        results = [at(root, agent, limit, **options) for limit in sorted(set(limits), reverse=True)]
        for one in results:
            _check(one, whole, agent)
            if not options["research"]:
                kept = protected_tags(PROFILES[agent].protect)
                assert bool(tags(whole) & kept) == bool(tags(one) & kept)
        for wide, narrow in zip(results, results[1:], strict=False):
            assert from_below(agent, rungs(wide)) <= from_below(agent, rungs(narrow))
            assert (wide.budget.status == OVER) <= (narrow.budget.status == OVER)
        assert at(root, agent, limits[0], **options) == at(root, agent, limits[0], **options)


def _check(one: Assembly, whole: Assembly, agent: str) -> None:
    assert one.budget.used == count_chars(one.text)
    assert (one.budget.status == OVER) == (one.budget.used > one.budget.limit)
    assert (one.budget.status == WITHIN) <= (not one.reductions)
    before = {section.tag: section.sha256 for section in whole.sections}
    kept = protected_tags(PROFILES[agent].protect) | EVERYWHERE_PROTECTED
    for section in one.sections:
        assert section.protected == (section.tag in kept)
        assert section.tag not in EVERYWHERE_PROTECTED or section.sha256 == before[section.tag]
        assert section.tokens == count_chars(section.text) and section.text in one.text
    ends = ("system_prompt", 0) if agent == "director" else ("instructions", -1)
    assert one.sections[ends[1]].tag == ends[0]
