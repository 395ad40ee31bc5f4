"""`dctx skill lint`: what is wrong with skills, and the mended text of those that can be mended."""

from __future__ import annotations

from director_ctx.base.errors import FAILED, OK
from director_ctx.base.record import as_dict
from director_ctx.base.text import plain
from director_ctx.clients.skills.find import here
from director_ctx.clients.skills.lint import Linted, lint_skills
from director_ctx.clients.skills.rules import ERROR
from director_ctx.doors.cli.shared.asking import patch_lines
from director_ctx.doors.cli.shared.output import put_json
from director_ctx.doors.cli.shared.table import put_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

STYLES = {"error": "bold red", "warning": "yellow", "note": "dim"}


def run(values: dict[str, Any]) -> int:
    done = lint_skills(values["names"], here(values["root"]), values["fix"])
    if values["json"]:
        put_json([_json(one) for one in done])
    else:
        put_lines(
            [*(line for one in done for line in _lines(one)), (_summary(done), "bold")], tabs=True
        )
    return FAILED if any(finding.level == ERROR for one in done for finding in one.findings) else OK


def _json(one: Linted) -> dict[str, Any]:
    findings = [as_dict(finding) for finding in one.findings]
    return {
        "name": one.skill.name,
        "path": one.skill.path,
        "mended": bool(one.before),
        "findings": findings,
    }


def _lines(one: Linted) -> Iterator[tuple[str, str]]:
    path = plain(one.skill.path)
    if one.before:
        yield f"{path} was mended:", "green"
        yield from _changes(one)
    for finding in one.findings:
        yield (
            f"{path}:{finding.line}: {finding.level}: {plain(finding.says)}",
            STYLES[finding.level],
        )
        can = " (--fix does it)" if finding.mends else ""
        yield f"  {plain(finding.advice)}{can}", "dim"


def _summary(done: list[Linted]) -> str:
    """One line for all of them: what is right needs no line each."""
    levels = [finding.level for one in done for finding in one.findings]
    counts = [(levels.count(level), level) for level in STYLES if level in levels]
    said = (
        ", ".join(f"{count} {level}{'s' * (count > 1)}" for count, level in counts)
        or "nothing is wrong"
    )
    return f"{len(done)} skill{'s' * (len(done) != 1)}: {said}."


def _changes(one: Linted) -> Iterator[tuple[str, str]]:
    """Without the names of the files, for the line before says which it is."""
    for line, style in list(patch_lines(one.before, one.skill.text, "before", "after", around=0))[
        2:
    ]:
        yield f"  {line}", style
