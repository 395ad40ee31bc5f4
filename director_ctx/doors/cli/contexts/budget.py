"""`dctx budget`: where the tokens of a context go, for one agent or for all, and at other windows."""

from __future__ import annotations

from director_ctx.assembling.assemble import assemble
from director_ctx.assembling.budgets import contexts_json, every_context
from director_ctx.assembling.what_if import WhatIf, what_if
from director_ctx.base.errors import OK, UsageProblem
from director_ctx.context.assembly import RUNG_TITLES, Assembly, last_rungs
from director_ctx.context.settings import tags
from director_ctx.context.settings.budget import counted_by
from director_ctx.context.settings.targets import above_target, target_of, target_of_whole
from director_ctx.doors.cli.contexts.assemble import choose_layout, library_options
from director_ctx.doors.cli.shared.options import chosen_agent
from director_ctx.doors.cli.shared.output import put_json
from director_ctx.doors.cli.shared.speak import say
from director_ctx.doors.cli.shared.table import put_lines, put_table
from director_ctx.project.project import Project, load_project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from director_ctx.context.assembly import Printed
    from director_ctx.context.settings.budget import Budget
    from director_ctx.context.settings.targets import Target

_COLUMNS = ["Section", ">Tokens", ">Share", "#", ">Window", "Target"]
_MEASURED_BY = "Share: of this context. Window and Target: of the model's window; less is fine."
OWN = ("agent", "root", "all", "what_if", "history", "json", "inject")


def run(values: dict[str, Any]) -> int:
    project = load_project(root=values["root"])
    options = library_options(values, OWN)
    if values["history"]:
        _history(project, values, options)
        return OK
    if values["all"] and (values["agent"] or values["skill"] or values["what_if"]):
        raise UsageProblem(
            "--all is for every agent, one window.", "Leave out the agent and --what-if."
        )
    choose_layout(project, values, options)
    if values["all"]:
        _all(project, options, values["json"])
    elif values["what_if"]:
        _what_if(what_if(project, chosen_agent(values), **options), values["json"])
    else:
        _context(assemble(project, chosen_agent(values), **options), values["json"])
    return OK


def _history(project: Project, values: dict[str, Any], options: dict[str, Any]) -> None:
    # The record is of what was told: nothing in it can be chosen or counted otherwise afterwards.
    others = [values["all"], values["what_if"]]
    for name, value in options.items():
        if name != "skill":
            others.append(value)
    if any(others):
        raise UsageProblem(
            "--history tells of contexts that were made.", "It takes an agent and --json, no more."
        )

    from director_ctx.doors.cli.contexts.budget_history import history

    agent = values["agent"] or values["skill"]
    history(project, agent, values["json"])


def _context(assembly: Assembly, as_json: bool) -> None:
    if as_json:
        put_json(assembly.account_json())
        return

    tokens = assembly.tokens_by_tag
    above = above_target(tokens, assembly.budget.window)
    rows = [_row(section, assembly.budget, above) for section in assembly.sections]
    put_table(_COLUMNS, rows, _total_row(assembly), _heading(assembly))
    put_lines(list(_account(assembly, above)))
    for warning in assembly.warnings:
        say(f"warning: {warning}")


def _row(section: Printed, budget: Budget, above: list[str]) -> list[str]:
    share = section.tokens / max(1, budget.used)
    return [
        tags.title(section.tag),
        f"{section.tokens:,}",
        f"{share * 100:.0f}%",
        f"{share:.4f}",
        f"{section.tokens * 100 / budget.window:.1f}%",
        _shown_target(target_of(section.tag), section.tag in above),
    ]


def _total_row(assembly: Assembly) -> list[str]:
    budget = assembly.budget
    target = target_of_whole(assembly.tokens_by_tag)
    is_above = bool(target) and assembly.over_budget
    return [
        "Total",
        f"{budget.used:,}",
        "100%",
        "1",
        f"{budget.percent}%",
        _shown_target(target, is_above),
    ]


def _shown_target(target: Target | None, is_above: bool) -> str:
    if target is None:
        return ""
    if is_above:
        return f"over {target.most}%"
    return f"to {target.most}%"


