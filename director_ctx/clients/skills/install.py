"""The shipped skills into a client's folder and out again: decided first, shown, then written."""

from __future__ import annotations

import os
from glob import escape, glob

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.base.system.write import write_whole
from director_ctx.clients.program import plugin_file, program, shown
from director_ctx.clients.settings_file import read_settings
from director_ctx.clients.skills.by_client import PLACES, installed_skill, is_ours
from director_ctx.clients.skills.files import shipped_skills
from director_ctx.project.reading.locate import inside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.clients.table import Client

NEW, OLDER, SAME, GONE, FOREIGN = (
    "new",
    "updated",
    "as it should be",
    "removed",
    "changed by somebody, left as it is",
)


class Change(Record):
    """One skill's file before and after; None where there is no file."""

    name: str
    path: str
    shown: str
    before: str | None
    after: str | None

    @property
    def what(self) -> str:
        if self.before == self.after:
            return SAME
        if self.before is None:
            return NEW
        if not is_ours(self.before):
            return FOREIGN
        return GONE if self.after is None else OLDER


def plan_install(client: Client, root: str | None, names: tuple[str, ...]) -> tuple[Change, ...]:
    if provided := plugin_file(client, root):
        raise DctxError(
            f"The plugin dctx is switched on in {provided} and brings the same skills, as /dctx:NAME.",
            "Keep the plugin, or switch it off first: claude plugin disable dctx.",
        )
    words = program()
    return tuple(
        _change(
            skill.name,
            place(client, root, skill.name),
            root,
            installed_skill(skill, client.name, words),
        )
        for skill in shipped_skills(names)
    )


def plan_uninstall(client: Client, root: str | None, names: tuple[str, ...]) -> tuple[Change, ...]:
    """Those that are there; without names also what an earlier version brought."""
    found = {skill.name: place(client, root, skill.name) for skill in shipped_skills(names)}
    if not names:
        found |= {path: path for path in _everything(client, root) if path not in found.values()}
    changes = (_change(name, path, root, None) for name, path in found.items())
    return tuple(
        change for change in changes if change.before is not None and _is_meant(change, found)
    )


def _is_meant(change: Change, found: dict[str, str]) -> bool:
    """A file that is not known by name is only ours if it says so."""
    return change.name != change.path or is_ours(change.before or "")


def _everything(client: Client, root: str | None) -> list[str]:
    """Every file that has the form of our names."""
    before, after = place(client, root, "NAME").rsplit("NAME", 1)
    return sorted(glob(f"{escape(before)}*{escape(after)}"))


def place(client: Client, root: str | None, name: str) -> str:
    """Where a skill's file belongs, in the project or in the user's home."""
    here = PLACES[client.name]
    if root is not None:
        return os.path.join(root, *here.path.replace("NAME", name).split("/"))

    path = here.user_path or here.path
    first, *rest = path.replace("NAME", name).split("/")
    moved = os.environ.get(here.home_variable, "") if here.home_variable else ""
    base = os.path.abspath(moved) if moved else os.path.join(os.path.expanduser("~"), first)
    return os.path.join(base, *rest)


def _change(name: str, path: str, root: str | None, after: str | None) -> Change:
    if root is not None and not inside(os.path.realpath(path), os.path.realpath(root)):
        raise DctxError(
            f"{shown(path, root)} leads out of the project.", "Remove the link, or use --user."
        )
    return Change(name, path, shown(path, root), read_settings(path), after)


def carry_out(changes: tuple[Change, ...], root: str | None) -> None:
    """Writes what was shown, except over what is somebody's own."""
    for change in changes:
        if change.what not in (SAME, FOREIGN):
            _carry_out(change, root)


def _carry_out(change: Change, root: str | None) -> None:
    if read_settings(change.path) != change.before:
        raise DctxError(f"{change.shown} was changed meanwhile.", "Look at it, and try again.")
    if change.after is None:
        _remove(change.path, root or os.path.expanduser("~"))
    else:
        os.makedirs(os.path.dirname(change.path), exist_ok=True)
        write_whole(change.path, change.after.encode())


def _remove(path: str, base: str) -> None:
    """The file, and the folders around it that are empty without it."""
    os.unlink(path)
    folder = os.path.dirname(path)
    while folder.startswith(base + os.sep):
        try:
            os.rmdir(folder)
        except OSError:
            return
        folder = os.path.dirname(folder)
