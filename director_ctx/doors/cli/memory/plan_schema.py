"""`dctx plan schema`: the JSON Schema of a plan, for editors and for agents that write one."""

from __future__ import annotations

from director_ctx.base.errors import OK
from director_ctx.base.resources import read_shipped
from director_ctx.doors.cli.shared.output import put

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def run(_: dict[str, Any]) -> int:
    put(read_shipped("templates", "plan.schema.json"))
    return OK
