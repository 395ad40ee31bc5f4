"""What a skill's commands printed, kept in a file, so that it can be rendered again and nothing is run."""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.clients.skills.printed import harmless, printed
from director_ctx.clients.skills.render import Carried, is_context

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.clients.skills.plan import Planned
    from director_ctx.clients.skills.render import Carry, Rendering
    from director_ctx.clients.skills.skill import Skill

_HINT = "Make it with `dctx skill render NAME --record FILE`."


def recorded(skill: Skill, done: Rendering) -> dict[str, Any]:
    commands = [{"command": one.planned.command, "output": one.output, "failed": one.failed} for one in done.commands]
    return {"skill": skill.name, "commands": commands}


def replayed(text: str) -> Carry:
    """Stands in for carrying out commands; each record of a command is used once, the last one ever after."""
    kept = _read(text)

    def carry(planned: Planned) -> Carried:
        records = kept.get(planned.command, [])
        if not records:
            raise DctxError(f"`{planned.command}` has no record.", "Record it again: --record FILE.")
        output, failed = records.pop(0) if len(records) > 1 else records[0]
        return Carried(planned, printed(harmless(output, _is_context(planned))), failed)

    return carry


def _is_context(planned: Planned) -> bool:
    """A record is text from a file. Only where our own context stood may it hold our tags."""
    return bool(planned.kinds) and all(map(is_context, planned.lines, planned.kinds))


def _read(text: str) -> dict[str, list[tuple[str, str]]]:
    import json

    try:
        records = json.loads(text)["commands"]
        kept: dict[str, list[tuple[str, str]]] = {}
        for one in records:
            kept.setdefault(str(one["command"]), []).append((str(one["output"]), str(one["failed"])))
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise DctxError("That is no record of a skill.", _HINT) from error
    return kept
