"""`dctx skill render` and `dctx skill budget`: what an agent reads, and what that costs."""

from __future__ import annotations

from director_ctx.base.errors import OK, DctxError, UsageProblem
from director_ctx.base.record import as_dict
from director_ctx.clients.skills.find import here, skill_named, values_for
from director_ctx.clients.skills.plan import plan
from director_ctx.clients.skills.render import (
    Carried,
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
from director_ctx.doors.cli.shared.output import (
    json_text,
    put,
    put_file,
    put_json,
    read_named,
    shown_bar,
)
from director_ctx.doors.cli.shared.speak import say
from director_ctx.doors.cli.shared.table import put_lines, put_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.clients.skills.plan import Planned
    from director_ctx.clients.skills.render import Settled
    from director_ctx.clients.skills.skill import Skill

_NOTHING = "No program but dctx was run, and that only read, to be counted."


def run(values: dict[str, Any]) -> int:
    root = here(values["root"])
    skill = skill_named(values["name"], root)
    if sum(map(bool, (values["dry_run"], values["record"], values["replay"]))) > 1:
        raise UsageProblem(
            "--dry-run, --record and --replay exclude each other.", "Give one of them."
        )
    if values["dry_run"]:
        return _rehearse(skill, root, values)
    carry = replayed(read_named(values["replay"], "--replay")) if values["replay"] else None
    done = render(skill, values_for(skill, values["arguments"], root), root, carry)
    if values["record"]:
        put_file(values["record"], json_text(recorded(skill, done)))
    return _present(skill, done, root, values)


def _present(skill: Skill, done: Rendering, root: str, values: dict[str, Any]) -> int:
    failed = [one for one in done.commands if one.failed]
    if failed and values["strict"]:
        raise DctxError(
            f"`{failed[0].planned.command}` gave nothing: {failed[0].failed}.",
            "Without --strict a note stands there.",
        )
    if values["json"]:
        settled = settle(root, values["counter"], None)
        put_json({**_whole(skill, done, settled), "text": done.text})
    else:
        put(done.text if done.text.endswith("\n") else done.text + "\n")
    _tell_failures(done)
    return OK


def _rehearse(skill: Skill, root: str, values: dict[str, Any]) -> int:
    """Every command, and no foreign program run: what dctx reads and prints by itself is counted."""
    given = values_for(skill, values["arguments"], root)
    count, counter = settle(root, values["counter"], None).counted
    rows = []
    for one in plan(skill, given, root):
        known = known_output(one, root, given)
        rows.append((one, None if known is None else count(known)))
    if values["json"]:
        commands = [{**_planned(skill, one), "tokens": tokens} for one, tokens in rows]
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
    cells = [_row(skill, one, tokens) for one, tokens in rows]
    put_table([">Line", "Command", ">Tokens", "Leave", "Why", "Form"], cells)
    put_lines([(counted_by(counter), "dim")])
    return OK


def _row(skill: Skill, one: Planned, tokens: int | None) -> list[str]:
    line = str(_planned(skill, one)["line"])
    command = " ; ".join(one.command.split("\n"))
    return [
        line,
        command,
        "-" if tokens is None else f"{tokens:,}",
        one.leave,
        one.why,
        one.injection.form,
    ]


def _planned(skill: Skill, one: Planned) -> dict[str, Any]:
    line = skill.first_line + one.injection.line - 1
    return {
        "line": line,
        "form": one.injection.form,
        "command": one.command,
        "leave": one.leave,
        "why": one.why,
    }


def budget(values: dict[str, Any]) -> int:
    root = here(values["root"])
    skill = skill_named(values["name"], root)
    done = render(skill, values_for(skill, values["arguments"], root), root)
    settled = settle(root, values["counter"], values["model"])
    if values["json"]:
        put_json(_whole(skill, done, settled))
        return OK
    count, counter = settled.counted
    costs = [
        ("Its own text", count(done.bare)),
        *((one.planned.command, count(one.output)) for one in done.commands),
    ]
    window, total = settled.window.tokens, count(done.text)
    rows = [
        [name, f"{cost:,}", f"{cost * 100 / window:.1f}%", shown_bar(cost / max(1, total))]
        for name, cost in costs
    ]
    sums = [
        "Total",
        f"{total:,}",
        f"{Budget(window, 1, total).percent}%",
        shown_bar(total / window),
    ]
    put_table(["Part", ">Tokens", ">Window", "Share"], rows, sums, f"Skill budget: {skill.name}")
    put_lines([(f"Window: {settled.window}", ""), (counted_by(counter), "dim")])
    for warning in settled.warnings:
        say(f"warning: {warning}")
    _tell_failures(done)
    return OK


def _tell_failures(done: Rendering) -> None:
    for one in done.commands:
        if one.failed:
            say(f"warning: `{one.planned.command}` gave nothing: {one.failed}")


def _whole(skill: Skill, done: Rendering, settled: Settled) -> dict[str, Any]:
    count, counter = settled.counted
    total = count(done.text)
    return {
        **about(skill),
        "tokens": total,
        "own_tokens": count(done.bare),
        "window": settled.window.tokens,
        "window_from": settled.window.source,
        "percent": Budget(settled.window.tokens, 1, total).percent,
        "counter": as_dict(counter),
        "commands": [_carried(skill, one, count(one.output)) for one in done.commands],
    }


def _carried(skill: Skill, one: Carried, tokens: int) -> dict[str, Any]:
    return {
        **_planned(skill, one.planned),
        "tokens": tokens,
        "output": one.output,
        "failed": one.failed,
    }
