"""Hooks in a client's settings: which of ours are there, whether they can work and may be run for a proof,
how they get in, and how they get out.
"""

from __future__ import annotations

import os
import shutil

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.clients.entries import PROGRAM, handler_words, hook_entries, readers
from director_ctx.clients.file_change import (
    FileChange,
    read_receipt,
    read_settings,
    refuse_links,
    text_by_then,
)
from director_ctx.clients.json_text import NotJson
from director_ctx.clients.parts.part import (
    HOOKS,
    PROJECT,
    USER,
    Installed,
    Part,
    each_once,
    guarded,
    names_machine,
    scopes,
)
from director_ctx.clients.program import (
    file_to_write,
    plugin_file,
    program,
    settings_files,
    shown_path,
)
from director_ctx.clients.settings_text import (
    containers,
    is_bare,
    own_entries,
    read,
    with_entries,
    without_entries,
)
from director_ctx.clients.table import CLIENTS, PROMPT, SPAWN, START
from director_ctx.project.git.changes import could_be_committed
from director_ctx.project.git.log import working_tree
from director_ctx.project.reading.locate import inside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from director_ctx.clients.entries import Entries, Entry
    from director_ctx.clients.file_change import Ahead
    from director_ctx.clients.parts.part import Changes, Remark, Wish
    from director_ctx.clients.table import Client

TWICE = "Hooks are installed for this project and for every project: they run twice; one of the two is enough."


def _put(name: str, root: str | None, wish: Wish, ahead: Ahead) -> Changes:
    """Exactly these hooks; in another file they would run twice, so there they are taken out."""
    client = CLIENTS[name]
    target = file_to_write(client, root, program())
    others = [path for path in settings_files(client, root) if path != target]
    # Whoever has hooks that wait for prompts keeps them.
    prompts = wish.prompts or any(_waits_for_prompts(client, path) for path in (*others, target))
    entries = hook_entries(client, program(), prompts)
    changes = [_change(client, path, root, {}, ahead) for path in others]
    return _checked([*changes, _change(client, target, root, entries, ahead)], root)


def _take(name: str, root: str | None, ahead: Ahead) -> Changes:
    client = CLIENTS[name]
    files = settings_files(client, root)
    return _checked([_change(client, path, root, {}, ahead) for path in files], root)


def _checked(planned: Sequence[FileChange], root: str | None) -> Changes:
    changes = tuple(change for change in planned if change.before != change.after)
    refuse_links(root, changes)
    return changes


def _waits_for_prompts(client: Client, path: str) -> bool:
    try:
        events = own_entries(read_settings(path) or "", client)
    except (DctxError, NotJson):
        return False
    return PROMPT in _kinds(client, events)


def _kinds(client: Client, events: Sequence[str] | Entries) -> set[str]:
    return {reader.events.get(event, "") for reader in readers(client) for event in events}


def _change(
    client: Client, path: str, root: str | None, entries: Entries, ahead: Ahead
) -> FileChange:
    name = shown_path(path, root)
    text = text_by_then(path, ahead)
    try:
        if (own_entries(text, client) if text is not None else {}) == entries:
            return FileChange(path, name, text, text, text, HOOKS)
        original = None if text is None else _without_us(client, path, text)
        after = with_entries(original, client, entries) if entries else original
    except NotJson as error:
        raise DctxError(
            f"{name} is not JSON as {client.title} reads it: {error}.", "Mend it, and try again."
        ) from None
    is_strict = bool(entries) and client.strict
    if is_strict and original and original.strip() and read(original).loose:
        raise DctxError(
            f"{name} has comments, or a comma at an end: {client.title} passes over the whole file then.",
            "Take them out; then its other settings count again too, and hooks can be installed.",
        )
    return FileChange(path, name, text, after, original, HOOKS)


def _without_us(client: Client, path: str, text: str) -> str | None:
    """What was there before us; if somebody has changed the file since, what is there now less our
    entries.
    """
    receipt = read_receipt(path, HOOKS)
    if receipt is None:
        return without_entries(text, client)
    if receipt.is_untouched(text):
        return receipt.before
    # What was empty before us stays there, empty.
    keep = containers(receipt.before) if receipt.before else frozenset()
    rest = without_entries(text, client, keep)
    if receipt.before is None and is_bare(rest, client):
        return None
    return rest


def installations(root: str | None) -> tuple[Installed, ...]:
    """Every place that has hooks of ours, or that cannot be read; for the user, then for the project."""
    return tuple(each_once(_installations(root)))


def _installations(root: str | None) -> Iterator[Installed]:
    for client in CLIENTS.values():
        for scope, base in scopes(root):
            for path in settings_files(client, base):
                place = Installed(HOOKS, (client.name,), scope, shown_path(path, base))
                yield from guarded(place, lambda found: _in_file(client, path, found))  # noqa: B023
        by_plugin = plugin_file(client, root)
        if by_plugin:
            scope = USER if by_plugin in settings_files(client, None) else PROJECT
            yield Installed(HOOKS, (client.name,), scope, by_plugin, plugin=True)


