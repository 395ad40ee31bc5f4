"""The status line in Claude Code's settings: decided first, shown, then written by `carry_out` of hooks.

There is one at a time, so somebody else's stays, and whoever asks for ours is told of it.
"""

from __future__ import annotations

import os

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.base.text import plain
from director_ctx.clients.entries import PROGRAM, shell_line
from director_ctx.clients.json_text import NotJson
from director_ctx.clients.program import file_to_write, program, settings_files, shown_path
from director_ctx.clients.servers.in_json import is_bare, server_in, with_server, without_server
from director_ctx.clients.settings_change import SettingsChange
from director_ctx.clients.settings_file import STATUS_LINE, read_receipt, read_settings
from director_ctx.clients.settings_text import without_entries
from director_ctx.clients.table import CLIENTS
from director_ctx.project.reading.locate import inside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

CLIENT = "claude"
KEY = "statusLine"
COMMAND = "statusline"


class InstalledLine(Record):
    """Our status line in one file of settings."""

    path: str
    command: str
    of_project: bool


def description(words: Sequence[str]) -> dict[str, Any]:
    line = shell_line((*words, COMMAND, "--color"))
    return {"type": "command", "command": line}


def is_ours(written: object) -> bool:
    """Whether it is a call of dctx, whichever."""
    command = called(written)
    before, word, _ = command.partition(f" {COMMAND}")
    name = os.path.basename(before.replace("\\", "/").rstrip("\"'"))
    is_module = before.endswith("-m director_ctx")
    return bool(word) and (name.removesuffix(".exe") == PROGRAM or is_module)


def called(written: object) -> str:
    if not isinstance(written, dict):
        return ""
    command = written.get("command")
    return command if isinstance(command, str) else ""


def plan_install(root: str | None) -> tuple[SettingsChange, ...]:
    """The files that change; none where it is there already."""
    client = CLIENTS[CLIENT]
    words = program()
    target = file_to_write(client, root, words)
    for path in _files(root):
        _refuse_foreign(path, root)

    changes = []
    for path in settings_files(client, root):
        wanted = None
        if path == target:
            wanted = description(words)
        changes.append(_change(path, root, wanted))
    return _checked(changes, root)


def plan_remove(root: str | None) -> tuple[SettingsChange, ...]:
    changes = [_change(path, root, None) for path in settings_files(CLIENTS[CLIENT], root)]
    return _checked(changes, root)


def _files(root: str | None) -> tuple[str, ...]:
    """Those whose status line would not be shown any more: the user's own, too."""
    client = CLIENTS[CLIENT]
    users = settings_files(client, None)
    if root is None:
        return users
    return (*settings_files(client, root), *users)


def _written(path: str, root: str | None) -> tuple[str | None, object]:
    """The text of a file, and the status line in it."""
    text = read_settings(path)
    if text is None or not text.strip("\ufeff \t\r\n"):
        return text, None
    try:
        return text, server_in(text, (), KEY)
    except NotJson as error:
        name = shown_path(path, root)
        raise DctxError(
            f"{name} is not JSON as Claude Code reads it: {error}.", "Mend it, and try again."
        ) from None


def installed_lines(root: str | None) -> list[InstalledLine]:
    """Where ours is; a file that cannot be read is named by whoever looks for hooks in it."""
    client = CLIENTS[CLIENT]
    places: list[tuple[str, str | None]] = [(path, None) for path in settings_files(client, None)]
    if root:
        places += [(path, root) for path in settings_files(client, root)]
    lines = []
    for path, scope in places:
        try:
            _, written = _written(path, scope)
        except DctxError:
            continue
        if is_ours(written):
            lines.append(InstalledLine(shown_path(path, scope), called(written), scope is not None))
    return lines


def _refuse_foreign(path: str, root: str | None) -> None:
    _, written = _written(path, root)
    if written is None or is_ours(written):
        return
    what = "another one"
    if called(written):
        what = f"`{plain(called(written)[:200])}`"
    raise DctxError(
        f"{shown_path(path, root)} has a status line already, {what}: it stays as it is.",
        "Claude Code shows one. To have both, call `dctx statusline` in yours, with what comes on its"
        " standard input; or take yours out, and try again.",
    )


def _change(path: str, root: str | None, wanted: dict[str, Any] | None) -> SettingsChange:
    before, written = _written(path, root)
    original = before
    if is_ours(written):
        original = _without_us(path, before or "")
    after = original
    if wanted is not None:
        after = before
        if written != wanted:
            after = with_server(original, (), KEY, wanted)
    name = shown_path(path, root)
    return SettingsChange(path, name, before, after, original, STATUS_LINE)


def _without_us(path: str, text: str) -> str | None:
    """What was there before us; if somebody has changed the file since, what is there now less our
    line.
    """
    receipt = read_receipt(path, STATUS_LINE)
    if receipt and receipt.is_untouched(text):
        return receipt.before
    before = receipt.before if receipt else None
    rest = without_server(text, (), KEY, before)
    if receipt and is_bare(rest) and _had_nothing(before):
        return None
    return rest


def _had_nothing(before: str | None) -> bool:
    """Whether there was no file before us, or one with nothing but our hooks."""
    if before is None:
        return True
    rest = without_entries(before, CLIENTS[CLIENT])
    return rest != before and is_bare(rest)


def _checked(changes: Sequence[SettingsChange], root: str | None) -> tuple[SettingsChange, ...]:
    real = [change for change in changes if change.before != change.after]
    for change in real:
        if root is not None and not inside(os.path.realpath(change.path), os.path.realpath(root)):
            # A link that a repository brings would let it choose what is written over.
            raise DctxError(
                f"{change.name} leads out of the project.", "Remove the link, or use --user."
            )
    return tuple(real)
