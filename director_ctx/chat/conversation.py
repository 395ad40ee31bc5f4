"""A conversation with a provider's model that keeps itself small, as a library has it."""

from __future__ import annotations

from functools import cache
from threading import Lock

from director_ctx.base.errors import UsageProblem
from director_ctx.base.text import well_formed
from director_ctx.chat import taking_back
from director_ctx.chat.carry_out import ToolDesk, carry_out, keep, sum_up
from director_ctx.chat.heard import Heard
from director_ctx.chat.job import EDITINGS, HOLDERS, PROVIDER, RESETS, TurnJob, TurnLimits
from director_ctx.chat.limit import limit_of
from director_ctx.chat.offered import OfferedTools
from director_ctx.chat.opening import chat_named, last_point, points_of, standing_with
from director_ctx.chat.prompt import prompt, way_of, whole_context
from director_ctx.chat.providers.keys import ANTHROPIC, provider_for
from director_ctx.chat.providers.wires import RETRIES, SECONDS, WireSettings, wire_for
from director_ctx.chat.reach import IN_INPUT, ChatStanding, reach_of, verbatim
from director_ctx.chat.request import summary_of
from director_ctx.chat.steps import UNDONE, Ask, Keep, Poll
from director_ctx.chat.turn import kept_heard, take_turn
from director_ctx.context.settings.budget import count_chars
from director_ctx.memory.conversations import chats
from director_ctx.memory.store.open import open_conversation, project_here
from director_ctx.memory.store.store import new_id
from director_ctx.project.project import Project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, Self

    from director_ctx.chat.exchange import ToolUse
    from director_ctx.chat.offered import OwnTool
    from director_ctx.chat.providers.keys import Provider
    from director_ctx.chat.steps import Turn, TurnStep
    from director_ctx.memory.conversations.chat_records import ChatPoint

    OnText = Callable[[str], None]

OTHER_PROVIDER = "So far this chat was with {before}; {now} is told what was said before."


def _nothing(_: object) -> None:
    """For whoever does not want to be told."""


class ProjectChat:
    """What both kinds have in common: everything but waiting for the provider."""

    def __init__(  # noqa: PLR0913 (each a setting of its own)
        self,
        project: Project | str | None = None,
        *,
        model: str | None = None,
        base_url: str | None = None,
        context: str | None = None,
        tools: str = "few",
        own_tools: Sequence[OwnTool] = (),
        write: Sequence[str] = (),
        go_on: str | None = None,
        reset: str = RESETS[0],
        limit: int | None = None,
        every: int = 20,
        background: bool = False,
        held: str | None = None,
        editing: str | None = None,
        check_cache: bool = False,
        limits: TurnLimits | None = None,
        count: Callable[[str], int] = count_chars,
        retries: int = RETRIES,
        seconds: float = SECONDS,
        on_notice: Callable[[str], None] = _nothing,
        on_use: Callable[[ToolUse], None] = _nothing,
    ) -> None:
        """`project` is one, its folder, or None for the one here. `go_on` is the id of an earlier chat, or
        its beginning; an empty text means the last one. `held` says who holds what was said, client or provider;
        `editing`, what Anthropic itself does when there is much: clear or compact.
        """
        _expect_one_of(reset, RESETS, "reset")
        _expect_one_of(held, HOLDERS, "holder")
        _expect_one_of(editing, EDITINGS, "editing")
        self._limits = limits or TurnLimits()
        _expect_at_least(0, retries, "retries")
        _expect_at_least(1, every, "every")
        _expect_at_least(1, self._limits.rounds, "limits.rounds")
        if not isinstance(project, Project):
            project = project_here(project)
        self.project = project
        self._store = open_conversation(project, write=True)
        chat = chat_named(self._store, go_on)
        self.provider = self._provider_of(chat, model, base_url)
        self.way = way_of(context)
        self.limit = limit_of(project, self.provider.model, limit)
        self._expect_editing(editing, held)
        self._settings = WireSettings(retries, seconds, held or "")
        self._editing, self._check_cache = editing or "", check_cache
        self._tool_names = tools
        self._reset, self._every = reset, every
        self._background = background
        self._count = count
        offered = OfferedTools(project, tools, write, own_tools)
        self._desk = ToolDesk(
            store=self._store,
            provider=self.provider,
            tools=offered,
            limit=self.limit,
            count=count,
            on_notice=on_notice,
            on_use=on_use,
        )
        self.standing = self._stood(chat)

    @property
    def id(self) -> str:
        return self.standing.chat

    def _provider_of(self, chat: str, model: str | None, base_url: str | None) -> Provider:
        """The one that is named, else the one that the chat was with."""
        root = self.project.root if self.project else "."
        last = last_point(self._store, chat)
        if last is None:
            provider = provider_for(model, base_url)
        else:
            from director_ctx.chat.providers.again import provider_again

            provider = provider_again(last, model, base_url, root)
        if provider.base_url:
            from director_ctx.chat.providers.again import remember

            remember(provider, root)
        return provider

    def _expect_editing(self, editing: str | None, held: str | None) -> None:
        if not editing:
            return
        if self.provider.name != ANTHROPIC:
            raise UsageProblem(f"{self.provider.name} edits nothing.", "This is for Anthropic's.")
        if held == PROVIDER:
            raise UsageProblem(
                "What the provider holds is not edited by it, too.", "Choose one of the two."
            )

    def _stood(self, chat: str) -> ChatStanding:
        """The chat as it was left."""
        standing = standing_with(self._store, chat, self.provider.identity)
        point = last_point(self._store, chat)
        if point and point.provider != self.provider.identity:
            before, now = point.provider, self.provider.identity
            self._desk.on_notice(OTHER_PROVIDER.format(before=before, now=now))
        return standing

    def _caught_up(self) -> list[ChatPoint]:
        """With whoever else went on with this chat. All its points, and those of the one that it left."""
        points = points_of(self._store, self.id, self.provider.identity)
        if points and points[-1].number != self.standing.number:
            self.standing = self._stood(self.id)
        return points

    def _job(self, keeps: bool) -> TurnJob:
        return TurnJob(
            model=self.provider.model,
            instructions=prompt(self.project, self.way, self._tool_names),
            tools=self._desk.tools.definitions(),
            keeps=keeps,
            background=self._background,
            editing=self._editing,
            checks_cache=self._check_cache,
            reset=self._reset,
            limit=self.limit,
            every=self._every,
            refreshing=self._desk.tools.refreshing,
            context=cache(lambda: whole_context(self.project)),
            limits=self._limits,
            count=self._count,
        )

    def _local(self, step: TurnStep, heard: Heard) -> object:
        """A step that needs no provider; what is kept is how the chat stands from then on."""
        came = carry_out(self._desk, step)
        if isinstance(came, ChatStanding):
            self.standing = came
            heard.forget()
        return came

    def compress(self) -> str:
        """A summary in the place of all that was said, now. The next request begins with a whole context,
        once. The summary, which is empty where there is nothing to sum up.
        """
        self._caught_up()
        rows = verbatim(self.standing)
        if not rows:
            return ""
        identity, text, locator = sum_up(self._desk, self.id, rows)
        last = rows[-1].place
        reach = self.standing.reach.replace(
            since=last,
            until=last,
            summary=identity,
            before=locator,
            told_in=IN_INPUT,
            context=True,
            held=0,
        )
        fresh = self.standing.replace(reach=reach, response=None, tokens=0, summary=text)
        self.standing = keep(self._desk, Keep(fresh, kind=taking_back.BY_HAND))
        return summary_of(self.standing, self._job(keeps=False))

    def undo(self) -> None:
        """Takes the last turn back: the model is told neither it nor what came of it. The store has it."""
        points = self._caught_up()
        earlier = taking_back.without_last_turn(self.standing, points)
        self.standing = keep(self._desk, Keep(earlier, kind="turn taken back"))

    def undo_reset(self) -> None:
        """Takes the last reset back: everything is told as it was said."""
        points = self._caught_up()
        earlier, reset = taking_back.before_last_reset(self.standing, points)
        keep(self._desk, Keep(earlier, kind=UNDONE))
        summary = reach_of(reset.reach).summary
        is_own = reset in chats.points_of(self._store, self.id)
        # What stands for the beginning of the chat that this one left goes on standing there.
        if summary and is_own:
            from director_ctx.chat.summing_up import take_summary_back

            take_summary_back(self._store, summary)
        self.standing = standing_with(self._store, self.id, self.provider.identity)

    def fork(self) -> str:
        """Goes on in another chat, from here; this one stays as it is. The id of the new one."""
        self._caught_up()
        forked = taking_back.left(self.standing, new_id())
        self.standing = keep(self._desk, Keep(forked, kind=taking_back.LEFT))
        return self.id

    def context(self) -> dict[str, int]:
        """What the model sees at the next request, by part, in tokens."""
        job = self._job(keeps=False)
        from director_ctx.chat.told import parts

        return parts(self.standing, job)


