"""The skills that dctx brings."""

from __future__ import annotations

import os

from director_ctx.clients.skills import Skill, parse_skill
from director_ctx.errors import UsageProblem
from director_ctx.resources import read_shipped, shipped


def shipped_names() -> tuple[str, ...]:
    base = shipped("skills")
    return tuple(sorted(name for name in os.listdir(base) if os.path.isfile(os.path.join(base, name, "SKILL.md"))))


def shipped_skills(names: tuple[str, ...] = ()) -> tuple[Skill, ...]:
    """Those of these names, with our prefix or without; all of them where none is named."""
    known = shipped_names()
    wanted = tuple(dict.fromkeys(name.strip().casefold().removeprefix("dctx-") for name in names)) or known
    for name in wanted:
        if name not in known:
            raise UsageProblem(f"dctx brings no skill {name!r}.", "Skills: " + ", ".join(known))
    return tuple(parse_skill(read_shipped("skills", name, "SKILL.md")) for name in wanted)
