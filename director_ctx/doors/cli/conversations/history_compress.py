"""`dctx history compress` and `compressions`: a summary in the place of the store's messages, and
earlier ones.
"""

from __future__ import annotations

from functools import partial

from director_ctx.assembling.assemble import parts_now
from director_ctx.base.errors import OK, UsageProblem
from director_ctx.context.settings.options import hooks_of
from director_ctx.context.tokens.counting import choose_counter
from director_ctx.doors.cli.contexts.budget_history import local
from director_ctx.doors.cli.shared.asking import says_yes
from director_ctx.doors.cli.shared.output import put, put_json
from director_ctx.doors.cli.shared.speak import say
from director_ctx.doors.cli.shared.table import put_lines, put_table
from director_ctx.history.strategies.config import TARGET
from director_ctx.history.summaries import summaries
from director_ctx.history.summaries.summaries import Way
from director_ctx.history.summaries.summarize import (
    EXTRACTIVE,
    check_using,
    wanted_seconds,
    wanted_tokens,
)
from director_ctx.memory.conversations import summaries as rows
from director_ctx.memory.store.open import open_conversation, project_here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from director_ctx.history.summaries.summaries import Planned
    from director_ctx.memory.conversations.summaries import Compression
    from director_ctx.memory.store.store import Store
    from director_ctx.project.project import Project

_SHORT, _LONGEST_BY = 8, 40
ACTIONS = ("list", "show", "export")


def compress(values: dict[str, Any]) -> int:
    project = project_here(values["root"])
    way = _way(project, values)
    with open_conversation(project, write=not values["preview"]) as store:
        plan = summaries.planned(store, way.count, values["select"], values["messages"])
        _announce(plan)
        prompt = summaries.prompt_of(plan, way)
        if prompt:
            _warn_of_size(
                way.count(prompt),
                wanted_tokens("--limit", values["limit"], hooks_of(project).urgent),
            )
        text = _agreed(
            partial(summaries.write_summary, plan, way, prompt),
            plan,
            way,
            not (values["preview"] or values["yes"]),
        )
        if not text:
            say("Nothing was changed.")
            return OK
        if values["preview"]:
            return _preview(plan, text, way.count, values["json"])
        made = summaries.keep(store, plan, text, way)
    return _done(plan, made, values["json"])


def _way(project: Project | None, values: dict[str, Any]) -> Way:
    using = EXTRACTIVE if values["using"] is None else values["using"]
    check_using(using)
    target = wanted_tokens("--target-tokens", values["target_tokens"], TARGET)
    seconds = wanted_seconds(values["timeout"])
    count, _ = choose_counter(values["counter"])
    return Way(count, using, target, seconds, parts=partial(parts_now, project))


def _announce(plan: Planned) -> None:
    """The exact count, and whether it builds on an earlier summary."""
    count, others = plan.spoken, len(plan.kept) - plan.spoken
    more = f", with {others:,} calls and results of tools" if others else ""
    which = f"{len(plan.earlier)} summaries, the newest" if len(plan.earlier) > 1 else "the summary"
    builds = f", building on {which} of {local(plan.previous.created_at)}" if plan.previous else ""
    say(
        f"{count:,} message{'s' * (count != 1)} of the user and the assistant{more} will be compressed{builds}."
    )
    for warning in plan.warnings:
        say(warning)


def _warn_of_size(tokens: int, limit: int) -> None:
    if tokens > limit:
        hint = "Compress earlier, only a part (--select), or with a model whose window is larger (--limit)."
        say(
            f"The prompt for the summary is large: {tokens:,} tokens, and {limit:,} are the limit.",
            hint,
        )


def _agreed(write: Callable[[], str], plan: Planned, way: Way, ask: bool) -> str:
    """The summary, if it is wanted. What costs nothing is made first, so that whoever is asked
    knows what comes.
    """
    free = way.using == EXTRACTIVE
    text = write() if free else ""
    if free:
        _is_shorter(text, plan, way)
    if ask and not says_yes("Compress them?"):
        return ""
    if not free:
        text = write()
        if not _is_shorter(text, plan, way) and ask and not says_yes("Keep it all the same?"):
            return ""
    return text


