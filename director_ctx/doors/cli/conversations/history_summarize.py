"""`dctx history summarize`: a summary in the place of the store's messages."""

from __future__ import annotations

from functools import partial

from director_ctx.assembling.assemble import parts_now
from director_ctx.base.errors import OK
from director_ctx.base.text import counted
from director_ctx.context.settings.options import hooks_of
from director_ctx.context.tokens.counting import choose_counter, whole
from director_ctx.doors.cli.conversations.session_input import choose_session
from director_ctx.doors.cli.shared.confirm import says_yes
from director_ctx.doors.cli.shared.output import put, put_json
from director_ctx.doors.cli.shared.speak import can_be_asked, say
from director_ctx.doors.cli.shared.table import put_lines
from director_ctx.doors.cli.shared.times import local_time
from director_ctx.history.sessions.add import import_transcript
from director_ctx.history.sessions.files import short_id
from director_ctx.history.sessions.transcript import read_transcript
from director_ctx.history.strategies.config import TARGET
from director_ctx.history.summaries import summaries as kept_summaries
from director_ctx.history.summaries.summaries import SummaryWay
from director_ctx.history.summaries.summarize import EXTRACTIVE, check_using
from director_ctx.memory.store.open import open_conversation, project_here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from director_ctx.history.summaries.summaries import SummaryPlan
    from director_ctx.memory.conversations.summaries import Compression
    from director_ctx.memory.store.store import Store

_QUESTION = "Replace them by the summary?"


def summarize(values: dict[str, Any]) -> int:
    project = project_here(values["root"])
    using = EXTRACTIVE if values["using"] is None else values["using"]
    check_using(using)
    target = whole(values["target_tokens"] or str(TARGET), "--target-tokens")
    count, _ = choose_counter(values["counter"])
    way = SummaryWay(count, using, target, parts=partial(parts_now, project))
    only_shown = values["dry_run"]
    with open_conversation(project, write=not only_shown) as store:
        plan = _planned(store, values, way)
        _announce(plan)
        prompt = kept_summaries.prompt_of(plan, way)
        limit = hooks_of(project).urgent
        if prompt and count(prompt) > limit:
            say(
                f"The prompt for the summary is large: {count(prompt):,} tokens, and {limit:,} are the limit.",
                "Summarize earlier, or a part (--select); `hooks.urgent` of dctx.yaml is the limit.",
            )

        write = partial(kept_summaries.write_summary, plan, way, prompt)
        text = _agreed(write, plan, way, is_asked=not (only_shown or values["yes"]))
        if not text:
            say("No summary was kept.")
            return OK
        if only_shown:
            return _put_unkept(plan, text, count, values["json"])
        summary = kept_summaries.keep(store, plan, text, way)
    return _put_kept(plan, summary, values["json"])


def _planned(store: Store, values: dict[str, Any], way: SummaryWay) -> SummaryPlan:
    """Where the store has nothing new, whoever sits at the terminal chooses a session to take in."""
    select = values["select"]
    try:
        return kept_summaries.planned(store, way.count, select)
    except kept_summaries.NothingNew:
        if select or values["dry_run"] or not can_be_asked():
            raise

    say("The store has no new messages to sum up; choose a conversation to take into the store.")
    session = choose_session(values["root"], with_store=False)
    transcript = read_transcript(session, values["root"], None)
    new = len(import_transcript(store, transcript))
    say(f"{counted(new, 'message')} of session {short_id(session.id)} taken into the store.")
    return kept_summaries.planned(store, way.count)


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


def _agreed(write: Callable[[], str], plan: SummaryPlan, way: SummaryWay, is_asked: bool) -> str:
    """The summary, if it is wanted."""
    # Our own costs no call of a model: it is made first, so that people see what would come of it.
    asks_first = is_asked and way.using != EXTRACTIVE
    if asks_first and not says_yes(_QUESTION):
        return ""
    text = write()
    size, replaced = way.count(text), kept_summaries.stands_for(plan, way.count)
    is_longer = size >= replaced
    if is_longer:
        say(
            f"The summary is no shorter than the messages that it replaces: {size:,} tokens for {replaced:,}."
        )
    if asks_first and is_longer and not says_yes("Keep the longer summary all the same?"):
        return ""
    if is_asked and not asks_first and not says_yes(_QUESTION):
        return ""
    return text


def _put_unkept(plan: SummaryPlan, text: str, count: Callable[[str], int], as_json: bool) -> int:
    if as_json:
        previous = plan.previous.id if plan.previous else None
        document = {"messages": plan.spoken, "previous": previous, "tokens_out": count(text)}
        put_json({**document, "summary": text})
    else:
        put(f"{text}\n")
        say("Nothing was changed.")
    return OK


def _put_kept(plan: SummaryPlan, summary: Compression, as_json: bool) -> int:
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
    name = summary.id[:8]
    put_lines([(f"{what} summary {name} has {size}.", "")])
    say(
        "`dctx history show store` still shows the archived messages.",
        f"`dctx restore {name}` takes the summary away and the messages back.",
    )
    return OK
