"""`dctx config show`, `check` and `set`: the settings of a project, looked at and changed."""

from __future__ import annotations

import json
import os

from director_ctx.base.errors import FAILED, OK, UsageProblem
from director_ctx.base.record import as_dict
from director_ctx.base.resources import read_shipped
from director_ctx.base.system.known_yaml import parse_known
from director_ctx.base.text import counted, plain
from director_ctx.context.settings.effective import effective
from director_ctx.context.settings.schema import NAME
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

    from director_ctx.context.settings.effective import Setting

LONGEST = 60


def show(values: dict[str, Any]) -> int:
    if values["schema"]:
        put(read_shipped("templates", NAME))
        return OK

    project = load_project(root=values["root"])
    text = read_config_text(project.root) or ""
    # Settings with a mistake have no effect, so the mistake is what is said then.
    settings = effective(project, parse_known(text, PATH) or {}, os.environ)
    if values["json"]:
        put_json([as_dict(setting) for setting in settings])
        return OK
    put_table(("Setting", "Value", "From"), [_row(setting) for setting in settings])
    return OK


def _row(setting: Setting) -> tuple[str, str, str]:
    return setting.key, _shown(setting.value), setting.origin


def _shown(value: object) -> str:
    if value is None:
        return "none"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if isinstance(value, int) and not isinstance(value, bool):
        text = f"{value:,}"
    if len(text) > LONGEST:
        return f"{text[:LONGEST]}…"
    return text


def check(values: dict[str, Any]) -> int:
    root = load_project(root=values["root"]).root
    text = read_config_text(root)
    mistakes = mistakes_in(text or "")
    if values["json"]:
        put_json({"file": PATH, "mistakes": list(mistakes)})
    else:
        put_lines(_verdict(text, mistakes))
    _warn(text)
    if mistakes:
        return FAILED
    return OK


def _verdict(text: str | None, mistakes: tuple[str, ...]) -> list[tuple[str, str]]:
    if text is None:
        return [(f"There is no {PATH}: every setting is as it is built in.", "")]
    if not mistakes:
        return [(f"{PATH} has no mistakes.", "green")]

    lines = [(f"{PATH} has {counted(len(mistakes), 'mistake')}:", "red")]
    for mistake in mistakes:
        lines.append((f"  {plain(mistake)}", ""))
    return lines


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
    project = load_project(root=values["root"])
    if values["remove"]:
        planned = plan_removal(project.root, keys)
    else:
        planned = plan_value(project.root, keys, value_of(values["value"]))
    if planned.before == planned.after:
        put_lines([("Nothing to do: it is so already.", "")])
        return OK

    put_patch(PATH, planned.before, planned.after)
    if keys[0] in ("model", "models", "window"):
        _warn(planned.after)
    if values["dry_run"]:
        return OK
    write_config(project.root, planned)
    say(f"{PATH} is written.")
    return OK
