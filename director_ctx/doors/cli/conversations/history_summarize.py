"""`dctx history summarize` and `summaries`: a summary in the place of the store's messages, and
earlier ones.
"""

from __future__ import annotations

from functools import partial

from director_ctx.assembling.assemble import parts_now
from director_ctx.base.errors import OK, UsageProblem
from director_ctx.base.text import counted
from director_ctx.context.settings.options import hooks_of
from director_ctx.context.tokens.counting import choose_counter
from director_ctx.doors.cli.conversations.choose_session import choose_session
from director_ctx.doors.cli.shared.confirm import says_yes
from director_ctx.doors.cli.shared.output import put, put_json
from director_ctx.doors.cli.shared.speak import can_be_asked, say
from director_ctx.doors.cli.shared.table import put_lines, put_table, put_unstyled
from director_ctx.doors.cli.shared.times import local_time
from director_ctx.history.sessions.add import import_transcript
from director_ctx.history.sessions.files import short_id
from director_ctx.history.sessions.transcript import read_transcript
from director_ctx.history.strategies.config import TARGET
from director_ctx.history.summaries import summaries as kept_summaries
from director_ctx.history.summaries.summaries import SummaryWay
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

    from director_ctx.history.summaries.summaries import SummaryPlan
    from director_ctx.memory.conversations.summaries import Compression
    from director_ctx.memory.store.store import Store
    from director_ctx.project.project import Project

_SHORT, _LONGEST_BY = 8, 40
ACTIONS = ("list", "show", "export")


def summarize(values: dict[str, Any]) -> int:
    project = project_here(values["root"])
    way = _way(project, values)
    with open_conversation(project, write=not values["preview"]) as store:
        plan = _planned(store, values, way)
        _announce(plan)
        prompt = kept_summaries.prompt_of(plan, way)
        if prompt:
            # The usual way to write one asks no model, and has no prompt.
            limit = wanted_tokens("--limit", values["limit"], hooks_of(project).urgent)
            _warn_of_size(way.count(prompt), limit)

        write = partial(kept_summaries.write_summary, plan, way, prompt)
        is_asked = not (values["preview"] or values["yes"])
        text = _agreed(write, plan, way, is_asked)
        if not text:
            say("No summary was kept.")
            return OK
        if values["preview"]:
            return _preview(plan, text, way.count, values["json"])
        summary = kept_summaries.keep(store, plan, text, way)
    return _done(plan, summary, values["json"])


def _planned(store: Store, values: dict[str, Any], way: SummaryWay) -> SummaryPlan:
    """Where the store has nothing new, whoever sits at the terminal chooses a session to take in."""
    select = values["select"]
    ids = values["messages"]
    try:
        return kept_summaries.planned(store, way.count, select, ids)
    except kept_summaries.NothingNew:
        is_of_store = select or ids or values["preview"]
        if is_of_store or not can_be_asked():
            raise

    say("The store has no new messages to sum up; choose a conversation to take into the store.")
    session = choose_session(values["root"], with_store=False)
    transcript = read_transcript(session, values["root"], None)
    new = len(import_transcript(store, transcript))
    say(f"{counted(new, 'message')} of session {short_id(session.id)} taken into the store.")
    return kept_summaries.planned(store, way.count)


def _way(project: Project | None, values: dict[str, Any]) -> SummaryWay:
    using = values["using"]
    if using is None:
        using = EXTRACTIVE
    check_using(using)
    target = wanted_tokens("--target-tokens", values["target_tokens"], TARGET)
    seconds = wanted_seconds(values["timeout"])
    count, _ = choose_counter(values["counter"])
    return SummaryWay(count, using, target, seconds, parts=partial(parts_now, project))


def _announce(plan: SummaryPlan) -> None:
    """The exact count, and whether it builds on an earlier summary."""
    what = f"{counted(plan.spoken, 'message')} of the user and the assistant"
    others = len(plan.kept) - plan.spoken
    if others:
        what += f", with {others:,} calls and results of tools"

    builds = ""
    if plan.previous:
        which = "the summary"
        if len(plan.earlier) > 1:
            which = f"{len(plan.earlier)} summaries, the newest"
        builds = f", building on {which} of {local_time(plan.previous.created_at)}"

    say(f"{what} will be replaced by a summary{builds}.")
    for warning in plan.warnings:
        say(warning)


def _warn_of_size(tokens: int, limit: int) -> None:
    if tokens > limit:
        hint = "Summarize earlier, summarize a part (--select), or use a model with a larger window (--limit)."
        say(
            f"The prompt for the summary is large: {tokens:,} tokens, and {limit:,} are the limit.",
            hint,
        )


