"""`dctx config show` and `set`: the settings of a project, what is wrong in them, and one changed."""

from __future__ import annotations

import json
import os

from director_ctx.base.errors import FAILED, OK, UsageProblem
from director_ctx.base.record import as_dict
from director_ctx.base.resources import read_shipped
from director_ctx.base.system.yaml_file import parse_yaml
from director_ctx.base.text import counted, plain
from director_ctx.context.settings.config import SCHEMA_NAME
from director_ctx.context.settings.effective import Setting, effective
from director_ctx.doors.cli.shared.output import put, put_json
from director_ctx.doors.cli.shared.patches import put_patch
from director_ctx.doors.cli.shared.speak import say
from director_ctx.doors.cli.shared.table import put_lines, put_table
from director_ctx.project.project import load_project
from director_ctx.upkeep.settings_file import (
    PATH,
    key_path,
    mistakes_in,
    plan_removal,
    plan_value,
    read_config_text,
    value_of,
    warning_about,
    write_config,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LONGEST = 60


def show(values: dict[str, Any]) -> int:
    if values["schema"]:
        put(read_shipped("templates", SCHEMA_NAME))
        return OK

    project = load_project(root=values["root"])
    text = read_config_text(project.root) or ""
    mistakes = mistakes_in(text)
    # A file with a mistake has no effect, so the mistakes are all there is to show.
    rows: list[Setting] = []
    if not mistakes:
        data: Any = parse_yaml(text, PATH)
        rows = _named(effective(project, data or {}, os.environ), values["key"])

    if values["json"]:
        settings = [as_dict(row) for row in rows]
        put_json({"file": PATH, "mistakes": list(mistakes), "settings": settings})
    elif mistakes:
        lines = [(f"  {plain(mistake)}", "") for mistake in mistakes]
        put_lines([(f"{PATH} has {counted(len(mistakes), 'mistake')}:", "red"), *lines])
    else:
        shown = [(row.key, _shown(row.value), row.origin) for row in rows]
        put_table(("Setting", "Value", "From"), shown)
    _warn(text)
    return FAILED if mistakes else OK


def _named(rows: list[Setting], key: str | None) -> list[Setting]:
    """One setting, or those below a key such as `hooks`; all where none is named."""
    if key is None:
        return rows
    dotted = ".".join(key_path(key))
    named = [row for row in rows if row.key == dotted or row.key.startswith(f"{dotted}.")]
    if not named:
        raise UsageProblem(
            f"{plain(key)} is not set.", "`dctx config show` lists every setting with its value."
        )
    return named


def _shown(value: object) -> str:
    if value is None:
        return "none"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if isinstance(value, int) and not isinstance(value, bool):
        text = f"{value:,}"
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def _warn(text: str | None) -> None:
    warning, hint = warning_about(text or "")
    if warning:
        say(f"warning: {warning}", hint)


def change(values: dict[str, Any]) -> int:
    keys = key_path(values["key"])
    if values["remove"] == (values["value"] is not None):
        raise UsageProblem(
            "A value, or --remove?", "Such as `dctx config set budget 25%`, or `--remove budget`."
        )
    root = load_project(root=values["root"]).root
    if values["remove"]:
        planned = plan_removal(root, keys)
    else:
        planned = plan_value(root, keys, value_of(values["value"]))
    if planned.before == planned.after:
        put_lines([("Nothing to do: it is so already.", "")])
        return OK

    put_patch(PATH, planned.before, planned.after)
    if keys[0] in ("model", "models", "window"):
        _warn(planned.after)
    if values["dry_run"]:
        return OK
    write_config(root, planned)
    say(f"{PATH} is written.")
    return OK
