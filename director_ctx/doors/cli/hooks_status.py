"""`dctx hooks status`: what is installed where, who is given what, what failed lately."""

from __future__ import annotations

from director_ctx.clients.table import CLIENTS
from director_ctx.doors.cli.hook import is_off
from director_ctx.doors.cli.hooks import nearest
from director_ctx.doors.cli.output import put_json
from director_ctx.doors.cli.table import put_lines
from director_ctx.errors import FAILED, OK
from director_ctx.record import Record, as_dict
from director_ctx.wiring.hooks.failures import Failure, recent_failures
from director_ctx.wiring.hooks.installed import TWICE, Installation, installations, runs_twice
from director_ctx.wiring.hooks.next_steps import Types, types_of
from director_ctx.wiring.hooks.prove_installed import OFF
from director_ctx.wiring.hooks.switches import switched_off

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

LAST = 5
"""Lines of the log that are shown."""


class Status(Record):
    """Everything that is said."""

    installed: tuple[Installation, ...]
    off: tuple[str, ...]
    """What switches hooks off."""
    twice: tuple[str, ...]
    """Clients whose hooks run twice."""
    types: Types | None
    failed: tuple[Failure, ...]


def status(values: dict[str, Any]) -> int:
    found = _look(nearest(values))
    if values["json"]:
        put_json(_json(found))
    else:
        put_lines([*_rows(found.installed), *_types(found), *_trouble(found)])
    broken = any(one.problem or not one.works for one in found.installed)
    return FAILED if broken or (found.types and found.types.problem) else OK


def _look(root: str | None) -> Status:
    found = installations(root)
    clients = [client for client in CLIENTS.values() if any(one.client == client.name for one in found)]
    off = [said for client in clients if (said := switched_off(client, root))]
    twice = [one.name for one in clients if runs_twice([row for row in found if row.client == one.name])]
    return Status(
        found,
        (*((OFF,) if is_off() else ()), *off),
        tuple(twice),
        types_of(root) if root else None,
        tuple(recent_failures(root)[-LAST:]) if root else (),
    )


def _json(found: Status) -> dict[str, Any]:
    types = found.types or Types({}, "")
    return {
        "installed": [as_dict(one) for one in found.installed],
        "off": list(found.off),
        "twice": list(found.twice),
        "agents": dict(types.agents),
        "default": types.default,
        "problem": types.problem,
        "log": [{"time": one.when.isoformat(), "said": one.said} for one in found.failed],
    }


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


def _types(found: Status) -> Iterator[tuple[str, str]]:
    """Whom a context comes to here."""
    if found.types and found.types.problem:
        yield f"Hooks give nothing as long as this is so: {found.types.problem}", "red"
        yield f"  {found.types.hint}", ""
    elif found.types:
        yield f"Given a context: {found.types.said}.", ""


def _trouble(found: Status) -> Iterator[tuple[str, str]]:
    for said in found.off:
        yield said, "yellow"
    for client in found.twice:
        yield f"{CLIENTS[client].title}: {TWICE}", "yellow"
    if found.failed:
        yield "Hooks that failed lately, and have not worked since:", "bold"
        for one in found.failed:
            yield f"  {one.age}: {one.said}", ""