def _agreed(write: Callable[[], str], plan: SummaryPlan, way: SummaryWay, ask: bool) -> str:
    """The summary, if it is wanted. What costs nothing is made first, so that whoever is asked
    knows what comes.
    """
    if way.using == EXTRACTIVE:
        # It costs no call of a model, so whoever is asked sees first what would come of it.
        text = write()
        _is_shorter(text, plan, way)
        if ask and not says_yes("Replace them by the summary?"):
            return ""
        return text

    if ask and not says_yes("Replace them by the summary?"):
        return ""
    text = write()
    if (
        not _is_shorter(text, plan, way)
        and ask
        and not says_yes("Keep the longer summary all the same?")
    ):
        return ""
    return text


def _is_shorter(text: str, plan: SummaryPlan, way: SummaryWay) -> bool:
    """Said aloud where it is not."""
    summary = way.count(text)
    replaced = kept_summaries.stands_for(plan, way.count)
    if summary < replaced:
        return True
    say(
        f"The summary is no shorter than the messages that it replaces: {summary:,} tokens for {replaced:,}."
    )
    return False


def _preview(plan: SummaryPlan, text: str, count: Callable[[str], int], as_json: bool) -> int:
    if as_json:
        put_json(
            {
                "messages": plan.spoken,
                "previous": plan.previous.id if plan.previous else None,
                "tokens_out": count(text),
                "summary": text,
            }
        )
    else:
        put(f"{text}\n")
        say("Nothing was changed.")
    return OK


def _done(plan: SummaryPlan, summary: Compression, as_json: bool) -> int:
    if as_json:
        put_json(summary.as_json())
        return OK

    messages = len(plan.kept)
    what = "1 message is archived; its"
    if messages != 1:
        what = f"{messages:,} messages are archived; their"
    size = f"{summary.tokens_out:,} of {summary.tokens_in:,} tokens"
    if summary.ratio:
        size += f" ({summary.ratio * 100:.1f}%)"

    name = summary.id[:_SHORT]
    put_lines([(f"{what} summary {name} has {size}.", "")])
    say(
        "`dctx history show store` still shows the archived messages.",
        f"`dctx restore {name}` takes the summary away and the messages back.",
    )
    return OK


def summaries(values: dict[str, Any]) -> int:
    action = values["action"] or ACTIONS[0]
    if action not in ACTIONS:
        raise UsageProblem(f"There is no {action!r}.", "Say list, show or export.")
    if action == "list" and values["id"]:
        raise UsageProblem(
            "`list` takes no id: it lists every summary.",
            "Say show ID or export ID for a single summary.",
        )
    with open_conversation(project_here(values["root"])) as store:
        if action == "list":
            return _list(store, values["json"])
        return _print(store, action, values["id"], values["json"])


def _list(store: Store, as_json: bool) -> int:
    known = rows.compressions(store)
    if as_json:
        put_json([summary.as_json(whole=False) for summary in known])
    elif not known:
        _none_yet()
    else:
        put_table(
            ["Summary", "Time", ">Messages", ">Tokens", ">Ratio", "By", "Builds on"],
            [_row(summary) for summary in known],
        )
    return OK


def _none_yet() -> None:
    hint = (
        "`dctx history summarize` writes one; `dctx restore --list` lists what `dctx compress` did."
    )
    say("There is no summary yet.", hint)


def _row(summary: Compression) -> list[str]:
    by = ", ".join(filter(None, (summary.created_by, summary.summarizer)))
    before = summary.previous or "-"
    # Others write into these tables, too, and fill in less.
    return [
        summary.id[:_SHORT],
        local_time(summary.created_at),
        f"{summary.count:,}",
        "-" if summary.messages is None else f"{summary.tokens_out:,}",
        "-" if summary.ratio is None else f"{summary.ratio * 100:.1f}%",
        by[:_LONGEST_BY],
        before[:_SHORT],
    ]


def _print(store: Store, action: str, start: str | None, as_json: bool) -> int:
    """One summary; an export has all of them, and says whose each is."""
    if action == "export" and not start:
        chosen = rows.compressions(store)
    else:
        chosen = [kept_summaries.find(store, start)]

    if as_json:
        documents = [summary.as_json() for summary in chosen]
        if action == "export":
            put_json(documents)
        else:
            put_json(documents[0])
    elif not chosen:
        _none_yet()
    elif action == "show":
        put_unstyled(chosen[0].text.split("\n"))
    else:
        put("\n".join(_as_markdown(summary) for summary in chosen))
    return OK


def _as_markdown(summary: Compression) -> str:
    heading = f"# Summary {summary.id[:_SHORT]}"
    about = f"{summary.created_at}, {summary.count:,} messages"
    if summary.previous:
        about += f", builds on {summary.previous[:_SHORT]}"
    return f"{heading}\n\n{about}\n\n{summary.text.strip()}\n"
