"""The ways in which an agent can get its context, measured on one project and one task."""

from __future__ import annotations

from director_ctx.assembling.assemble import assemble
from director_ctx.assembling.comparing.asked import asked_calls
from director_ctx.assembling.comparing.comparison import ContextSizes, compared
from director_ctx.assembling.comparing.report import ComparisonReport
from director_ctx.base.record import Record
from director_ctx.context.settings.budget import find_model
from director_ctx.context.settings.options import load_settings, make_request
from director_ctx.context.settings.prices import PRICES, find_price, prices_read
from director_ctx.context.settings.pulled import PUSHED_MINIMUM
from director_ctx.context.settings.tags import PULL
from director_ctx.context.tokens.counting import settle_counter
from director_ctx.doors.mcp.measured import exchanges, first_texts
from director_ctx.doors.mcp.serving.service import Service
from director_ctx.history.sessions.run_shape import RunTurn
from director_ctx.tools.tool_sets import tools_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from director_ctx.assembling.comparing.asked import Asked, AskedCalls
    from director_ctx.assembling.comparing.tool_lists import ToolList
    from director_ctx.context.assembly import Assembly
    from director_ctx.context.settings.prices import Price
    from director_ctx.context.settings.request import Settings
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
    measured = _Measurement(project, agent, terms, place)
    usual = measured.usual
    asked = asked_calls(terms.tools, usual.agent, measured.ref, usual.tokens_by_tag)
    sizes = measured.sizes(asked)

    settings = load_settings(project)
    model = terms.model or settings.model or terms.client.model
    own_prices = {**settings.prices, **terms.prices}
    price = find_price(model, own_prices)
    # What every request begins with, in whatever way the context comes.
    base = terms.client.own + terms.shape.begin
    return ComparisonReport(
        agent=usual.agent,
        task=usual.task,
        client=terms.client,
        run=terms.run,
        model=model,
        window=_window(model, settings),
        prices_read=prices_read(model, own_prices),
        priced=tuple({**own_prices, **PRICES}),
        counter=measured.counter,
        asked=asked,
        comparison=compared(sizes, base, terms.shape.turns, price),
    )


def _window(model: str, settings: Settings) -> int | None:
    known = find_model(model, settings.models)
    if known is None:
        return None
    return known.window


class _Measurement:
    """The texts of every way, made by what makes them at other times, and counted."""

    def __init__(
        self, project: Project, agent: str, terms: ComparisonTerms, place: dict[str, Any]
    ) -> None:
        self.project = project
        self.agent = agent
        self.terms = terms
        self.place = place
        request = make_request(agent, {**place, "model": terms.model})
        settings = load_settings(project)
        self.count, self.counter = settle_counter(terms.counter, None, request, settings)
        tools = tools_of(terms.tools)
        self.service = Service(project.root, project.root, tools, loaded=project)
        self.usual = self._assembled()
        """The context of the agent as its profile has it."""

    @property
    def ref(self) -> str:
        if self.usual.task is None:
            return ""
        ref: str = self.usual.task["ref"]
        return ref

    def sizes(self, asked: AskedCalls) -> ContextSizes:
        client = self.terms.client
        listed = [self.count(text) for text in first_texts(self.service, client)]
        minimum = [tag for tag in PUSHED_MINIMUM if tag in self.usual.tokens_by_tag]
        with_task = None
        if minimum:
            with_task = self._prompt(minimum)
        return ContextSizes(
            pushed=self._pushed(),
            prompt=self._prompt(()),
            with_task=with_task,
            tools=client.beside + sum(listed),
            parts=self._turns(asked.parts),
            whole=self._turns(asked.whole),
            rest=self._turns(asked.rest),
        )

    def _assembled(self, **options: Any) -> Assembly:
        return assemble(
            self.project,
            self.agent,
            count=self.count,
            counter=self.counter,
            **self.place,
            **options,
        )

    def _pushed(self) -> int:
        pushed = self.usual
        if self.terms.shape_of_push:
            pushed = self._assembled(**self.terms.shape_of_push)
        return self.count(pushed.text)

    def _prompt(self, tags: Sequence[str]) -> int:
        prompt = self._assembled(layout=PULL, tools=self.terms.tools, with_=tags)
        return self.count(prompt.text)

    def _turns(self, calls: Sequence[Asked]) -> tuple[RunTurn, ...]:
        turns = []
        for call, answer in exchanges(self.service, self.terms.client, calls):
            turn = RunTurn(self.count(call), self.count(answer))
            turns.append(turn)
        return tuple(turns)
