"""Which of our hooks are installed where, and whether they can work and may be run for a proof."""

from __future__ import annotations

import os
import shutil

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.clients.entries import (
    PROGRAM,
    handler_words,
    hook_entries,
    readers,
)
from director_ctx.clients.json_text import NotJson
from director_ctx.clients.program import plugin_file, program, settings_files, shown_path
from director_ctx.clients.settings_file import read_settings
from director_ctx.clients.settings_text import own_entries, read
from director_ctx.clients.table import CLIENTS, PROMPT
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
    """What is called."""
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
    every: list[Installation] = []
    for client in CLIENTS.values():
        every += _of_client(client, root)
    return tuple(every)


def runs_twice(own: Sequence[Installation]) -> bool:
    """Whether the hooks of a client are in both scopes, or beside those that the plugin brings."""
    sources: set[tuple[str, bool]] = set()
    for installation in own:
        if installation.events or installation.plugin:
            sources.add((installation.scope, installation.plugin))
    return len(sources) > 1


def _of_client(client: Client, root: str | None) -> Iterator[Installation]:
    user_files = settings_files(client, None)
    for path in user_files:
        yield from _in_file(client, USER, path, shown_path(path, None))
    if root:
        for path in settings_files(client, root):
            yield from _in_file(client, PROJECT, path, shown_path(path, root))

    plugin_settings = plugin_file(client, root)
    if not plugin_settings:
        return
    scope = PROJECT
    if plugin_settings in user_files:
        scope = USER
    yield Installation(client.name, scope, plugin_settings, plugin=True)


def _in_file(
    client: Client,
    scope: str,
    path: str,
    name: str,
) -> Iterator[Installation]:
    try:
        text = read_settings(path) or ""
        entries = own_entries(text, client)
    except (DctxError, NotJson) as error:
        yield Installation(client.name, scope, name, problem=str(error))
        return
    if not entries:
        return

    events = tuple(entries)
    # Our entries can be read in such a file, but the client does not read them.
    if client.strict and read(text).loose:
        said = f"It has comments, or a comma at an end: {client.title} passes over the whole file."
        yield Installation(
            client=client.name,
            scope=scope,
            path=name,
            events=events,
            problem=said,
        )
        return
    words = called_program(entries)
    works = _is_there(words)
    current = entries == _as_of_today(client, entries, words)
    yield Installation(
        client=client.name,
        scope=scope,
        path=name,
        events=events,
        command=words,
        works=works,
        current=current,
    )


def called_program(entries: Entries) -> tuple[str, ...]:
    """How the first of our entries calls dctx."""
    for handler in _handlers(entries):
        words = handler_words(handler)
        if words:
            end = words.index("hook")
            return tuple(words[:end])
    return ()


def _is_there(words: tuple[str, ...]) -> bool:
    """Looked at, never run: the settings of a project are not to be trusted."""
    if not words:
        return False
    program_path = os.path.expanduser(words[0])
    return shutil.which(program_path) is not None


def _as_of_today(
    client: Client,
    entries: Entries,
    words: tuple[str, ...],
) -> Entries:
    """What an installation of the same kind would write today."""
    kinds: set[str] = set()
    for reader in readers(client):
        for event in entries:
            kinds.add(reader.events.get(event, ""))
    return hook_entries(client, words, PROMPT in kinds)


class HooksInFile(Record):
    """The hooks of one settings file."""

    path: str
    """Below the project, or below the home."""
    of_user: bool
    entries: Entries


def installed_hooks(client: Client, root: str) -> tuple[HooksInFile, ...]:
    """Those that are installed, file by file. The files can be read: somebody has looked."""
    hooks: list[HooksInFile] = []
    for path in settings_files(client, None):
        entries = _entries_in(path, client)
        if entries:
            hooks.append(HooksInFile(client.user_settings, True, entries))
    for path in settings_files(client, root):
        entries = _entries_in(path, client)
        if entries:
            below = os.path.relpath(path, root)
            hooks.append(HooksInFile(below, False, entries))
    return tuple(hooks)


def _entries_in(path: str, client: Client) -> Entries:
    text = read_settings(path) or ""
    return own_entries(text, client)


def hooks_as_written(client: Client) -> tuple[HooksInFile, ...]:
    """Those that `dctx agents install` would write."""
    entries = hook_entries(client, program())
    placed = HooksInFile(client.settings, False, entries)
    return (placed,)


def is_safe(client: Client, placed: HooksInFile, root: str) -> bool:
    """Whether to run it is to run a dctx, and nothing that a project brings: its settings are not
    to be trusted.
    """
    words = called_program(placed.entries)
    if words and not is_dctx(words, root):
        return False
    # Any choice of events is ours.
    ours = list(_without_when(hook_entries(client, words, True)))
    return all(handler in ours for handler in _without_when(placed.entries))


def _without_when(entries: Entries) -> Iterator[Entry]:
    """What is run, without when and for how long."""
    for handler in _handlers(entries):
        run = dict(handler)
        run.pop("timeout", None)
        run.pop("matcher", None)
        yield run


def _handlers(entries: Entries) -> Iterator[Entry]:
    for groups in entries.values():
        for group in groups:
            # A client without groups lists the handlers themselves.
            yield from group.get("hooks", [group])


def is_dctx(words: tuple[str, ...], root: str) -> bool:
    """This one as it is called here; or `dctx`, unless what has that name on the PATH is of the
    repository.
    """
    own = program()
    if words == own:
        return True
    if words != (PROGRAM,):
        return False
    on_path = shutil.which(PROGRAM) or ""
    # A relative folder on the PATH leads into whatever folder a command is called in.
    if not os.path.isabs(on_path):
        return False
    if own == (on_path,):
        return True
    return not _is_within(on_path, root)


def _is_within(program: str, root: str) -> bool:
    """Whether it is the project's, or its repository's; also one that is only a link there, or
    behind one.
    """
    as_named = os.path.normpath(program)
    folder, name = os.path.split(as_named)
    real_folder = os.path.realpath(folder)
    behind_folder = os.path.join(real_folder, name)
    behind_all = os.path.realpath(program)

    repository = working_tree(root) or os.path.realpath(root)
    paths = (as_named, behind_folder, behind_all)
    is_of_project = any(inside(path, root) for path in paths)
    is_of_repository = any(inside(path, repository) for path in paths)
    return is_of_project or is_of_repository