def _in_file(client: Client, path: str, place: Installed) -> Installed | None:
    text = read_settings(path) or ""
    try:
        entries = own_entries(text, client)
    except NotJson as error:
        return place.replace(problem=str(error))
    if not entries:
        return None
    found = place.replace(names=tuple(entries))
    # Our entries can be read in such a file, but the client does not read them.
    if client.strict and read(text).loose:
        said = f"It has comments, or a comma at an end: {client.title} passes over the whole file."
        return found.replace(problem=said)
    words = called_program(entries)
    wanted = hook_entries(client, words, PROMPT in _kinds(client, entries))
    return found.replace(
        command=words,
        # Looked at, never run: the settings of a project are not to be trusted.
        works=bool(words) and shutil.which(os.path.expanduser(words[0])) is not None,
        current=entries == wanted,
    )


def runs_twice(own: Sequence[Installed]) -> bool:
    """Whether the hooks of a client are in both scopes, or beside those that the plugin brings."""
    return len({(place.scope, place.plugin) for place in own if place.names or place.plugin}) > 1


def waits_for_agents(client: Client, own: Sequence[Installed]) -> bool:
    """Whether one of them is asked when an agent is spawned or starts."""
    kinds = {client.events.get(event) for place in own for event in place.names}
    if PROMPT in kinds and client.prompts_of_agents:
        return True
    return bool(kinds & {SPAWN, START}) or any(place.plugin for place in own)


def _remarks(name: str, root: str | None, changes: Changes) -> Iterator[Remark]:
    client = CLIENTS[name]
    if client.review:
        said = f"{client.title} runs no hook before you have looked at it."
        yield said, f"Start {client.program} and say {client.review} once."
    elif name == "gemini" and root:
        yield (
            "Gemini CLI warns of a project's new hooks once, and runs them in trusted folders only; "
            "about new agents it asks.",
            "",
        )
    if root is None or program() == (PROGRAM,):
        return
    if not client.local_settings:
        yield from names_machine([client.settings])
        return
    start = "With"
    if could_be_committed(root, file_to_write(client, root, program())):
        start = "Keep it out of git: add it to .git/info/exclude. With"
    yield (
        f"The hooks name the path of dctx on this machine, so they are in {client.local_settings}, which is yours.",
        f"{start} dctx on everyone's PATH (pipx, uv tool) they go into"
        f" {client.settings}, which a project shares.",
    )


def _files(name: str, root: str | None) -> tuple[str, ...]:
    return settings_files(CLIENTS[name], root)


PART = Part(
    name=HOOKS,
    what="hooks",
    clients=tuple(CLIENTS),
    find=installations,
    put=_put,
    take=_take,
    files=_files,
    remarks=_remarks,
)


class HooksInFile(Record):
    """The hooks of one settings file."""

    path: str
    """Below the project, or below the home."""
    of_user: bool
    entries: Entries


def installed_hooks(client: Client, root: str) -> tuple[HooksInFile, ...]:
    """Those that are installed, file by file. The files can be read: somebody has looked."""
    hooks: list[HooksInFile] = []
    for scope, base in scopes(root):
        for path in settings_files(client, base):
            entries = own_entries(read_settings(path) or "", client)
            below = os.path.relpath(path, root) if base else client.user_settings
            if entries:
                hooks.append(HooksInFile(below, scope == USER, entries))
    return tuple(hooks)


def hooks_as_written(client: Client) -> tuple[HooksInFile, ...]:
    """Those that `dctx setup` would write."""
    return (HooksInFile(client.settings, False, hook_entries(client, program())),)


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
        yield {key: value for key, value in handler.items() if key not in ("timeout", "matcher")}


def called_program(entries: Entries) -> tuple[str, ...]:
    """How the first of our entries calls dctx."""
    for handler in _handlers(entries):
        words = handler_words(handler)
        if words:
            return tuple(words[: words.index("hook")])
    return ()


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
    on_path = shutil.which(PROGRAM) or ""
    if words == own:
        return True
    # A relative folder on the PATH leads into whatever folder a command is called in.
    if words != (PROGRAM,) or not os.path.isabs(on_path):
        return False
    return own == (on_path,) or not _is_within(on_path, root)


def _is_within(path: str, root: str) -> bool:
    """Whether it is the project's, or its repository's; also one that is only a link there, or
    behind one.
    """
    as_named = os.path.normpath(path)
    folder, name = os.path.split(as_named)
    paths = (as_named, os.path.join(os.path.realpath(folder), name), os.path.realpath(path))
    repository = working_tree(root) or os.path.realpath(root)
    return any(inside(path, top) for path in paths for top in (root, repository))
