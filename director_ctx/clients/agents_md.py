"""Our section of AGENTS.md and its like: decided, then written."""

from __future__ import annotations

import os

from director_ctx.base.errors import DctxError
from director_ctx.base.escape import escape_tags
from director_ctx.base.record import Record
from director_ctx.base.system.write import write_whole
from director_ctx.clients.agents_md_section import (
    FILES,
    HEADS,
    Odd,
    section_text,
    with_section,
    without_section,
)
from director_ctx.project.reading.locate import inside
from director_ctx.upkeep.status import project_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.project.project import Project

LARGEST = 10_000_000
ENDINGS = (".md", ".mdc")
"""What a link may lead to: AGENTS.md and CLAUDE.md are often one file."""
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


class FileChange(Record):
    """One file before and after; None where there is no file."""

    path: str
    """In the project."""
    full_path: str
    before: bytes | None
    after: bytes | None


def plan(project: Project, client: str, remove: bool) -> FileChange:
    """What would be written for a client."""
    path = FILES[client]
    full_path = _full_path(project.root, path)
    before = _read(full_path, path)
    head = HEADS.get(client, "")
    after: bytes | None = None
    try:
        if not remove:
            name, _ = escape_tags(project_name(project))
            after = with_section(before, section_text(name), head)
        elif before is not None:
            after = without_section(before, head)
    except Odd as error:
        raise DctxError(
            f"{path}: {error}.", "Put the marks right, or take them out, and try again."
        ) from error
    return FileChange(
        path=path,
        full_path=full_path,
        before=before,
        after=after,
    )


class InstalledRules(Record):
    """A file that has our section."""

    path: str
    current: bool
    """Whether it is as an install would write it."""
    problem: str = ""


def installed_rules(project: Project) -> tuple[InstalledRules, ...]:
    """Each file once: several clients may read the same."""
    by_path: dict[str, InstalledRules] = {}
    for client, path in FILES.items():
        if path in by_path:
            continue
        try:
            removal = plan(project, client, remove=True)
            if removal.before == removal.after:
                continue
            wanted = plan(project, client, remove=False)
            by_path[path] = InstalledRules(path, wanted.before == wanted.after)
        except DctxError as error:
            by_path[path] = InstalledRules(path, False, error.message)
    return tuple(by_path.values())


def _full_path(root: str, path: str) -> str:
    full_path = os.path.join(root, *path.split("/"))
    real = os.path.realpath(full_path)
    base = os.path.realpath(root)
    if not inside(real, base):
        raise DctxError(f"{path} leads out of the project.", "Remove the link.")

    folders = real[len(base) :].split(os.sep)
    # A link that a repository brings could lead to its own hooks and configuration.
    if ".git" in folders:
        raise DctxError(f"{path} leads out of the project.", "Remove the link.")
    # A link could have us write into a script of the project.
    if os.path.islink(full_path) and not real.endswith(ENDINGS):
        raise DctxError(f"{path} is a link to something that is no document.", "Remove the link.")
    return full_path


def _read(full_path: str, path: str) -> bytes | None:
    try:
        if os.path.lexists(full_path) and not os.path.isfile(full_path):
            raise DctxError(f"{path} is not a regular file.", "Move it away, and try again.")
        with open(full_path, "rb") as file:
            data = file.read(LARGEST + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise DctxError(
            f"{path} cannot be read: {error.strerror}.", "Mend that, and try again."
        ) from error
    is_utf_16 = data.startswith(_UTF_16)
    if is_utf_16 or len(data) > LARGEST:
        raise DctxError(f"{path} is too large, or not UTF-8.", "Write it as UTF-8, and try again.")
    return data


def carry_out(change: FileChange) -> None:
    if change.after is None:
        os.unlink(change.full_path)
        return
    os.makedirs(os.path.dirname(change.full_path), exist_ok=True)
    write_whole(change.full_path, change.after)
