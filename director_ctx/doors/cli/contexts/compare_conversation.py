"""`dctx compare --conversation`: a recorded one, led again as a chat in each way and with each reset."""

from __future__ import annotations

from director_ctx.base.errors import OK, DctxError
from director_ctx.base.text import plain
from director_ctx.chat.job import RESETS, SUMMARY, TurnJob
from director_ctx.chat.managed_replay import ManagedReplay
from director_ctx.chat.offered import OfferedTools
from director_ctx.chat.prompt import WAYS, prompt
from director_ctx.chat.providers.keys import USUAL
from director_ctx.chat.replay import Replay, recorded_turns
from director_ctx.context.settings.options import hooks_of, load_settings
from director_ctx.context.settings.prices import find_price
from director_ctx.context.settings.tags import PULL
from director_ctx.context.tokens.counting import choose_counter, whole
from director_ctx.doors.cli.shared.output import put_json
from director_ctx.doors.cli.shared.table import put_lines, put_table
from director_ctx.history.sessions.find import choose
from director_ctx.history.sessions.transcript import read_transcript
from director_ctx.history.strategies.config_values import config_from, setting
from director_ctx.history.summaries.extract import extract
from director_ctx.project.project import load_project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from director_ctx.chat.replay import RecordedTurn, Replayed
    from director_ctx.context.settings.prices import Price
    from director_ctx.history.messages.message import Message
    from director_ctx.history.strategies.config import ContextConfig
    from director_ctx.memory.conversations.chat_records import ChatRow
    from director_ctx.project.project import Project

SHARE = 8
"""One in so many parts of the limit is for a summary."""
LEGEND = (
    "Sent: tokens of all requests; Largest: of one. Told: turns that the model reads word for word in the end,"
    " of all; the others are in the summary, and in the archive."
)

MANAGED = (
    "Sent: tokens of all requests; Largest: of one. Cuts: requests that did not only go on from the one before."
    " Told: what the user said that the model reads word for word in the end."
)


def run(values: dict[str, Any]) -> int:
    project = load_project(root=values["root"])
    session = choose(values["conversation"], values["root"])
    turns, results = recorded_turns(read_transcript(session, values["root"]).now.messages)
    if not turns:
        raise DctxError("Nobody said anything in this conversation.", "Name another one.")
    limit = hooks_of(project).urgent
    if values["limit"]:
        limit = whole(values["limit"], "--limit")
    leading = _Leading(project, values, limit)
    strategies = values["strategy"] or ()
    if strategies:
        rows = leading.by_strategies(strategies, turns, results)
    else:
        rows = leading.by_ways(turns, results)
    if values["json"]:
        put_json({"conversation": session.id, "limit": limit, "turns": len(turns), "ways": rows})
    elif strategies:
        _put_strategies(rows, limit)
    else:
        _put(rows, limit)
    return OK


class _Leading:
    """What a conversation is led again with."""

    def __init__(self, project: Project, values: dict[str, Any], limit: int) -> None:
        self._project = project
        self._limit = limit
        self._count, _ = choose_counter(values["counter"])
        model = values["model"] or USUAL["openai"]
        own_prices = load_settings(project).prices
        self._price = find_price(model, own_prices)
        self._names = values["tools"] or "few"
        self._tools = OfferedTools(project, self._names, ())

    def by_strategies(
        self, strategies: Sequence[str], turns: Sequence[RecordedTurn], results: dict[str, str]
    ) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = []
        for named in strategies:
            job = self._job(PULL, SUMMARY)
            replay = ManagedReplay(job, results, _config(named, self._limit))
            figures = _row(replay.lead(turns), turns, self._price)
            rows.append({"strategy": named, **figures})
        return rows

    def by_ways(
        self, turns: Sequence[RecordedTurn], results: dict[str, str]
    ) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = []
        for way in WAYS:
            for reset in RESETS:
                job = self._job(way, reset)
                replay = Replay(job, results, self._summed)
                figures = _row(replay.lead(turns), turns, self._price)
                rows.append({"way": way, "reset": reset, **figures})
        return rows

    def _summed(self, rows: Sequence[ChatRow]) -> str:
        from director_ctx.history.messages.message import said

        messages: list[Message] = []
        for row in rows:
            messages.append(said(row.text, row.role, self._count))
        most = self._limit // SHARE
        return extract(messages, "", most, self._count)

    def _job(self, way: str, reset: str) -> TurnJob:
        return TurnJob(
            model="",
            instructions=prompt(self._project, way, self._names),
            tools=self._tools.definitions(),
            reset=reset,
            limit=self._limit,
            refreshing=self._tools.refreshing,
            context=lambda: prompt(self._project, "push", "few"),
            price=self._price,
            count=self._count,
        )


def _config(named: str, limit: int) -> ContextConfig:
    """`hybrid,keep_results=2`: a strategy, and settings by the names of ContextConfig."""
    strategy, *settings = named.split(",")
    given: dict[str, Any] = {
        "strategy": strategy,
        "limit": limit,
        "warn_at": limit,
        "when": "limit",
    }
    for text in settings:
        name, value = setting(text)
        given[name] = value
    return config_from(given, f"--strategy {plain(named)}")


def _row(
    outcome: Replayed,
    turns: Sequence[RecordedTurn],
    price: Price | None,
) -> dict[str, Any]:
    return {
        "requests": len(outcome.sizes),
        "sent": outcome.usage.input,
        "cached": outcome.usage.cached,
        "largest": max(outcome.sizes, default=0),
        "resets": outcome.resets,
        "told": outcome.told,
        "turns": len(turns),
        "too_large": outcome.failed,
        "dollars": outcome.usage.dollars(price) if price else None,
    }


def _put(rows: Sequence[dict[str, Any]], limit: int) -> None:
    columns = ["Way", "Reset", ">Requests", ">Sent", ">Largest", ">Resets", ">Told", ">Cost"]
    lines: list[list[str]] = []
    without_reset: set[str] = set()
    for row in rows:
        if not row["resets"]:
            # Where nothing has grown, the three are the same.
            if row["way"] in without_reset:
                continue
            without_reset.add(row["way"])
        lines.append([row["way"], row["reset"] if row["resets"] else "-", *_figures(row)])
    put_table(columns, lines, title=f"The same conversation, below {limit:,} tokens")
    put_lines([(LEGEND, "dim")])


def _put_strategies(rows: Sequence[dict[str, Any]], limit: int) -> None:
    columns = ["Strategy", ">Requests", ">Sent", ">Largest", ">Cuts", ">Told", ">Cost"]
    lines: list[list[str]] = []
    for row in rows:
        lines.append([row["strategy"], *_figures(row)])
    put_table(columns, lines, title=f"The same conversation, below {limit:,} tokens")
    put_lines([(MANAGED, "dim")])


def _figures(row: dict[str, Any]) -> list[str]:
    cost = "-" if row["dollars"] is None else f"${row['dollars']:.3f}"
    return [
        f"{row['requests']:,}",
        f"{row['sent']:,}",
        f"{row['largest']:,}",
        f"{row['resets']:,}",
        f"{row['told']:,} of {row['turns']:,}",
        cost,
    ]
