"""Lints skills, and mends what can be mended in the files of a project."""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.base.system.write import write_whole
from director_ctx.clients.skills.files import SHIPPED, SkillFile, find_skill, list_skills
from director_ctx.clients.skills.find import read_skill, unreadable
from director_ctx.clients.skills.mending import mended_body
from director_ctx.clients.skills.rules import ERROR, RuleFinding, lint
from director_ctx.project.project import Project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.clients.skills.skill import Skill

_BOM = b"\xef\xbb\xbf"


class Linted(Record):
    skill: Skill
    findings: tuple[RuleFinding, ...]
    before: str
    """The text as it was, where it was mended."""


def lint_skills(names: Sequence[str], root: str, fix: bool) -> list[Linted]:
    """The named ones, or all. Without a name, only files of the project are mended."""
    project = Project(root)
    files = [find_skill(name, root) for name in names]
    if not files:
        files = list(list_skills(root))

    results: list[Linted] = []
    for file in files:
        may_mend = bool(names) or file.source.startswith("project")
        results.append(_linted(file, project, fix and may_mend))
    return results


def _linted(file: SkillFile, project: Project, fix: bool) -> Linted:
    try:
        skill = read_skill(file)
    except DctxError as error:
        finding = RuleFinding(
            level=ERROR,
            line=1,
            says=error.message,
            advice=error.hint,
        )
        return Linted(unreadable(file, error), (finding,), "")

    before = ""
    if fix:
        body = mended_body(skill.body, skill.names)
        if body != skill.body:
            before = skill.text
            front = before.removesuffix(skill.body)
            _write(skill, front + body)
            skill = read_skill(file)

    def size(path: str) -> int:
        return len(project.text(path))

    findings = lint(skill, size)
    return Linted(skill, findings, before)


def _write(skill: Skill, text: str) -> None:
    """The file keeps its mark and its line ends."""
    if skill.source == SHIPPED:
        raise DctxError(
            f"{skill.path} belongs to dctx itself.",
            "`dctx agents install --what skills` makes a copy of your own.",
        )
    try:
        with open(skill.path, "rb") as file:
            old = file.read()
        mark = b""
        if old.startswith(_BOM):
            mark = _BOM
        line_end = "\n"
        if b"\r\n" in old:
            line_end = "\r\n"

        def as_bytes(text: str) -> bytes:
            return mark + text.replace("\n", line_end).encode()

        # What cannot be written back as it is would be changed beside what is mended.
        if as_bytes(skill.text) != old:
            raise DctxError(
                f"{skill.path} is not plain UTF-8 with lines of one kind.", "Mend it by hand."
            )
        write_whole(skill.path, as_bytes(text))
    except OSError as error:
        raise DctxError(
            f"Could not write {skill.path}: {error.strerror or error}.", "Nothing was changed."
        ) from error
