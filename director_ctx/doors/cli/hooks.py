"""`dctx hooks install`, `uninstall` and `status`: the change is shown first; nothing is written unasked."""

from __future__ import annotations

import os

from director_ctx.doors.cli.asking import agreed, scope, used_clients
from director_ctx.doors.cli.hook import is_off
from director_ctx.doors.cli.output import put_json
from director_ctx.doors.cli.speak import say
from director_ctx.doors.cli.table import put_lines
from director_ctx.errors import FAILED, OK, DctxError
from director_ctx.folder.locate import locate
from director_ctx.outside.hook_log import read_log
from director_ctx.record import as_dict
from director_ctx.wiring.hooks.install import Change, carry_out, plan_install, plan_uninstall, remarks
from director_ctx.wiring.hooks.installed import installations
from director_ctx.wiring.hooks.placement import chosen, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from director_ctx.clients.table import Client
    from director_ctx.wiring.hooks.installed import Installation

LAST = 5
"""Lines of the log that are shown."""
_STYLES = {"+": "green", "-": "red", "@": "dim"}


def install(values: dict[str, Any]) -> int:
    at, prompts = values["at"] or "spawn", values["prompts"]
    root = scope(values)

    def plan(client: Client) -> tuple[Change, ...]:
        return plan_install(client, root, at, prompts)

    clients = used_clients(values, root)
    return _each(values, clients, plan, "are installed already", lambda client: _remark(client, root))


def uninstall(values: dict[str, Any]) -> int:
    root = scope(values)
    clients = chosen(values["client"])
    return _each(values, clients, lambda client: plan_uninstall(client, root), "are not installed", lambda _: None)


def _remark(client: Client, root: str | None) -> None:
    for remark in remarks(client, root):
        say(*remark)


def _each(
    values: dict[str, Any],
    clients: Sequence[Client],
    plan: Callable[[Client], tuple[Change, ...]],
    nothing: str,
    done: Callable[[Client], None],
) -> int:
    """Client by client, so that trouble with one of them does not keep the others from theirs."""
    code = OK
    for client in clients:
        try:
            changes = plan(client)
            if not changes:
                put_lines([(f"The hooks of {client.title} {nothing}.", "")])
                continue
            put_lines([line for change in changes for line in _diff(change)])
            if agreed(values):
                carry_out(changes)
                _report(changes)
                done(client)
        except DctxError as error:
            say(error.message, error.hint)
            code = error.exit_code
    return code


def _diff(change: Change) -> Iterator[tuple[str, str]]:
    """The change as a patch shows it."""
    import difflib

    old, new = ((text or "").splitlines() for text in (change.before, change.after))
    was, now = (change.name if text is not None else os.devnull for text in (change.before, change.after))
    for line in difflib.unified_diff(old, new, was, now, lineterm=""):
        yield line, "bold" if line[:3] in ("---", "+++") else _STYLES.get(line[:1], "")


def _report(changes: tuple[Change, ...]) -> None:
    from director_ctx.outside.settings_file import kept_copy

    for change in changes:
        copy = kept_copy(change.path)
        hint = f"As it was before: {shown(copy, None)}" if copy else ""
        say(f"{change.name} is {'written' if change.after is not None else 'removed again'}.", hint)


def status(values: dict[str, Any]) -> int:
    try:
        root: str | None = locate(root=values["root"])
    except DctxError:
        if values["root"]:
            raise
        root = None
    found, off, log = installations(root), is_off(), (read_log(root) if root else [])[-LAST:]
    if values["json"]:
        put_json({"installed": [as_dict(one) for one in found], "off": off, "log": log})
    else:
        put_lines([*_rows(found), *_trouble(off, log)])
    return FAILED if any(one.problem or not one.works for one in found) else OK


def _rows(found: tuple[Installation, ...]) -> Iterator[tuple[str, str]]:
    if not found:
        yield "No hooks are installed; `dctx hooks install` does that.", ""
    for one in found:
        yield f"{one.client}, {'every project' if one.scope == 'user' else 'this project'}: {one.path}", "bold"
        if one.problem:
            yield f"  {one.problem}", "red"
        elif one.plugin:
            yield "  The plugin dctx is switched on here and brings the hooks.", ""
        else:
            yield f"  {', '.join(one.events)}", ""
            yield f"  calls {' '.join(one.command)}{'' if one.works else ', which is not there'}", ""
            if not one.current or not one.works:
                yield "  `dctx hooks install` brings it up to date.", "yellow"


def _trouble(off: bool, log: list[str]) -> Iterator[tuple[str, str]]:
    if off:
        yield "DCTX_HOOKS=off: hooks answer with nothing.", "yellow"
    if log:
        yield "Hooks that failed lately:", "bold"
        for line in log:
            yield f"  {line}", ""
