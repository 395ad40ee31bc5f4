"""The table of agents, row by row, and names that forgive spelling."""

from __future__ import annotations

import pytest

from director_ctx.base.errors import UsageProblem
from director_ctx.context.settings.profiles import PROFILES, find_profile
from director_ctx.context.settings.tags import TAGS, protected_tags

COLUMNS = (
    "vision",
    "gameplan",
    "current_step",
    "task",
    "recent_changes",
    "instructions",
    "project_state",
    "decisions",
)
TABLE = {
    "builder": ("y", "n", "y", "y", "y", "y", "n", "y"),
    "planner": ("y", "y", "n", "n", "y", "y", "y", "n"),
    "verifier": ("y", "n", "y", "y", "y", "y", "n", "n"),
    "interviewer": ("y", "n", "n", "n", "n", "y", "n", "n"),
    "inspector": ("y", "y", "n", "n", "y", "y", "y", "n"),
    "syncer": ("y", "n", "y", "n", "y", "y", "n", "n"),
    "mapper": ("n", "n", "n", "n", "n", "y", "n", "n"),
    "researcher": ("y", "n", "y", "y", "n", "y", "n", "n"),
    "deep-researcher": ("y", "n", "n", "n", "n", "y", "n", "n"),
    "deep-mapper": ("n", "n", "n", "n", "n", "y", "n", "n"),
    "synthesizer": ("n", "n", "n", "n", "n", "y", "n", "n"),
}


@pytest.mark.parametrize("agent", TABLE)
def test_each_agent_gets_its_row(agent: str) -> None:
    sections = PROFILES[agent].sections
    assert dict(zip(COLUMNS, TABLE[agent], strict=True)) == {
        tag: "y" if tag in sections else "n" for tag in COLUMNS
    }


def test_research_and_codebase_columns() -> None:
    deep = ("research", "codebase", "research_summary", "codebase_summary")
    found = {
        name: [tag for tag in deep if tag in profile.sections] for name, profile in PROFILES.items()
    }
    with_deep = {name: tags for name, tags in found.items() if tags}
    assert with_deep == {
        "builder": ["research", "codebase"],
        "planner": ["research_summary", "codebase_summary"],
        "inspector": ["research_summary", "codebase_summary"],
    }


def test_the_eleven_agents_the_debugger_and_the_director_are_all_there_is() -> None:
    assert set(PROFILES) == {*TABLE, "debugger", "director"}


def test_optional_vision_of_the_deep_mapper() -> None:
    assert PROFILES["deep-mapper"].optional == ("vision",)


def test_planners_keep_research_and_builders_keep_the_codebase() -> None:
    assert protected_tags(PROFILES["planner"].protect) >= {
        "research",
        "research_summary",
        "step_research",
    }
    assert protected_tags(PROFILES["builder"].protect) >= {"codebase", "codebase_summary"}


def test_one_protected_tag_protects_its_group() -> None:
    assert protected_tags(("codebase_summary",)) == {"codebase", "codebase_summary"}


@pytest.mark.parametrize(
    "name",
    [
        "deep-researcher",
        "deep_researcher",
        "deepresearcher",
        "Deep Researcher",
        "DEEP-RESEARCHER",
        "director:director-deep-researcher",
    ],
)
def test_names_forgive_spelling(name: str) -> None:
    assert find_profile(name).name == "deep-researcher"


def test_an_unknown_agent_is_a_usage_problem_with_a_suggestion() -> None:
    with pytest.raises(UsageProblem) as caught:
        find_profile("bulder")
    assert "Did you mean builder?" in caught.value.hint
    assert all(name in caught.value.hint for name in PROFILES)


def test_profiles_name_known_tags_only() -> None:
    for profile in PROFILES.values():
        assert set(profile.sections) | set(profile.optional) | set(profile.compat) <= set(TAGS)
