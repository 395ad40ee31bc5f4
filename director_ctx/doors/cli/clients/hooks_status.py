"""`dctx hooks status`: what is installed where, who is given what, what failed lately."""

from __future__ import annotations

from director_ctx.base.errors import FAILED, OK
from director_ctx.base.record import Record, as_dict
from director_ctx.clients.hooks.agents import Types, looked_in, nobody_spawns, types_of
from director_ctx.clients.hooks.failures import Failure, recent_failures
from director_ctx.clients.hooks.installed import TWICE, Installation, installations, runs_twice
from director_ctx.clients.table import CLIENTS
from director_ctx.clients.verify.proof import to_install, waits_for_agents
from director_ctx.context.settings.overrides import not_agreed
from director_ctx.doors.cli.clients.hooks import nearest, off_here
from director_ctx.doors.cli.clients.hooks_trust import listed
from director_ctx.doors.cli.shared.output import put_json
from director_ctx.doors.cli.shared.table import put_lines
from director_ctx.project.project import load_project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from director_ctx.context.settings.agreement import Override

LAST = 5
"""Lines of the log that are shown."""


class Status(Record):
    """Everything that is said."""

    installed: tuple[Installation, ...]
    off: tuple[str, ...]
    """What switches hooks off."""
    twice: tuple[str, ...]
    """Clients whose hooks run twice."""
    idle: tuple[str, ...]
    """Clients whose hooks do not wait for agents."""
    types: Types | None
    unknown: tuple[str, ...]
    """Types that have a profile and that no client has."""
    not_agreed: tuple[Override, ...]
    """What the project has agents told that the user has not agreed to."""
    failed: tuple[Failure, ...]


def status(values: dict[str, Any]) -> int:
    found = _look(nearest(values))
    if values["json"]:
        put_json(_json(found))
    else:
        put_lines([*_rows(found.installed), *_types(found), *_trouble(found)])
    return FAILED if _is_broken(found) else OK


def _is_broken(found: Status) -> bool:
    """Whether something is installed from which nothing can arrive; settings with a mistake are
    broken anyway.
    """
    gone = any(one.problem or not one.works for one in found.installed)
    off = bool(found.installed and found.off)
    return bool(gone or off or found.idle or (found.types and found.types.problem))


def _look(root: str | None) -> Status:
    found = installations(root)
    clients = [
        client for client in CLIENTS.values() if any(one.client == client.name for one in found)
    ]
    own = [(one, [row for row in found if row.client == one.name]) for one in clients]
    sound = [(one, rows) for one, rows in own if not any(row.problem for row in rows)]
    types = types_of(root) if root else None
    return Status(
        found,
        off_here(clients, root),
        tuple(one.name for one, rows in own if runs_twice(rows)),
        tuple(one.name for one, rows in sound if not waits_for_agents(one, rows)),
        types,
        nobody_spawns(root, [kind for kind, profile in types.agents.items() if profile])
        if root and types
        else (),
        _not_agreed(root, types),
        tuple(recent_failures(root)[-LAST:]) if root else (),
    )


def _not_agreed(root: str | None, types: Types | None) -> tuple[Override, ...]:
    if root is None or (types and types.problem):
        return ()
    return tuple(not_agreed(load_project(root=root)))


def _json(found: Status) -> dict[str, Any]:
    types = found.types or Types({}, "")
    return {
        "installed": [as_dict(one) for one in found.installed],
        "off": list(found.off),
        "twice": list(found.twice),
        "idle": list(found.idle),
        "agents": dict(types.agents),
        "default": types.default,
        "unknown": list(found.unknown),
        "not_agreed": [one.thing for one in found.not_agreed],
        "problem": types.problem,
        "log": [{"time": one.when.isoformat(), "said": one.said} for one in found.failed],
    }


def _rows(found: tuple[Installation, ...]) -> Iterator[tuple[str, str]]:
    if not found:
        yield "No hooks are installed; `dctx hooks install` does that.", ""
    for one in found:
        yield (
            f"{one.client}, {'every project' if one.scope == 'user' else 'this project'}: {one.path}",
            "bold",
        )
        if one.problem:
            yield f"  {one.problem}", "red"
        elif one.plugin:
            yield "  The plugin dctx is switched on here and brings the hooks.", ""
        else:
            yield f"  {', '.join(one.events)}", ""
            yield (
                f"  calls {' '.join(one.command)}{'' if one.works else ', which is not there'}",
                "",
            )
            if not one.current or not one.works:
                yield "  `dctx hooks install` brings it up to date.", "yellow"


def _types(found: Status) -> Iterator[tuple[str, str]]:
    """Whom a context comes to here."""
    if found.types and found.types.problem:
        yield f"Hooks give nothing as long as this is so: {found.types.problem}", "red"
        yield f"  {found.types.hint}", ""
    elif found.types:
        yield f"Given a context: {found.types.said}.", ""
    for kind in found.unknown:
        yield (
            f"{kind} is mapped, but there is no agent of that name: {looked_in(CLIENTS['claude'])}.",
            "yellow",
        )


def _trouble(found: Status) -> Iterator[tuple[str, str]]:
    if found.not_agreed:
        yield f"Not used, because you have not agreed to it: {listed(found.not_agreed)}.", "yellow"
        yield "  `dctx hooks trust` shows it, and asks.", ""
    for said in found.off:
        yield said, "yellow"
    for client in found.idle:
        title, mend = CLIENTS[client].title, to_install(CLIENTS[client])
        yield (
            f"{title}: none of its hooks waits for a spawned agent, so no agent is given anything.",
            "yellow",
        )
        yield f"  `{mend}` brings them up to date.", ""
    for client in found.twice:
        yield f"{CLIENTS[client].title}: {TWICE}", "yellow"
    if found.failed:
        yield "Hooks that failed lately, and have not worked since:", "bold"
        for one in found.failed:
            yield f"  {one.age}: {one.said}", ""
