"""Which agent and which skill gets what. The tables are data: printed by `dctx profiles`,
overridden in `dctx.yaml`.
"""

from __future__ import annotations

from director_ctx.base.errors import UsageProblem
from director_ctx.base.record import Record
from director_ctx.context.settings.budget import URGENT
from director_ctx.context.settings.tags import (  # fmt: skip
    CODEBASE,
    CODEBASE_SUMMARY,
    DECISIONS,
    GAMEPLAN,
    INSTRUCTIONS,
    PARTS,
    RECENT,
    RESEARCH,
    RESEARCH_SUMMARY,
    STATE,
    STEP,
    STEP_RESEARCH,
    TASK,
    VISION,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

BY_TASK = "by-task"
"""Files chosen by the kind of task; anything else is a list of file names."""


class Profile(Record):
    """What one kind of agent, or one skill, receives. `optional` tags come with `--with TAG`."""

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
    inputs: tuple[str, ...] = ()
    instructions: str = ""
    layout: str = "tags"
    budget: str = ""
    """Instead of the project's share of the window."""
    skill: bool = False
    """A skill's text says what to do, so its context has instructions only if they are asked for.
    """


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
            inputs=("changes",),
        ),
        _profile("mapper", "describes the codebase to its owner", inputs=("focus",)),
        _profile("researcher", "answers one concrete question", VISION, STEP, TASK, inputs=("question",)),
        _profile("deep-researcher", "researches one domain before planning", VISION, inputs=("domain",)),
        _profile("deep-mapper", "documents one side of the codebase", optional=(VISION,), inputs=("focus",)),
        _profile("synthesizer", "joins research or codebase notes into a summary", inputs=("mode",)),
        _profile(
            "debugger", "repairs what the verifier found", TASK, inputs=("issues", "changes"),
        ),
        Profile(
            "director", "leads the work over many turns: a context of six parts", PARTS,
            instructions="director", layout="parts", budget=str(URGENT),
        ),
    )
}  # fmt: skip


def _skill(name: str, purpose: str, *sections: str, **more: object) -> Profile:
    values = {
        "sections": sections,
        "requires": (VISION,),
        "instructions": name,
        "skill": True,
        **more,
    }
    return Profile(name, purpose, **values)  # type: ignore[arg-type]


_WIDE = (VISION, STATE, RESEARCH_SUMMARY, RESEARCH, CODEBASE)
_FEATURES, _BUILT = ("FEATURES",), ("ARCHITECTURE", "STACK")

SKILLS: dict[str, Profile] = {
    profile.name: profile
    for profile in (
        _skill(
            "blueprint", "plans goals, steps and tasks with the user",
            VISION, GAMEPLAN, RESEARCH_SUMMARY,
            protect=("research",), requires=(), instructions="planner",
        ),
        _skill(
            "build", "gets the next task done and checked",
            VISION, STEP, DECISIONS, TASK, CODEBASE, RECENT, STATE,
            protect=("codebase",), instructions="builder",
        ),
        _skill("brainstorm", "thinks an idea through with the user", *_WIDE, research=_FEATURES, codebase=_BUILT),
        _skill(
            "pivot", "changes the direction and says what that costs",
            *_WIDE, GAMEPLAN,
            research=_FEATURES, codebase=_BUILT,
        ),
        _skill(
            "inspect", "checks what was built against what was promised",
            VISION, GAMEPLAN, STEP, CODEBASE, STATE,
            optional=(TASK,), codebase=("CONVENTIONS", "TESTING"), instructions="inspector",
        ),
    )
}  # fmt: skip
"""What a skill loads before it begins, by its name."""


def spelling(name: str) -> str:
    """`Deep_Researcher` and `director:director-deep-researcher` are `deepresearcher`."""
    _, _, bare = name.strip().casefold().rpartition(":")
    for mark in ("-", "_", " "):
        bare = bare.replace(mark, "")
    # The agent that is called director has no other name.
    return bare.removeprefix("director") or bare


def find_profile(
    name: str, profiles: Mapping[str, Profile] = PROFILES, kind: str = "agent"
) -> Profile:
    """The profile that a name means, however it is spelled."""
    spelled = spelling(name)
    for profile in profiles.values():
        if spelling(profile.name) == spelled:
            return profile
    raise UsageProblem(f"There is no {kind} {name!r}.", _suggest(spelled, profiles, kind))


def _suggest(spelled: str, profiles: Mapping[str, Profile], kind: str) -> str:
    import difflib

    listed = f"{kind.title()}s: " + ", ".join(profiles)
    if kind == "agent" and spelled in SKILLS:
        return f"Did you mean the skill, --skill {spelled}? {listed}"
    by_spelling: dict[str, str] = {}
    for known in profiles:
        # Of two with one spelling the first is meant.
        by_spelling.setdefault(spelling(known), known)
    near = difflib.get_close_matches(spelled, by_spelling, 1)
    if not near:
        return listed
    meant = by_spelling[near[0]]
    return f"Did you mean {meant}? {listed}"
