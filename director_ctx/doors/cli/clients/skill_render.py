"""`dctx skill render` and `dctx skill budget`: what an agent reads, and what that costs."""

from __future__ import annotations

from director_ctx.base.errors import OK, DctxError, UsageProblem
from director_ctx.base.record import as_dict
from director_ctx.clients.skills.find import here, skill_named, values_for
from director_ctx.clients.skills.plan import plan
from director_ctx.clients.skills.render import (
    Rendering,
    known_output,
    recorded,
    render,
    replayed,
    settle,
)
from director_ctx.clients.skills.shell import TIMEOUT
from director_ctx.context.settings.budget import Budget, counted_by
from director_ctx.doors.cli.clients.skill import about
from director_ctx.doors.cli.shared.output import json_text, put, put_file, put_json
from director_ctx.doors.cli.shared.speak import say
from director_ctx.doors.cli.shared.table import put_lines, put_table
from director_ctx.doors.cli.shared.text_input import read_named

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.clients.skills.carrying_out import Carried
    from director_ctx.clients.skills.plan import PlannedCommand
    from director_ctx.clients.skills.render import Settled
    from director_ctx.clients.skills.skill import Skill

_NOTHING = "No program but dctx was run, and that only read, to be counted."


def run(values: dict[str, Any]) -> int:
    root = here(values["root"])
    skill = skill_named(values["name"], root)
    ways = [name for name in ("dry_run", "record", "replay") if values[name]]
    if len(ways) > 1:
        raise UsageProblem(
            "--dry-run, --record and --replay exclude each other.", "Give one of them."
        )
    if values["dry_run"]:
        return _rehearse(skill, root, values)

    carry = None
    if values["replay"]:
        carry = replayed(read_named(values["replay"], "--replay"))
    arguments = values_for(skill, values["arguments"], root)
    rendering = render(skill, arguments, root, carry)
    if values["record"]:
        put_file(values["record"], json_text(recorded(skill, rendering)))
    return _present(skill, rendering, root, values)


def _present(skill: Skill, rendering: Rendering, root: str, values: dict[str, Any]) -> int:
    if values["strict"]:
        _refuse_failures(rendering)
    text = rendering.text
    if values["json"]:
        settled = settle(root, values["counter"], None)
        put_json({**_account_json(skill, rendering, settled), "text": text})
    else:
        put(text)
        if not text.endswith("\n"):
            put("\n")
    _tell_failures(rendering)
    return OK


def _refuse_failures(rendering: Rendering) -> None:
    """What `--strict` does not let through."""
    for carried in rendering.commands:
        if carried.failed:
            raise DctxError(
                f"`{carried.planned.command}` gave nothing: {carried.failed}.",
                "Without --strict a note stands there.",
            )


def _rehearse(skill: Skill, root: str, values: dict[str, Any]) -> int:
    """Every command, and no foreign program run: what dctx reads and prints by itself is counted."""
    arguments = values_for(skill, values["arguments"], root)
    count, counter = settle(root, values["counter"], None).counted
    costs: list[tuple[PlannedCommand, int | None]] = []
    for command in plan(skill, arguments, root):
        output = known_output(command, root, arguments)
        tokens = None if output is None else count(output)
        costs.append((command, tokens))

    if values["json"]:
        commands = []
        for command, cost in costs:
            commands.append({**_planned_json(skill, command), "tokens": cost})
        put_json(
            {
                **about(skill),
                "folder": root,
                "timeout": TIMEOUT,
                "commands": commands,
                "counter": as_dict(counter),
            }
        )
        return OK

    put_lines([(f"In {root}, each for at most {TIMEOUT:.0f} seconds. {_NOTHING}", "")])
    rows = [_row(skill, command, cost) for command, cost in costs]
    put_table([">Line", "Command", ">Tokens", "Leave", "Why", "Form"], rows)
    put_lines([(counted_by(counter), "dim")])
    return OK


def _row(skill: Skill, planned: PlannedCommand, tokens: int | None) -> list[str]:
    return [
        str(_line(skill, planned)),
        " ; ".join(planned.command.split("\n")),
        "-" if tokens is None else f"{tokens:,}",
        planned.leave,
        planned.why,
        planned.injection.form,
    ]


def _planned_json(skill: Skill, planned: PlannedCommand) -> dict[str, Any]:
    return {
        "line": _line(skill, planned),
        "form": planned.injection.form,
        "command": planned.command,
        "leave": planned.leave,
        "why": planned.why,
    }


def _line(skill: Skill, planned: PlannedCommand) -> int:
    """In its file; a command knows its line in the body."""
    return skill.first_line + planned.injection.line - 1


def budget(values: dict[str, Any]) -> int:
    root = here(values["root"])
    skill = skill_named(values["name"], root)
    arguments = values_for(skill, values["arguments"], root)
    rendering = render(skill, arguments, root)
    settled = settle(root, values["counter"], values["model"])
    if values["json"]:
        put_json(_account_json(skill, rendering, settled))
        return OK

    _put_budget(skill, rendering, settled)
    for warning in settled.warnings:
        say(f"warning: {warning}")
    _tell_failures(rendering)
    return OK


def _put_budget(skill: Skill, rendering: Rendering, settled: Settled) -> None:
    count, counter = settled.counted
    window = settled.window.tokens
    costs = [("Its own text", count(rendering.bare))]
    for carried in rendering.commands:
        costs.append((carried.planned.command, count(carried.output)))

    # Counted as a whole: the parts together may be a token more or less.
    total = count(rendering.text)
    rows = []
    for name, cost in costs:
        share = cost / max(1, total)
        percent = f"{cost * 100 / window:.1f}%"
        rows.append([name, f"{cost:,}", f"{share * 100:.0f}%", f"{share:.4f}", percent])

    whole = Budget(window, 1, total).percent
    sums = ["Total", f"{total:,}", "100%", "1", f"{whole}%"]
    columns = ["Part", ">Tokens", ">Share", "#", ">Window"]
    put_table(columns, rows, sums, f"Skill budget: {skill.name}")
    put_lines([(f"Window: {settled.window}", ""), (counted_by(counter), "dim")])


def _tell_failures(rendering: Rendering) -> None:
    for carried in rendering.commands:
        if carried.failed:
            say(f"warning: `{carried.planned.command}` gave nothing: {carried.failed}")


def _account_json(skill: Skill, rendering: Rendering, settled: Settled) -> dict[str, Any]:
    count, counter = settled.counted
    total = count(rendering.text)
    window = settled.window
    commands = []
    for carried in rendering.commands:
        tokens = count(carried.output)
        commands.append(_carried_json(skill, carried, tokens))
    return {
        **about(skill),
        "tokens": total,
        "own_tokens": count(rendering.bare),
        "window": window.tokens,
        "window_from": window.source,
        "percent": Budget(window.tokens, 1, total).percent,
        "counter": as_dict(counter),
        "commands": commands,
    }


def _carried_json(skill: Skill, carried: Carried, tokens: int) -> dict[str, Any]:
    return {
        **_planned_json(skill, carried.planned),
        "tokens": tokens,
        "output": carried.output,
        "failed": carried.failed,
    }
