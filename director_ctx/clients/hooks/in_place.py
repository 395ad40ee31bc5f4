"""Our hooks as they stand in a client's settings, and whether a proof may run them."""

from __future__ import annotations

import os
import shutil

from director_ctx.base.record import Record
from director_ctx.clients.entries import PROGRAM, hook_entries
from director_ctx.clients.hooks.installed import called
from director_ctx.clients.program import places, program
from director_ctx.clients.settings_file import read_settings
from director_ctx.clients.settings_text import found
from director_ctx.clients.table import SPAWN, START
from director_ctx.project.git.log import working_tree
from director_ctx.project.reading.locate import inside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from director_ctx.clients.entries import Entries, Entry
    from director_ctx.clients.table import Client


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
    """Whether to run it is to run a dctx, and nothing that a project brings: its settings are not to be trusted."""
    words = called(placed.entries)
    ours = [*_handlers(client, hook_entries(client, words, SPAWN, True)),
            *_handlers(client, hook_entries(client, words, START, True))]  # fmt: skip
    return _is_dctx(words, root) and all(handler in ours for handler in _handlers(client, placed.entries))


def _handlers(client: Client, entries: Entries) -> Iterator[Entry]:
    """What is run, without when and for how long."""
    for group in (group for groups in entries.values() for group in groups):
        for handler in [group] if client.flat else group["hooks"]:
            yield {key: value for key, value in handler.items() if key not in ("timeout", "matcher")}


def _is_dctx(words: tuple[str, ...], root: str) -> bool:
    """This one as it is called here; or `dctx`, unless what has that name on the PATH is of the repository."""
    if words == program():
        return True
    found = (shutil.which(PROGRAM) or "") if words == (PROGRAM,) else ""
    return os.path.isabs(found) and ((found,) == program() or not _is_within(found, root))


def _is_within(program: str, root: str) -> bool:
    """Whether it is the project's, or its repository's; also one that is only a link there, or behind one."""
    folder, name = os.path.split(os.path.normpath(program))
    ways = (os.path.join(folder, name), os.path.join(os.path.realpath(folder), name), os.path.realpath(program))
    return any(inside(way, base) for way in ways for base in (root, working_tree(root) or os.path.realpath(root)))
