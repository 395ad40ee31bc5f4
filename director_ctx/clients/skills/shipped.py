"""The skills that dctx brings."""

from __future__ import annotations

import os

from director_ctx.base.errors import UsageProblem
from director_ctx.base.resources import read_shipped, shipped
from director_ctx.clients.skills.by_client import Shipped
from director_ctx.clients.skills.skill import split


def shipped_names() -> tuple[str, ...]:
    base = shipped("skills")
    return tuple(sorted(name for name in os.listdir(base) if os.path.isfile(os.path.join(base, name, "SKILL.md"))))


def shipped_skills(names: tuple[str, ...] = ()) -> tuple[Shipped, ...]:
    """Those of these names, with our prefix or without; all of them where none is named."""
    known = shipped_names()
    wanted = tuple(dict.fromkeys(name.strip().casefold().removeprefix("dctx-") for name in names)) or known
    for name in wanted:
        if name not in known:
            raise UsageProblem(f"dctx brings no skill {name!r}.", "Skills: " + ", ".join(known))
    return tuple(parse_shipped(read_shipped("skills", name, "SKILL.md")) for name in wanted)


def parse_shipped(text: str) -> Shipped:
    """Its frontmatter has one plain value a line, and needs no YAML."""
    front, body, _ = split(text)
    values = dict(line.split(": ", 1) for line in (front or "").splitlines())
    return Shipped(values["name"], values["description"], body.strip("\n"))
