"""Lints skills, and mends what can be mended in the files of a project."""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.base.system.write import write_whole
from director_ctx.clients.skills.files import SHIPPED, SkillFile, find_skill, list_skills
from director_ctx.clients.skills.find import read_skill
from director_ctx.clients.skills.rules import RuleFinding, lint, mended
from director_ctx.clients.skills.skill import Skill
from director_ctx.project.project import Project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_BOM = b"\xef\xbb\xbf"


class Linted(Record):
    skill: Skill
    findings: tuple[RuleFinding, ...]
    before: str
    """The text as it was, where it was mended."""


def lint_skills(names: Sequence[str], root: str, fix: bool) -> list[Linted]:
    """The named ones, or all. Without a name, only files of the project are mended."""
    project = Project(root)
    skills = [find_skill(name, root) for name in names]
    if not skills:
        skills = list(list_skills(root))

    results: list[Linted] = []
    for skill in skills:
        may_mend = bool(names) or skill.source.startswith("project")
        results.append(_linted(skill, project, fix and may_mend))
    return results


def _linted(found: SkillFile, project: Project, fix: bool) -> Linted:
    try:
        skill = read_skill(found)
    except DctxError as error:
        unread = Skill(
            name=found.name,
            source=found.source,
            path=found.path,
            text="",
            about={},
            body="",
            first_line=1,
            problem=error.message,
        )
        return Linted(
            unread,
            (
                RuleFinding(
                    level="error",
                    line=1,
                    says=error.message,
                    advice=error.hint,
                ),
            ),
            "",
        )

    before = ""
    if fix:
        body = mended(skill.body, skill.names)
        if body != skill.body:
            before = skill.text
            front = before.removesuffix(skill.body)
            _write(skill, front + body)
            skill = read_skill(found)

    def size(path: str) -> int:
        return len(project.text(path))

    return Linted(skill, lint(skill, size), before)


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
        mark = _BOM if old.startswith(_BOM) else b""
        line_end = "\r\n" if b"\r\n" in old else "\n"

        def as_bytes(text: str) -> bytes:
            return mark + text.replace("\n", line_end).encode()

        if as_bytes(skill.text) != old:
            raise DctxError(
                f"{skill.path} is not plain UTF-8 with lines of one kind.", "Mend it by hand."
            )
        write_whole(skill.path, as_bytes(text))
    except OSError as error:
        raise DctxError(
            f"Could not write {skill.path}: {error.strerror or error}.", "Nothing was changed."
        ) from error
