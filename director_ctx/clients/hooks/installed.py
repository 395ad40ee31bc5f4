"""Which of our hooks are installed where, and whether they can work and may be run for a proof."""

from __future__ import annotations

import os
import shutil

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.clients.entries import PROGRAM, handler_words, hook_entries, readers
from director_ctx.clients.json_edit import NotJson
from director_ctx.clients.program import places, plugin_file, program, shown
from director_ctx.clients.settings_file import read_settings
from director_ctx.clients.settings_text import found, read
from director_ctx.clients.table import CLIENTS, PROMPT, SPAWN, START
from director_ctx.project.git.log import working_tree
from director_ctx.project.reading.locate import inside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from director_ctx.clients.entries import Entries, Entry
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
    """Every place that has hooks of ours, or that cannot be read; for the user, then for the
    project.
    """
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
        yield Installation(
            client.name,
            USER if provided in places(client, None) else PROJECT,
            provided,
            plugin=True,
        )


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


class Placed(Record):
    """The hooks of one settings file."""

    path: str
    """Below the project, or below the home."""
    of_user: bool
    entries: Entries


def hooks_in_place(client: Client, root: str) -> tuple[Placed, ...]:
    """Those that are installed, file by file. The files can be read: somebody has looked."""
    user = [Placed(client.user_settings, True, found(read_settings(path) or "", client))
            for path in places(client, None)]  # fmt: skip
    own = [Placed(os.path.relpath(path, root), False, found(read_settings(path) or "", client))
           for path in places(client, root)]  # fmt: skip
    return tuple(one for one in (*user, *own) if one.entries)


def hooks_as_written(client: Client, at: str = SPAWN) -> tuple[Placed, ...]:
    """Those that `dctx hooks install` would write."""
    return (Placed(client.settings, False, hook_entries(client, program(), at)),)


def is_safe(client: Client, placed: Placed, root: str) -> bool:
    """Whether to run it is to run a dctx, and nothing that a project brings: its settings are not
    to be trusted.
    """
    words = called(placed.entries)
    ours = [*_handlers(client, hook_entries(client, words, SPAWN, True)),
            *_handlers(client, hook_entries(client, words, START, True))]  # fmt: skip
    return _is_dctx(words, root) and all(
        handler in ours for handler in _handlers(client, placed.entries)
    )


def _handlers(client: Client, entries: Entries) -> Iterator[Entry]:
    """What is run, without when and for how long."""
    for group in (group for groups in entries.values() for group in groups):
        for handler in [group] if client.flat else group["hooks"]:
            yield {
                key: value for key, value in handler.items() if key not in ("timeout", "matcher")
            }


def _is_dctx(words: tuple[str, ...], root: str) -> bool:
    """This one as it is called here; or `dctx`, unless what has that name on the PATH is of the
    repository.
    """
    if words == program():
        return True
    found = (shutil.which(PROGRAM) or "") if words == (PROGRAM,) else ""
    return os.path.isabs(found) and ((found,) == program() or not _is_within(found, root))


def _is_within(program: str, root: str) -> bool:
    """Whether it is the project's, or its repository's; also one that is only a link there, or
    behind one.
    """
    folder, name = os.path.split(os.path.normpath(program))
    ways = (
        os.path.join(folder, name),
        os.path.join(os.path.realpath(folder), name),
        os.path.realpath(program),
    )
    return any(
        inside(way, base)
        for way in ways
        for base in (root, working_tree(root) or os.path.realpath(root))
    )
