"""Which agent gets what. The table is data: printed by `dctx profiles`, overridden in `dctx.yaml`."""

from __future__ import annotations

from director_ctx.context.tags import (
    CODEBASE,
    CODEBASE_SUMMARY,
    DECISIONS,
    GAMEPLAN,
    INSTRUCTIONS,
    RECENT,
    RESEARCH,
    RESEARCH_SUMMARY,
    STATE,
    STEP,
    STEP_RESEARCH,
    TASK,
    VISION,
)  # fmt: skip
from director_ctx.errors import UsageProblem
from director_ctx.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

BY_TASK = "by-task"
"""Files chosen by the kind of task; anything else is a list of file names."""


class Profile(Record):
    """What one kind of agent receives. `optional` tags come with `--with TAG`."""

    name: str
    purpose: str
    sections: tuple[str, ...]
    optional: tuple[str, ...] = ()
    protect: tuple[str, ...] = ()
    requires: tuple[str, ...] = ()
    codebase: tuple[str, ...] = (BY_TASK,)
    research: tuple[str, ...] = (BY_TASK,)
    reference: tuple[str, ...] = ()
    recent_changes: int = 10
    compat: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    instructions: str = ""


def _profile(name: str, purpose: str, *sections: str, **more: object) -> Profile:
    values = {"sections": (*sections, INSTRUCTIONS), "instructions": name, **more}
    return Profile(name, purpose, **values)  # type: ignore[arg-type]


_DEEP = (RESEARCH_SUMMARY, CODEBASE_SUMMARY)

PROFILES: dict[str, Profile] = {
    profile.name: profile
    for profile in (
        _profile(
            "builder", "writes the code of one task",
            VISION, STEP, DECISIONS, TASK, RESEARCH, CODEBASE, RECENT,
            protect=("codebase",), requires=(VISION,),
        ),
        _profile(
            "planner", "turns the vision into goals, steps and tasks",
            VISION, GAMEPLAN, STEP_RESEARCH, *_DEEP, RECENT, STATE,
            protect=("research",), requires=(VISION,),
        ),
        _profile("verifier", "checks one finished task", VISION, STEP, TASK, RECENT),
        _profile("interviewer", "asks the user what to build", VISION),
        _profile("inspector", "judges whether the goal is met", VISION, GAMEPLAN, *_DEEP, RECENT, STATE),
        _profile(
            "syncer", "brings the .director/ folder in line after a task", VISION, STEP, RECENT,
            compat=(TASK, STATE, "changes", "cost_data"), inputs=("changes",),
        ),
        _profile("mapper", "describes the codebase to its owner", inputs=("focus",)),
        _profile("researcher", "answers one concrete question", VISION, STEP, TASK, inputs=("question",)),
        _profile("deep-researcher", "researches one domain before planning", VISION, inputs=("domain",)),
        _profile("deep-mapper", "documents one side of the codebase", optional=(VISION,), inputs=("focus",)),
        _profile("synthesizer", "joins research or codebase notes into a summary", inputs=("mode",)),
        _profile(
            "debugger", "repairs what the verifier found", TASK,
            compat=("issues",), inputs=("issues", "changes"),
        ),
    )
}  # fmt: skip


def spelling(name: str) -> str:
    """`Deep_Researcher` and `director:director-deep-researcher` are `deepresearcher`."""
    plain = name.strip().casefold().rpartition(":")[2]
    return plain.replace("-", "").replace("_", "").replace(" ", "").removeprefix("director")


def find_profile(name: str, profiles: Mapping[str, Profile] = PROFILES) -> Profile:
    """The profile that a name means, however it is spelled."""
    wanted = spelling(name)
    for profile in profiles.values():
        if spelling(profile.name) == wanted:
            return profile
    raise UsageProblem(f"There is no agent {name!r}.", _suggest(wanted, profiles))


def _suggest(wanted: str, profiles: Mapping[str, Profile]) -> str:
    import difflib

    near = difflib.get_close_matches(wanted, [spelling(known) for known in profiles], 1)
    meant = next((known for known in profiles if near and spelling(known) == near[0]), "")
    listed = "Agents: " + ", ".join(profiles)
    return f"Did you mean {meant}? {listed}" if meant else listed