class DirectorConversation(ProjectChat):
    """One conversation; close it, or use it in a `with`.

    >>> with DirectorConversation(model="gpt-6.1-terra") as conversation:
    ...     print(conversation.say("What is next?").text)
    """

    _wire: Any = None
    _opening = Lock()
    """Of several threads that begin at once, one opens the connection for all."""

    def say(self, message: str, on_text: OnText | None = None) -> Turn:
        """One turn, to its end. `on_text` is given the answer piece by piece; without it nothing is streamed.

        What goes wrong is told by the turn: nothing that was said is lost.
        """
        message = words_of(message)
        wire = self._open_wire()
        wire.begin_turn(self._limits.seconds)
        steps = take_turn(self.standing, self._job(wire.keeps), message)
        heard = Heard(on_text)
        came: object = None
        try:
            while True:
                step = steps.send(came)
                if isinstance(step, Ask):
                    came = heard.with_heard(wire.ask(step.asked, heard.listener()))
                elif isinstance(step, Poll):
                    came = heard.with_heard(wire.poll(step.response, heard.listener()))
                else:
                    came = self._local(step, heard)
        except StopIteration as end:
            turn: Turn = end.value
            return turn
        except BaseException:
            if heard.text.strip():
                self._local(kept_heard(self.standing, heard.text), heard)
            raise
        finally:
            steps.close()

    def _open_wire(self) -> Any:
        with self._opening:
            if self._wire is None:
                self._wire = wire_for(self.provider, self._settings)
            return self._wire

    def close(self) -> None:
        if self._wire is not None:
            self._wire.close()
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _expect_one_of(given: str | None, known: Sequence[str], what: str) -> None:
    if given is not None and given not in known:
        raise UsageProblem(f"There is no {what} {given!r}.", f"One of: {', '.join(known)}.")


def _expect_at_least(least: int, given: int, what: str) -> None:
    if given < least:
        raise UsageProblem(f"{what} is {given}, which is too little.", f"The least is {least}.")


def expect_words(message: str) -> None:
    if not message.strip():
        raise UsageProblem("There is nothing to say.", "Give a message.")


def words_of(message: str) -> str:
    """What is said, as it can be sent and kept."""
    expect_words(message)
    return well_formed(message)
