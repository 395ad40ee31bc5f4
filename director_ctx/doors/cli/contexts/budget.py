"""`dctx budget`: where the tokens of a context go, for one agent or for all, at other windows, and
over time.
"""

from __future__ import annotations

from director_ctx.assembling.assemble import assemble
from director_ctx.assembling.budgets import contexts_json, every_context
from director_ctx.assembling.what_if import WhatIf, what_if
from director_ctx.base.errors import OK, UsageProblem
from director_ctx.context.assembly import RUNG_TITLES, Assembly, last_rungs
from director_ctx.context.settings import tags
from director_ctx.context.settings.budget import counted_by
from director_ctx.context.settings.targets import (
    Target,
    above_target,
    target_of,
    target_of_whole,
)
from director_ctx.doors.cli.contexts.assemble import chosen_agent, library_options, usual_layout
from director_ctx.doors.cli.shared.output import put_json
from director_ctx.doors.cli.shared.speak import say
from director_ctx.doors.cli.shared.table import put_lines, put_table
from director_ctx.project.project import Project, load_project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.memory.runs.run import Run

MOST_RUNS = 20


def run(values: dict[str, Any]) -> int:
    project = load_project(root=values["root"])
    options = library_options(values)
    if values["history"]:
        # The record is of what was told: nothing in it can be chosen or counted otherwise afterwards.
        chosen = [value for name, value in options.items() if name != "skill"]
        if values["all"] or values["what_if"] or any(chosen):
            raise UsageProblem(
                "--history tells of contexts that were made.",
                "It takes an agent and --json, no more.",
            )
        _history(project, values["agent"] or values["skill"], values["json"])
        return OK
    if values["all"] and (values["agent"] or values["skill"] or values["what_if"]):
        raise UsageProblem(
            "--all is for every agent, one window.", "Leave out the agent and --what-if."
        )

    options |= usual_layout(project, values)
    agent = chosen_agent(values)
    if values["all"]:
        contexts = every_context(project, **options)
        if values["json"]:
            put_json(contexts_json(contexts))
        else:
            _put_all(contexts)
    elif values["what_if"]:
        answer = what_if(project, agent, **options)
        if values["json"]:
            put_json(answer.as_json())
        else:
            _put_what_if(answer)
    else:
        assembly = assemble(project, agent, **options)
        if values["json"]:
            put_json(assembly.account_json())
        else:
            _put_context(assembly)
    return OK


def _put_context(assembly: Assembly) -> None:
    budget = assembly.budget
    tokens = assembly.tokens_by_tag
    above = above_target(tokens, budget.window)
    rows = []
    for section in assembly.sections:
        share = section.tokens / max(1, budget.used)
        rows.append(
            [
                tags.title(section.tag),
                f"{section.tokens:,}",
                f"{share * 100:.0f}%",
                f"{share:.4f}",
                f"{section.tokens * 100 / budget.window:.1f}%",
                _shown_target(target_of(section.tag), section.tag in above),
            ]
        )
    whole = _shown_target(target_of_whole(tokens), assembly.over_budget)
    total = ["Total", f"{budget.used:,}", "100%", "1", f"{budget.percent}%", whole]
    heading = f"Context budget: {assembly.agent}"
    if assembly.task:
        heading += f", task {assembly.task['ref']} {assembly.task['title']}"
    put_table(["Section", ">Tokens", ">Share", "#", ">Window", "Target"], rows, total, heading)

    share = budget.limit * 100 / budget.window
    used = budget.used * 100 / budget.limit
    said = f"{budget.limit:,} tokens ({share:.3g}% of {budget.window:,}), {used:.0f}% used"
    lines = [
        (f"Budget: {said}", ""),
        (f"Window: {budget.window_says}", ""),
        (f"Status: {budget.status}", "bold red" if assembly.over_budget else "bold"),
    ]
    if above:
        names = ", ".join(map(tags.title, above))
        hint = "`dctx assemble --explain` says what is in it."
        lines.append((f"Above its target: {names}. {hint}", "yellow"))
    # Each rung once, however many sections it took from.
    for rung in dict.fromkeys(cut.rung for cut in assembly.reductions):
        lines.append((f"Cut: {RUNG_TITLES[rung]}", ""))
    measured_by = "Share: of this context. Window and Target: of the model's window; less is fine."
    lines += [(measured_by, "dim"), (counted_by(assembly.counter), "dim")]
    put_lines(lines)
    for warning in assembly.warnings:
        say(f"warning: {warning}")


