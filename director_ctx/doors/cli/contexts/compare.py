"""`dctx compare`: what it costs to push a context, to have it asked for, or both."""

from __future__ import annotations

from director_ctx.assembling.comparing.comparison import MEANINGS
from director_ctx.assembling.comparing.recorded_runs import RUNS, USUAL, recorded_run
from director_ctx.assembling.comparing.tool_lists import TOOL_LISTS
from director_ctx.base.errors import OK, DctxError, UsageProblem
from director_ctx.context.settings.budget import counted_by
from director_ctx.context.tokens.counting import choose_counter
from director_ctx.doors.cli.shared.options import DEFAULT_AGENT
from director_ctx.doors.cli.shared.output import put_json
from director_ctx.doors.cli.shared.table import put_columns, put_lines, put_table
from director_ctx.doors.mcp.compare import ComparisonTerms, compare
from director_ctx.project.project import load_project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from director_ctx.assembling.comparing.comparison import WayOutcome
    from director_ctx.assembling.comparing.report import ComparisonReport
    from director_ctx.context.settings.prices import Price
    from director_ctx.history.sessions.run_shape import RunShape

LEGEND = "First, Turn: tokens of that request. Sent: of all of them; Added: those for the context and for asking."
DEFAULT_CLIENT = "claude"
PLACE = ("task", "goal", "step")
PUSHED = ("codebase", "research", "with_", "without")
"""Options that are about what is pushed."""


def run(values: dict[str, Any]) -> int:
    if values["conversation"] and values["run"]:
        raise UsageProblem("--run and --conversation are two comparisons.", "Give one of them.")
    if values["limit"] and not values["conversation"]:
        raise UsageProblem("--limit is for --conversation.", "Name one, or leave the limit out.")
    if values["conversation"]:
        from director_ctx.doors.cli.contexts import compare_conversation

        return compare_conversation.run(values)
    project = load_project(root=values["root"])
    client = TOOL_LISTS.get(values["client"] or DEFAULT_CLIENT)
    if client is None:
        known = ", ".join(TOOL_LISTS)
        raise UsageProblem(f"--client: there is no {values['client']!r}.", f"One of: {known}.")

    name, shape = _run(values)
    terms = ComparisonTerms(
        client=client,
        run=name,
        shape=shape,
        tools=values["tools"] or "few",
        model=values["model"],
        prices=_prices(values["prices"]),
        counter=values["counter"],
        shape_of_push=_given(values, PUSHED),
    )
    agent = values["agent"] or DEFAULT_AGENT
    report = compare(project, agent, terms, **_given(values, PLACE))
    if values["json"]:
        put_json(report.as_json())
    else:
        _put(report)
    return OK


def _given(values: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: values[name] for name in names if values[name]}


def _run(values: dict[str, Any]) -> tuple[str, RunShape]:
    """A recorded run, or the shape of a session."""
    name = values["run"] or USUAL
    if name in RUNS:
        return name, recorded_run(name)

    from director_ctx.history.sessions.find import choose
    from director_ctx.history.sessions.run_shape import run_shape
    from director_ctx.history.sessions.transcript import read_transcript

    try:
        session = choose(name, values["root"])
    except DctxError as error:
        runs = f"Recorded runs: {', '.join(RUNS)}."
        raise DctxError(error.message, f"{runs} {error.hint}".strip()) from error
    count, _ = choose_counter(values["counter"])
    shape = run_shape(read_transcript(session, values["root"]).now.messages, count)
    if not shape.turns:
        raise DctxError(f"No model answered in {name}.", f"Recorded runs: {', '.join(RUNS)}.")
    return session.id, shape


def _prices(path: str | None) -> Mapping[str, Price]:
    """Those of a file, which go before all others."""
    if not path:
        return {}
    from director_ctx.base.system.yaml_file import parse_yaml
    from director_ctx.context.settings.config_prices import prices_of
    from director_ctx.doors.cli.shared.text_input import read_named

    return prices_of(parse_yaml(read_named(path, "--prices"), path), path)


def _put(report: ComparisonReport) -> None:
    last = report.turns
    middle = (last + 1) // 2
    columns = [
        "Way",
        ">First",
        f">Turn {middle}",
        f">Turn {last}",
        ">Requests",
        ">Sent",
        ">Added",
        ">Cost",
    ]
    rows = [_row(outcome, middle) for outcome in report.comparison.outcomes]
    put_table(columns, rows, title=_heading(report))
    put_lines([(LEGEND, "dim")])
    names = [outcome.way.name for outcome in report.comparison.outcomes]
    put_columns([(f"  {name:<15}{MEANINGS[name]}", "dim") for name in names])
    put_lines([("", "")])
    put_lines([(line, "bold") for line in report.sentences()])
    put_lines([("", "")])
    put_lines([(line, "dim") for line in (*report.remarks(), f"{counted_by(report.counter)}.")])


def _heading(report: ComparisonReport) -> str:
    heading = f"{report.agent.capitalize()} in {report.client.title}"
    if report.task:
        heading += f", task {report.task['ref']} {report.task['title']}"
    return f"{heading}; a run of {report.turns} turns ({report.run})"


def _row(outcome: WayOutcome, middle: int) -> list[str]:
    work = outcome.work
    dollars = "-"
    if outcome.dollars is not None:
        dollars = f"${outcome.dollars:.3f}"
    return [
        outcome.way.name,
        f"{outcome.sent[0].tokens:,}",
        f"{work[middle - 1].tokens:,}",
        f"{work[-1].tokens:,}",
        f"{len(outcome.sent):,}",
        f"{outcome.tokens:,}",
        f"{outcome.added:,}",
        dollars,
    ]
