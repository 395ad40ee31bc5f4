"""`dctx skill lint`: what is wrong with skills, and the mended text of those that can be mended."""

from __future__ import annotations

from director_ctx.base.errors import FAILED, OK
from director_ctx.base.record import as_dict
from director_ctx.base.text import plain
from director_ctx.clients.skills.find import here
from director_ctx.clients.skills.lint import Linted, lint_skills
from director_ctx.clients.skills.rules import ERROR
from director_ctx.doors.cli.shared.output import put_json
from director_ctx.doors.cli.shared.patches import patch_lines
from director_ctx.doors.cli.shared.table import put_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

STYLES = {"error": "bold red", "warning": "yellow", "note": "dim"}


def run(values: dict[str, Any]) -> int:
    linted = lint_skills(values["names"], here(values["root"]), values["fix"])
    if values["json"]:
        put_json([_json(skill) for skill in linted])
    else:
        lines: list[tuple[str, str]] = []
        for skill in linted:
            lines += _lines(skill)
        lines.append((_summary(linted), "bold"))
        put_lines(lines, tabs=True)
    return FAILED if ERROR in _levels(linted) else OK


def _levels(linted: list[Linted]) -> list[str]:
    """How bad each thing is that was found."""
    levels = []
    for skill in linted:
        for finding in skill.findings:
            levels.append(finding.level)
    return levels


def _json(linted: Linted) -> dict[str, Any]:
    return {
        "name": linted.skill.name,
        "path": linted.skill.path,
        "mended": bool(linted.before),
        "findings": [as_dict(finding) for finding in linted.findings],
    }


def _lines(linted: Linted) -> Iterator[tuple[str, str]]:
    path = plain(linted.skill.path)
    if linted.before:
        yield f"{path} was mended:", "green"
        yield from _changes(linted)
    for finding in linted.findings:
        line = f"{path}:{finding.line}: {finding.level}: {plain(finding.says)}"
        yield line, STYLES[finding.level]
        advice = plain(finding.advice)
        if finding.mends:
            advice += " (--fix does it)"
        yield f"  {advice}", "dim"


def _summary(linted: list[Linted]) -> str:
    """One line for all of them: what is right needs no line each."""
    levels = _levels(linted)
    counts = []
    for level in STYLES:
        if level in levels:
            counts.append(_number_of(levels.count(level), level))
    said = ", ".join(counts) or "nothing is wrong"
    return f"{_number_of(len(linted), 'skill')}: {said}."


def _number_of(count: int, what: str) -> str:
    if count == 1:
        return f"1 {what}"
    return f"{count} {what}s"


def _changes(linted: Linted) -> Iterator[tuple[str, str]]:
    """Without the names of the files, for the line before says which it is."""
    patch = list(patch_lines(linted.before, linted.skill.text, "before", "after", around=0))
    for line, style in patch[2:]:
        yield f"  {line}", style
