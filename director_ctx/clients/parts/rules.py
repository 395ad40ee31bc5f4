"""Rules: our section of AGENTS.md and its like, in one project."""

from __future__ import annotations

import os

from director_ctx.base.errors import DctxError
from director_ctx.base.escape import escape_tags
from director_ctx.clients.entries import PROGRAM
from director_ctx.clients.file_change import BYTES_KEPT, FileChange, text_by_then
from director_ctx.clients.parts.part import PROJECT, RULES, Installed, Part, each_once, guarded
from director_ctx.clients.program import program
from director_ctx.clients.rules_section import (
    FILES,
    HEADS,
    Odd,
    section_text,
    with_section,
    without_section,
)
from director_ctx.project.project import load_project
from director_ctx.project.reading.locate import inside
from director_ctx.upkeep.status import project_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from director_ctx.clients.file_change import Ahead
    from director_ctx.clients.parts.part import Changes, Remark, Wish

ENDINGS = (".md", ".mdc")
"""What a link may lead to: AGENTS.md and CLAUDE.md are often one file."""
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


def _put(client: str, root: str | None, _: Wish, ahead: Ahead) -> Changes:
    return _changes(client, root, ahead, is_removal=False)


def _take(client: str, root: str | None, ahead: Ahead) -> Changes:
    return _changes(client, root, ahead, is_removal=True)


def _changes(client: str, root: str | None, ahead: Ahead, is_removal: bool) -> Changes:
    if root is None:
        return ()
    name = FILES[client]
    path = _path(root, name)
    text = text_by_then(path, ahead, BYTES_KEPT)
    before = None if text is None else text.encode("utf-8", BYTES_KEPT)
    if before and before.startswith(_UTF_16):
        raise DctxError(f"{name} is not UTF-8.", "Write it as UTF-8, and try again.")
    head = HEADS.get(client, "")
    try:
        original = None if before is None else without_section(before, head)
        after = original
        if not is_removal:
            title, _ = escape_tags(project_name(load_project(root=root)))
            after = with_section(before, section_text(title), head)
    except Odd as error:
        raise DctxError(
            f"{name}: {error}.", "Put the marks right, or take them out, and try again."
        ) from error
    if before == after:
        return ()
    return (FileChange(path, name, text, _text(after), _text(original), RULES),)


def _text(data: bytes | None) -> str | None:
    return None if data is None else data.decode("utf-8", BYTES_KEPT)


def _path(root: str, name: str) -> str:
    path = os.path.join(root, *name.split("/"))
    real, top = os.path.realpath(path), os.path.realpath(root)
    # A link that a repository brings could lead to its own hooks and configuration,
    if not inside(real, top) or ".git" in real[len(top) :].split(os.sep):
        raise DctxError(f"{name} leads out of the project.", "Remove the link.")
    # or have us write into a script of the project.
    if os.path.islink(path) and not real.endswith(ENDINGS):
        raise DctxError(f"{name} is a link to something that is no document.", "Remove the link.")
    return path


def installed_rules(root: str | None) -> Iterator[Installed]:
    """Each file that has our section."""
    if root:
        every = (
            found
            for client, name in FILES.items()
            for found in guarded(
                Installed(RULES, (client,), PROJECT, name),
                lambda place: _found(place, root),
            )
        )
        yield from each_once(every)


def _found(place: Installed, root: str) -> Installed | None:
    (client,) = place.clients
    if not _changes(client, root, {}, is_removal=True):
        return None
    return place.replace(current=not _changes(client, root, {}, is_removal=False))


def _remarks(client: str, root: str | None, changes: Changes) -> Iterator[Remark]:
    if program() != (PROGRAM,):
        yield (
            "The section calls `dctx`, but an agent may not find that program: it is installed in a "
            "virtual environment.",
            "`pipx install director-ctx` or `uv tool install director-ctx` makes it a command everywhere.",
        )


def _files(client: str, root: str | None) -> list[str]:
    return [os.path.join(root, *FILES[client].split("/"))] if root else []


PART = Part(
    name=RULES,
    what="rules",
    clients=tuple(FILES),
    find=installed_rules,
    put=_put,
    take=_take,
    files=_files,
    remarks=_remarks,
    for_user=False,
)
