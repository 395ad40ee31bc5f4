"""Lints skills, and mends what can be mended in the files of a project."""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.base.system.write import write_whole
from director_ctx.clients.skills.files import SHIPPED, Found, find_skill, list_skills
from director_ctx.clients.skills.find import read_skill
from director_ctx.clients.skills.rules import Finding, lint, mended
from director_ctx.clients.skills.skill import Skill
from director_ctx.project.project import Project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_BOM = b"\xef\xbb\xbf"


class Linted(Record):
    skill: Skill
    findings: tuple[Finding, ...]
    before: str
    """The text as it was, where it was mended."""


def lint_skills(names: Sequence[str], root: str, fix: bool) -> list[Linted]:
    """The named ones, or all. Without a name, only files of the project are mended."""
    project = Project(root)
    found = [find_skill(name, root) for name in names] or list(list_skills(root))
    return [
        _linted(one, project, fix and (bool(names) or one.source.startswith("project")))
        for one in found
    ]


def _linted(found: Found, project: Project, fix: bool) -> Linted:
    try:
        skill = read_skill(found)
    except DctxError as error:
        nothing = Skill(found.name, found.source, found.path, "", {}, "", 1, error.message)
        return Linted(nothing, (Finding("error", 1, error.message, error.hint),), "")
    before = ""
    if fix and (better := mended(skill.body, skill.names)) != skill.body:
        before = skill.text
        _write(skill, before[: len(before) - len(skill.body)] + better)
        skill = read_skill(found)
    return Linted(skill, lint(skill, lambda place: len(project.text(place))), before)


def _write(skill: Skill, text: str) -> None:
    """The file keeps its mark and its line ends."""
    if skill.source == SHIPPED:
        raise DctxError(
            f"{skill.path} belongs to dctx itself.",
            "`dctx skill install` makes a copy of your own.",
        )
    try:
        with open(skill.path, "rb") as file:
            old = file.read()
        mark, ends = (_BOM if old.startswith(_BOM) else b""), ("\r\n" if b"\r\n" in old else "\n")
        if mark + skill.text.replace("\n", ends).encode() != old:
            raise DctxError(
                f"{skill.path} is not plain UTF-8 with lines of one kind.", "Mend it by hand."
            )
        write_whole(skill.path, mark + text.replace("\n", ends).encode())
    except OSError as error:
        raise DctxError(
            f"Could not write {skill.path}: {error.strerror or error}.", "Nothing was changed."
        ) from error
