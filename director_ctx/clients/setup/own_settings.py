"""What of `dctx.yaml` was written by `dctx setup`, and the file without it."""

from __future__ import annotations

from director_ctx.base.system.yaml_edit import value_at, without_value
from director_ctx.upkeep.settings_file import PATH, SCHEMA_LINE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.clients.setup.record import SetupRecord


def types_in(text: str, record: SetupRecord) -> tuple[list[str], list[str]]:
    """The types that have the profile that setup gave them, and those that somebody gave another."""
    own: list[str] = []
    others: list[str] = []
    for kind, profile in record.types.items():
        now = value_at(text, PATH, ("hooks", "agents", kind))
        if now == profile:
            own.append(kind)
        elif now is not None:
            others.append(kind)
    return own, others


def without_own(text: str, record: SetupRecord) -> str | None:
    """The file as it would be without setup; None where it would not be there."""
    own, _ = types_in(text, record)
    rest = text
    for kind in own:
        rest = without_value(rest, PATH, ("hooks", "agents", kind))

    # Of a file that setup made, the line for editors is no reason to keep it.
    was_made_here = bool(record.types) and record.config_before is None
    if was_made_here and not rest.replace(SCHEMA_LINE, "").strip():
        return None
    return rest