def _account(assembly: Assembly, above: list[str]) -> Iterator[tuple[str, str]]:
    """What the numbers are measured by, and what was cut."""
    budget = assembly.budget
    share = budget.limit * 100 / budget.window
    used = budget.used * 100 / budget.limit
    yield (
        f"Budget: {budget.limit:,} tokens ({share:.3g}% of {budget.window:,}), {used:.0f}% used",
        "",
    )
    yield f"Window: {budget.window_says}", ""
    style = "bold"
    if assembly.over_budget:
        style = "bold red"
    yield f"Status: {budget.status}", style
    if above:
        names = ", ".join(map(tags.title, above))
        yield f"Above its target: {names}. `dctx assemble --explain` says what is in it.", "yellow"
    # Each rung once, however many sections it took from.
    for rung in dict.fromkeys(cut.rung for cut in assembly.reductions):
        yield f"Cut: {RUNG_TITLES[rung]}", ""
    yield _MEASURED_BY, "dim"
    yield counted_by(assembly.counter), "dim"


def _heading(assembly: Assembly) -> str:
    heading = f"Context budget: {assembly.agent}"
    if assembly.task:
        heading += f", task {assembly.task['ref']} {assembly.task['title']}"
    return heading


def _all(project: Project, options: dict[str, Any], as_json: bool) -> None:
    """Every agent; one that cannot be given a context now says why."""
    contexts = every_context(project, **options)
    if as_json:
        put_json(contexts_json(contexts))
        return

    rows: list[list[str]] = []
    assemblies: list[Assembly] = []
    for name, context in contexts.items():
        if isinstance(context, str):
            rows.append([name, "-", "-", "-", "", context])
        else:
            rows.append(_agent_row(name, context.budget))
            assemblies.append(context)

    put_table(["Agent", ">Tokens", ">Window", ">Budget", "#", "Status"], rows)
    put_lines([(line, "") for line in _windows(assemblies)])
    if assemblies:
        put_lines([("Window and Budget say how much of each is used.", "dim")])
        # All of them are counted by the same counter.
        put_lines([(counted_by(assemblies[0].counter), "dim")])


def _windows(assemblies: list[Assembly]) -> list[str]:
    """A line for each size, with the agents that have it, and one that says what else decides."""
    agents: dict[int, list[str]] = {}
    for assembly in assemblies:
        agents.setdefault(assembly.budget.window, []).append(assembly.agent)

    lines = []
    for window, names in agents.items():
        whose = ""
        if len(agents) > 1:
            whose = f" of {', '.join(names)}"
        lines.append(f"Window{whose}: {window:,} tokens")
    sources = {assembly.budget.window_says for assembly in assemblies}
    if len(sources) == 1:
        return [f"Window: {sources.pop()}"]
    if lines:
        lines.append("`dctx budget AGENT` says where an agent's window comes from.")
    return lines


def _agent_row(name: str, budget: Budget) -> list[str]:
    share = budget.used / budget.limit
    return [
        name,
        f"{budget.used:,}",
        f"{budget.percent}%",
        f"{share * 100:.0f}%",
        f"{share:.4f}",
        budget.status,
    ]


def _what_if(answer: WhatIf, as_json: bool) -> None:
    if as_json:
        put_json(answer.as_json())
        return

    if answer.smallest_window:
        line = f"Nothing is cut from a window of {answer.smallest_window:,} tokens on, at a budget of {answer.budget}."
    else:
        line = f"Nothing is cut from a budget of {answer.smallest_limit:,} tokens on."
    put_lines([(f"{answer.agent}: {line}", "bold")])

    rows = []
    for budget, cuts in answer.windows:
        rungs = [cut.rung for cut in cuts]
        rows.append(_window_row(budget, rungs))
    put_table([">Window", ">Budget", ">Used", "Status", "What goes"], rows)
    put_lines([(counted_by(answer.counter), "dim")])


def _window_row(budget: Budget, rungs: list[str]) -> list[str]:
    goes = "; ".join(last_rungs(rungs)) or "nothing"
    return [f"{budget.window:,}", f"{budget.limit:,}", f"{budget.used:,}", budget.status, goes]