def _is_shorter(text: str, plan: Planned, way: Way) -> bool:
    """Said aloud where it is not."""
    summary, replaced = way.count(text), summaries.stands_for(plan, way.count)
    if summary >= replaced:
        say(
            f"The summary is no shorter than what it stands for: {summary:,} tokens for {replaced:,}."
        )
    return summary < replaced


def _preview(plan: Planned, text: str, count: Callable[[str], int], as_json: bool) -> int:
    if as_json:
        put_json(
            {
                "messages": plan.spoken,
                "previous": _id(plan.previous),
                "tokens_out": count(text),
                "summary": text,
            }
        )
    else:
        put(f"{text}\n")
        say("Nothing was changed.")
    return OK


def _id(one: Compression | None) -> str | None:
    return one.id if one else None


def _done(plan: Planned, made: Compression, as_json: bool) -> int:
    if as_json:
        put_json(_json(made))
        return OK
    left = f" ({made.ratio * 100:.1f}%)" if made.ratio else ""
    size = f"{made.tokens_out:,} of {made.tokens_in:,} tokens{left}"
    what = (
        "1 message is archived; its"
        if len(plan.kept) == 1
        else f"{len(plan.kept):,} messages are archived; their"
    )
    put_lines([(f"{what} summary {made.id[:_SHORT]} has {size}.", "")])
    say(
        "`dctx history show store` still shows them.",
        f"`dctx restore {made.id[:_SHORT]}` undoes it.",
    )
    return OK


def compressions(values: dict[str, Any]) -> int:
    action = values["action"] or ACTIONS[0]
    if action not in ACTIONS:
        raise UsageProblem(f"There is no {action!r}.", "Say list, show or export.")
    if action == "list" and values["id"]:
        raise UsageProblem("The list is of all of them.", "Say show or export for one.")
    with open_conversation(project_here(values["root"])) as store:
        return (
            _list(store, values["json"])
            if action == "list"
            else _print(store, action, values["id"], values["json"])
        )


def _list(store: Store, as_json: bool) -> int:
    found = rows.compressions(store)
    if as_json:
        put_json([_json(one, whole=False) for one in found])
    elif not found:
        _none_yet()
    else:
        put_table(
            ["Summary", "Time", ">Messages", ">Tokens", ">Ratio", "By", "Builds on"],
            list(map(_row, found)),
        )
    return OK


def _none_yet() -> None:
    hint = "`dctx history compress` writes one; `dctx lost --all` lists what `dctx compress` did."
    say("There is no summary yet.", hint)


def _row(one: Compression) -> list[str]:
    ratio = "-" if one.ratio is None else f"{one.ratio * 100:.1f}%"
    size = f"{one.tokens_out:,}" if one.messages is not None else "-"
    by = ", ".join(filter(None, (one.created_by, one.summarizer)))[:_LONGEST_BY]
    before = (one.previous or "-")[:_SHORT]
    return [one.id[:_SHORT], local(one.created_at), f"{one.count:,}", size, ratio, by, before]


def _print(store: Store, action: str, start: str | None, as_json: bool) -> int:
    """One summary; an export has all of them, and says whose each is."""
    found = (
        rows.compressions(store)
        if action == "export" and not start
        else [summaries.find(store, start)]
    )
    if as_json:
        put_json([_json(one) for one in found] if action == "export" else _json(found[0]))
    elif not found:
        _none_yet()
    elif action == "show":
        put_lines([(line, "") for line in found[0].text.split("\n")])
    else:
        put("\n".join(_exported(one) for one in found))
    return OK


def _exported(one: Compression) -> str:
    builds = f", builds on {one.previous[:_SHORT]}" if one.previous else ""
    return f"# Summary {one.id[:_SHORT]}\n\n{one.created_at}, {one.count:,} messages{builds}\n\n{one.text.strip()}\n"


def _json(one: Compression, whole: bool = True) -> dict[str, Any]:
    """Under the names of the table."""
    return {
        "id": one.id,
        "created_at": one.created_at,
        "created_by": one.created_by,
        "original_message_count": one.count,
        "compression_ratio": one.ratio,
        "previous": one.previous,
        "using": one.summarizer,
        "tokens_in": one.tokens_in,
        "tokens_out": one.tokens_out,
        **({"summary": one.text, "messages": one.messages} if whole else {}),
    }