def _shown_target(target: Target | None, is_above: bool) -> str:
    if target is None:
        return ""
    return f"{'over' if is_above else 'to'} {target.most}%"


def _put_all(contexts: dict[str, Assembly | str]) -> None:
    """Every agent; one that cannot be given a context now says why."""
    rows: list[list[str]] = []
    assemblies: list[Assembly] = []
    for name, context in contexts.items():
        if isinstance(context, str):
            rows.append([name, "-", "-", "-", "", context])
            continue
        assemblies.append(context)
        budget = context.budget
        share = budget.used / budget.limit
        shares = [f"{budget.percent}%", f"{share * 100:.0f}%", f"{share:.4f}"]
        rows.append([name, f"{budget.used:,}", *shares, budget.status])
    put_table(["Agent", ">Tokens", ">Window", ">Budget", "#", "Status"], rows)
    put_lines([(line, "") for line in _windows(assemblies)])
    if assemblies:
        put_lines([("Window and Budget say how much of each is used.", "dim")])
        # All of them are counted by the same counter.
        put_lines([(counted_by(assemblies[0].counter), "dim")])


def _windows(assemblies: list[Assembly]) -> list[str]:
    """A line for each size, with the agents that have it, and one that says what else decides."""
    sources = {assembly.budget.window_says for assembly in assemblies}
    if len(sources) == 1:
        return [f"Window: {sources.pop()}"]
    agents: dict[int, list[str]] = {}
    for assembly in assemblies:
        agents.setdefault(assembly.budget.window, []).append(assembly.agent)
    lines = []
    for window, names in agents.items():
        whose = f" of {', '.join(names)}" if len(agents) > 1 else ""
        lines.append(f"Window{whose}: {window:,} tokens")
    if lines:
        lines.append("`dctx budget AGENT` says where an agent's window comes from.")
    return lines


def _put_what_if(answer: WhatIf) -> None:
    if answer.smallest_window:
        line = f"Nothing is cut from a window of {answer.smallest_window:,} tokens on, at a budget of {answer.budget}."
    else:
        line = f"Nothing is cut from a budget of {answer.smallest_limit:,} tokens on."
    put_lines([(f"{answer.agent}: {line}", "bold")])

    rows = []
    for budget, cuts in answer.windows:
        goes = "; ".join(last_rungs([cut.rung for cut in cuts])) or "nothing"
        sizes = [f"{number:,}" for number in (budget.window, budget.limit, budget.used)]
        rows.append([*sizes, budget.status, goes])
    put_table([">Window", ">Budget", ">Used", "Status", "What goes"], rows)
    put_lines([(counted_by(answer.counter), "dim")])


def _history(project: Project, agent: str | None, as_json: bool) -> None:
    """How contexts grew, newest last: the last runs, or all of them as JSON."""
    from director_ctx.doors.cli.shared.times import local_time
    from director_ctx.memory.runs.choose import runs_of
    from director_ctx.memory.runs.run import growths, history_json
    from director_ctx.memory.runs.storage import read_runs

    runs = runs_of(read_runs(project.root), agent)
    if as_json:
        put_json(history_json(runs))
        return
    if not runs:
        whose = f" for {agent}" if agent else ""
        put_lines([(f"No context{whose} is on record yet; `dctx assemble` puts one there.", "")])
        return

    # The growth of the first that is shown is told by a run that is not.
    rows = []
    for run, growth in list(zip(runs, growths(runs), strict=True))[-MOST_RUNS:]:
        grown = f"{growth:+,}" if growth else "" if growth is None else "0"
        made = [run.id, local_time(run.time), run.agent, run.task or "-", f"{run.used:,}", grown]
        rows.append([*made, f"{run.percent}%", run.status, cuts_in_words(run)])
    columns = ["Run", "Time", "Agent", "Task", ">Tokens", ">Growth", ">Window", "Status", "Cut"]
    put_table(columns, rows)
    if len(runs) > MOST_RUNS:
        put_lines([(f"The last {MOST_RUNS} of {len(runs)}; --json lists them all.", "dim")])


def cuts_in_words(run: Run) -> str:
    """What was shortened to fit, in words."""
    # A line of the record may be of another version, with rungs that are no more.
    known = [name for name in run.reductions if name in RUNG_TITLES]
    return "; ".join(last_rungs(known))
