"""The ways in which an agent can get its context, measured on one project and one task."""

from __future__ import annotations

from director_ctx.assembling.assemble import assemble
from director_ctx.assembling.comparing.asked import PUSHED_MINIMUM, asked_calls
from director_ctx.assembling.comparing.comparison import ContextSizes, compared
from director_ctx.assembling.comparing.report import ComparisonReport
from director_ctx.base.record import Record
from director_ctx.context.settings.options import load_settings, make_request
from director_ctx.context.settings.prices import find_price
from director_ctx.context.settings.tags import PULL
from director_ctx.context.tokens.counting import settle_counter
from director_ctx.doors.mcp.measured import exchanges, first_texts
from director_ctx.doors.mcp.serving.service import Service
from director_ctx.doors.mcp.tools.tool_sets import tools_of
from director_ctx.history.sessions.run_shape import RunTurn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from director_ctx.assembling.comparing.asked import Asked
    from director_ctx.assembling.comparing.tool_lists import ToolList
    from director_ctx.context.settings.prices import Price
    from director_ctx.history.sessions.run_shape import RunShape
    from director_ctx.project.project import Project


class ComparisonTerms(Record):
    """Under what the ways are compared."""

    client: ToolList
    run: str
    """What the run is called, and its shape."""
    shape: RunShape
    tools: str = "few"
    model: str | None = None
    prices: Mapping[str, Price] = {}
    counter: str | None = None
    shape_of_push: Mapping[str, Any] = {}
    """Options of `assemble` for what is pushed; who asks gets the usual context."""


def compare(project: Project, agent: str, terms: ComparisonTerms, **place: Any) -> ComparisonReport:
    """`place` says which task, as for `assemble`."""
    settings = load_settings(project)
    request = make_request(agent, {**place, "model": terms.model})
    count, counted_by = settle_counter(terms.counter, None, request, settings)
    client, tools = terms.client, terms.tools

    usual = assemble(project, agent, count=count, counter=counted_by, **place)
    pushed = usual
    if terms.shape_of_push:
        pushed = assemble(project, agent, count=count, **place, **terms.shape_of_push)
    ref = ""
    if usual.task:
        ref = usual.task["ref"]
    asked = asked_calls(tools, usual.agent, ref, usual.tokens_by_tag)

    service = Service(project.root, project.root, tools_of(tools))

    def turns_of(calls: Sequence[Asked]) -> tuple[RunTurn, ...]:
        turns = []
        for call, answer in exchanges(service, client, calls):
            turns.append(RunTurn(count(call), count(answer)))
        return tuple(turns)

    def prompt_with(tags: Sequence[str]) -> int:
        text = assemble(project, agent, layout=PULL, tools=tools, with_=tags, **place).text
        return count(text)

    minimum = [tag for tag in PUSHED_MINIMUM if tag in usual.tokens_by_tag]
    sizes = ContextSizes(
        pushed=count(pushed.text),
        prompt=prompt_with(()),
        with_task=prompt_with(minimum),
        tools=client.beside + sum(map(count, first_texts(service, client))),
        parts=turns_of(asked.parts),
        whole=turns_of(asked.whole),
        rest=turns_of(asked.rest),
    )

    model = terms.model or settings.model or client.model
    price = find_price(model, {**settings.prices, **terms.prices})
    base = client.own + terms.shape.begin
    return ComparisonReport(
        agent=pushed.agent,
        task=pushed.task,
        client=client,
        run=terms.run,
        model=model,
        counter=counted_by,
        asked=asked,
        comparison=compared(sizes, base, terms.shape.turns, price),
    )
