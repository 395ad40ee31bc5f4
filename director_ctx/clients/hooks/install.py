"""Hooks into a client's settings and out again: decided first, shown, then written."""

from __future__ import annotations

import os

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.clients.by_server import calls_server
from director_ctx.clients.entries import (
    BY_COMMAND,
    FALLBACK,
    PROGRAM,
    TOOL,
    Asking,
    handlers_in,
    hook_entries,
)
from director_ctx.clients.json_text import NotJson
from director_ctx.clients.presence import is_possible
from director_ctx.clients.program import (
    file_to_write,
    plugin_file,
    program,
    settings_files,
    shown_path,
)
from director_ctx.clients.settings_file import (
    HOOKS,
    only_writer,
    read_receipt,
    read_settings,
    restore_settings,
    text_by_then,
    write_settings,
)
from director_ctx.clients.settings_text import (
    NOTHING,
    containers,
    is_bare,
    own_entries,
    read,
    with_entries,
    without_entries,
)
from director_ctx.clients.table import CLIENTS
from director_ctx.project.git.changes import could_be_committed
from director_ctx.project.reading.locate import inside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from director_ctx.clients.entries import Entries
    from director_ctx.clients.table import Client


class SettingsChange(Record):
    """One settings file before and after; None where there is no file."""

    path: str
    name: str
    """As it is shown."""
    before: str | None
    after: str | None
    original: str | None
    """What it was, or would be, without us."""
    part: str = HOOKS
    """What of ours is in it."""


def texts_after(changes: Iterable[SettingsChange]) -> dict[str, str | None]:
    """What each file holds once these are written, for whoever plans the next change."""
    return {change.path: change.after for change in changes}


def plan_install(
    client: Client,
    root: str | None,
    at: str,
    prompts: bool,
    by_server: bool = False,
) -> tuple[SettingsChange, ...]:
    """The files that change so that exactly these hooks are there; none where they are there
    already.
    """
    if by_server:
        _refuse_without_server(client)
    plugin_settings = plugin_file(client, root)
    if plugin_settings:
        where = shown_path(plugin_settings, root)
        raise DctxError(
            f"The plugin dctx is switched on in {where} and brings these hooks: they would run twice.",
            "Keep the plugin, or switch it off first: claude plugin disable dctx.",
        )

    words = program()
    settings = file_to_write(client, root, words)
    # In another file they would run twice, so there they are taken out.
    entries: dict[str, Entries | None] = {}
    for path in settings_files(client, root):
        if path != settings:
            entries[path] = None
    if not by_server:
        entries[settings] = hook_entries(client, words, at, prompts, BY_COMMAND)
        return _changes(client, root, entries)

    of_server = file_for_server(client, root)
    if of_server == settings:
        entries[settings] = hook_entries(client, words, at, prompts, Asking((TOOL, FALLBACK)))
    else:
        entries[of_server] = hook_entries(client, words, at, prompts, Asking((TOOL,)))
        entries[settings] = hook_entries(client, words, at, prompts, Asking((FALLBACK,)))
    return _changes(client, root, entries)


def file_for_server(client: Client, root: str | None) -> str:
    """Where hooks are that ask a server: in the file that is the user's alone, if there is one. Who
    shares the other has no such server yet, and Copilot CLI passes over a whole file with such a
    hook.
    """
    return settings_files(client, root)[-1]


def _refuse_without_server(client: Client) -> None:
    if not client.by_tool:
        raise DctxError(
            f"The hooks of {client.title} cannot ask a server: they start a program each time.",
            "Leave --via mcp out.",
        )
    if not is_possible():
        raise DctxError(
            "On Windows no shell tells a hook whether the server is there.", "Leave --via mcp out."
        )


def plan_uninstall(
    client: Client,
    root: str | None,
    ahead: Mapping[str, str | None] = {},
) -> tuple[SettingsChange, ...]:
    """`ahead` are texts of files that other changes will have written by then."""
    nothing: dict[str, Entries | None] = dict.fromkeys(settings_files(client, root))
    return _changes(client, root, nothing, ahead)


def _changes(
    client: Client,
    root: str | None,
    entries_by_path: dict[str, Entries | None],
    ahead: Mapping[str, str | None] = {},
) -> tuple[SettingsChange, ...]:
    changes: list[SettingsChange] = []
    for path, entries in entries_by_path.items():
        before = text_by_then(path, ahead)
        change = _change(client, path, shown_path(path, root), before, entries)
        if change.before != change.after:
            changes.append(change)

    for change in changes:
        if root is not None and not inside(os.path.realpath(change.path), os.path.realpath(root)):
            # A link that a repository brings would let it choose what is written over.
            raise DctxError(
                f"{change.name} leads out of the project.", "Remove the link, or use --user."
            )
    return tuple(changes)


