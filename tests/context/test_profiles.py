"""The table of agents, row by row, and names that forgive spelling."""

from __future__ import annotations

import pytest

from director_ctx.base.errors import UsageProblem
from director_ctx.context.settings.profiles import PROFILES, find_profile
from director_ctx.context.settings.tags import TAGS, protected_tags


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
        assert set(profile.sections) | set(profile.optional) <= set(TAGS)
