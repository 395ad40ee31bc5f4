"""Hooks into a client's settings and out again: decided first, shown, then written."""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.clients.entries import hook_entries
from director_ctx.clients.json_text import NotJson
from director_ctx.clients.program import (
    file_to_write,
    plugin_file,
    program,
    settings_files,
    shown_path,
)
from director_ctx.clients.settings_change import SettingsChange, refuse_links
from director_ctx.clients.settings_file import (
    read_receipt,
    text_by_then,
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

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from director_ctx.clients.entries import Entries
    from director_ctx.clients.table import Client


def plan_install(
    client: Client,
    root: str | None,
    prompts: bool,
) -> tuple[SettingsChange, ...]:
    """The files that change so that exactly these hooks are there; none where they are there
    already.
    """
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
    entries[settings] = hook_entries(client, words, prompts)
    return _changes(client, root, entries)


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

    refuse_links(root, changes)
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