def _change(
    client: Client,
    path: str,
    name: str,
    before: str | None,
    entries: Entries | None,
) -> SettingsChange:
    try:
        ours: Entries = {}
        if before is not None:
            ours = own_entries(before, client)
        if ours == (entries or {}):
            return SettingsChange(
                path=path,
                name=name,
                before=before,
                after=before,
                original=before,
            )
        original = _without_us(client, path, before)
        after = original
        if entries:
            after = with_entries(original, client, entries)
    except NotJson as error:
        raise DctxError(
            f"{name} is not JSON as {client.title} reads it: {error}.", "Mend it, and try again."
        ) from None

    is_installing = bool(entries) and client.strict
    if is_installing and original and original.strip() and read(original).loose:
        raise DctxError(
            f"{name} has comments, or a comma at an end: {client.title} passes over the whole file then.",
            "Take them out; then its other settings count again too, and hooks can be installed.",
        )
    return SettingsChange(
        path=path,
        name=name,
        before=before,
        after=after,
        original=original,
    )


def _without_us(client: Client, path: str, text: str | None) -> str | None:
    """What was there before us; if somebody has changed the file since, what is there now less our
    entries.
    """
    if text is None:
        return None
    receipt = read_receipt(path)
    if receipt is None:
        return without_entries(text, client)
    if receipt.is_untouched(text):
        return receipt.before

    keep: frozenset[str] = NOTHING
    if receipt.before:
        # What was empty before us stays there, empty.
        keep = containers(receipt.before)
    rest = without_entries(text, client, keep)
    if receipt.before is None and is_bare(rest, client):
        return None
    return rest


def carry_out(changes: tuple[SettingsChange, ...]) -> None:
    """Writes what was shown; refuses where a file is no longer what it was then."""
    with only_writer():
        for change in changes:
            now = read_settings(change.path)
            if now == change.after:
                continue  # somebody else did the same meanwhile
            if now != change.before:
                raise DctxError(
                    f"{change.name} was changed meanwhile.", "Look at it, and try again."
                )
            _write(change)


def _write(change: SettingsChange) -> None:
    if change.after is None or change.after == change.original:
        restore_settings(change.path, change.after, change.part)
    else:
        write_settings(change.path, change.after, change.original, change.part)


def remarks(
    client: Client,
    root: str | None,
    here: str | None,
) -> list[tuple[str, str]]:
    """What a person, in the project `here`, should know about hooks that have just been installed:
    each with a hint.
    """
    every = (
        _borrowers(client, root),
        _trust(client, root),
        _machine(client, root),
        _twice(client, root, here),
    )
    return [remark for remark in every if remark]


def _borrowers(client: Client, root: str | None) -> tuple[str, str] | None:
    """Who reads the same file, and does not know such hooks."""
    if root is None or not _asks_server(client, root):
        return None
    words = program()
    if client.name not in CLIENTS["copilot"].borrows or words == (PROGRAM,):
        return None
    return (
        f"Copilot CLI passes over all of {client.local_settings} now, if you use it here.",
        "dctx agents install --client copilot",
    )


def _asks_server(client: Client, root: str | None) -> bool:
    path = file_for_server(client, root)
    try:
        text = read_settings(path) or ""
        entries = own_entries(text, client)
    except (DctxError, NotJson):
        return False
    return any(map(calls_server, handlers_in(entries)))


def _trust(client: Client, root: str | None) -> tuple[str, str] | None:
    if client.review:
        said = f"{client.title} runs no hook before you have looked at it."
        return said, f"Start {client.program} and say {client.review} once."
    if client.name == "gemini" and root:
        return (
            "Gemini CLI warns of a project's new hooks once, and runs them in trusted folders only.",
            "",
        )
    return None


def _machine(client: Client, root: str | None) -> tuple[str, str] | None:
    if root is None or program() == (PROGRAM,):
        return None
    if not client.local_settings:
        return (
            f"{client.settings} names the path of dctx on this machine.",
            "Keep it out of git: add it to .git/info/exclude."
            " With dctx on everyone's PATH (pipx, uv tool) it can be shared.",
        )

    start = "With"
    if could_be_committed(root, file_to_write(client, root, program())):
        start = "Keep it out of git: add it to .git/info/exclude. With"
    return (
        f"The hooks name the path of dctx on this machine, so they are in {client.local_settings}, which is yours.",
        f"{start} dctx on everyone's PATH (pipx, uv tool) they go into"
        f" {client.settings}, which a project shares.",
    )


def _twice(
    client: Client,
    root: str | None,
    here: str | None,
) -> tuple[str, str] | None:
    """Looked for in the other scope."""
    if not root and not here:
        return None
    own = settings_files(client, root)
    other = here
    if root:
        other = None
    for path in settings_files(client, other):
        if path not in own and _has_ours(client, path):
            said = f"Hooks are also in {shown_path(path, other)}, so they run twice here; one of the two is enough."
            return said, f"dctx agents remove --client {client.name} --project"
    return None


def _has_ours(client: Client, path: str) -> bool:
    try:
        text = read_settings(path) or ""
        return bool(own_entries(text, client))
    except (DctxError, NotJson):
        return False
