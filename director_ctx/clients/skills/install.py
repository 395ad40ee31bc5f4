"""The shipped skills into a client's folder and out again: decided first, shown, then written."""

from __future__ import annotations

import os
from glob import escape, glob

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.base.system.write import write_whole
from director_ctx.clients.program import plugin_file, program, shown_path
from director_ctx.clients.settings_file import read_settings
from director_ctx.clients.skills.by_client import PLACES, installed_skill, is_ours
from director_ctx.clients.skills.files import shipped_named, shipped_skills
from director_ctx.project.reading.locate import inside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.clients.table import Client

NEW = "new"
OLDER = "updated"
SAME = "as it should be"
GONE = "removed"
FOREIGN = "changed by somebody, left as it is"


class SkillChange(Record):
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
        if self.after is None:
            return GONE
        return OLDER


def plan_install(
    client: Client,
    root: str | None,
    names: tuple[str, ...],
) -> tuple[SkillChange, ...]:
    provided = plugin_file(client, root)
    if provided:
        raise DctxError(
            f"The plugin dctx is switched on in {provided} and brings the same skills, as /dctx:NAME.",
            "Keep the plugin, or switch it off first: claude plugin disable dctx.",
        )
    words = program()
    changes: list[SkillChange] = []
    for skill in shipped_skills(names):
        path = skill_path(client, root, skill.name)
        text = installed_skill(skill, client.name, words)
        changes.append(_change(skill.name, path, root, text))
    return tuple(changes)


def plan_uninstall(
    client: Client,
    root: str | None,
    names: tuple[str, ...],
) -> tuple[SkillChange, ...]:
    """Those that are there; without names also what an earlier version brought."""
    changes: list[SkillChange] = []
    paths: list[str] = []
    for name in shipped_named(names):
        path = skill_path(client, root, name)
        paths.append(path)
        # Most clients have none of them.
        if not os.path.lexists(path):
            continue
        change = _change(name, path, root, None)
        if change.before is not None:
            changes.append(change)
    if names:
        return tuple(changes)

    for path in _everything(client, root):
        if path in paths:
            continue
        change = _change(path, path, root, None)
        # A file that is not known by name is only ours if it says so.
        if change.before is not None and is_ours(change.before):
            changes.append(change)
    return tuple(changes)


def _everything(client: Client, root: str | None) -> list[str]:
    """Every file that has the form of our names."""
    path = skill_path(client, root, "NAME")
    before, _, behind = path.rpartition("NAME")
    # The folders above may be called anything, also something with a star in it.
    pattern = f"{escape(before)}*{escape(behind)}"
    return sorted(glob(pattern))


def skill_path(client: Client, root: str | None, name: str) -> str:
    """Where a skill's file belongs, in the project or in the user's home."""
    folder = PLACES[client.name]
    if root is not None:
        parts = folder.path.replace("NAME", name).split("/")
        return os.path.join(root, *parts)

    path = folder.user_path or folder.path
    first, *rest = path.replace("NAME", name).split("/")
    base = os.path.join(os.path.expanduser("~"), first)
    if folder.home_variable:
        moved = os.environ.get(folder.home_variable)
        if moved:
            base = os.path.abspath(moved)
    return os.path.join(base, *rest)


def _change(
    name: str,
    path: str,
    root: str | None,
    after: str | None,
) -> SkillChange:
    if root is not None and not inside(os.path.realpath(path), os.path.realpath(root)):
        raise DctxError(
            f"{shown_path(path, root)} leads out of the project.", "Remove the link, or use --user."
        )
    return SkillChange(
        name=name,
        path=path,
        shown=shown_path(path, root),
        before=read_settings(path),
        after=after,
    )


def carry_out(changes: tuple[SkillChange, ...], root: str | None) -> None:
    """Writes what was shown, except over what is somebody's own."""
    for change in changes:
        if change.what not in (SAME, FOREIGN):
            _carry_out(change, root)


def _carry_out(change: SkillChange, root: str | None) -> None:
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
            return  # something else is in it
        folder = os.path.dirname(folder)
