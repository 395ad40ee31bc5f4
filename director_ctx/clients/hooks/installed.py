"""Which of our hooks are installed where, and whether they can work."""

from __future__ import annotations

import os
import shutil

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.clients.entries import handler_words, hook_entries, readers
from director_ctx.clients.json_text import NotJson
from director_ctx.clients.program import places, plugin_file, shown
from director_ctx.clients.settings_file import read_settings
from director_ctx.clients.settings_text import found, read
from director_ctx.clients.table import CLIENTS, PROMPT, SPAWN, START

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from director_ctx.clients.entries import Entries
    from director_ctx.clients.table import Client

USER, PROJECT = "user", "project"
TWICE = "Hooks are installed for this project and for every project: they run twice; one of the two is enough."


class Installation(Record):
    """Our hooks in one settings file, or brought by the plugin."""

    client: str
    scope: str
    path: str
    events: tuple[str, ...] = ()
    command: tuple[str, ...] = ()
    works: bool = True
    """Whether what is called is there."""
    current: bool = True
    """Whether these are the hooks that this version would install."""
    plugin: bool = False
    problem: str = ""
    """Why the file cannot be read."""


def installations(root: str | None) -> tuple[Installation, ...]:
    """Every place that has hooks of ours, or that cannot be read; for the user, then for the project."""
    rows = (row for client in CLIENTS.values() for row in _of_client(client, root))
    return tuple(rows)


def runs_twice(own: Sequence[Installation]) -> bool:
    """Whether the hooks of a client are in both scopes, or beside those that the plugin brings."""
    places = {(one.scope, one.plugin) for one in own if one.events or one.plugin}
    return len(places) > 1


def _of_client(client: Client, root: str | None) -> Iterator[Installation]:
    for scope, base in ((USER, None), (PROJECT, root)) if root else ((USER, None),):
        for path in places(client, base):
            yield from _in_file(client, scope, path, shown(path, base))
    if provided := plugin_file(client, root):
        yield Installation(client.name, USER if provided in places(client, None) else PROJECT, provided, plugin=True)


def _in_file(client: Client, scope: str, path: str, name: str) -> Iterator[Installation]:
    try:
        text = read_settings(path) or ""
        entries = found(text, client)
    except (DctxError, NotJson) as error:
        yield Installation(client.name, scope, name, problem=str(error))
        return
    if entries and client.strict and read(text).loose:
        said = f"It has comments, or a comma at an end: {client.title} passes over the whole file."
        yield Installation(client.name, scope, name, tuple(entries), problem=said)
    elif entries:
        words = called(entries)
        yield Installation(
            client.name,
            scope,
            name,
            tuple(entries),
            words,
            _is_there(words),
            entries == _wanted(client, entries, words),
        )


def called(entries: Entries) -> tuple[str, ...]:
    """How the first of our entries calls dctx."""
    group = next(iter(entries.values()))[0]
    words = handler_words(group.get("hooks", [group])[0])
    return tuple(words[: words.index("hook")])


def _is_there(words: tuple[str, ...]) -> bool:
    """Looked at, never run: the settings of a project are not to be trusted."""
    return bool(words) and bool(shutil.which(os.path.expanduser(words[0])))


def _wanted(client: Client, entries: Entries, words: tuple[str, ...]) -> Entries:
    """What an installation of the same kind would write today."""
    kinds = {reader.events.get(event) for reader in readers(client) for event in entries}
    return hook_entries(client, words, START if START in kinds else SPAWN, PROMPT in kinds)
