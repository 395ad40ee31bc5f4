"""A conversation with a provider's model that keeps itself small, as a library has it."""

from __future__ import annotations

from functools import cache
from threading import Lock
from time import monotonic

from director_ctx.base.errors import UsageProblem
from director_ctx.base.text import well_formed
from director_ctx.chat import kept_chats, state
from director_ctx.chat.exchange import ExchangeFailure, Reply, ToolUse, TurnJob, TurnLimits
from director_ctx.chat.offered import OfferedTools, OwnTool
from director_ctx.chat.prompt import chat_settings, delivery_of, limit_of, prompt, whole_context
from director_ctx.chat.providers.provider import Provider, provider_again, provider_for, remember
from director_ctx.chat.request import prompt_sizes, summary_of
from director_ctx.chat.state import IN_INPUT, ChatState
from director_ctx.chat.steps import Ask, Forget, Keep, Poll, SumUp, Tell, Turn, TurnStep, UseTools
from director_ctx.chat.turn import kept_heard, take_turn
from director_ctx.context.settings.budget import count_chars
from director_ctx.context.settings.chat import RESETS
from director_ctx.memory.conversations import chats
from director_ctx.memory.store.open import open_conversation, project_here
from director_ctx.memory.store.store import new_id
from director_ctx.project.project import Project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence
    from typing import Any, Self, TypeVar

    from director_ctx.memory.conversations.chat_records import ChatPoint

    OnText = Callable[[str], None]
    Came = TypeVar("Came")

RETRIES = 2
"""Times that a vendor's client asks again by itself, with pauses between."""
SECONDS = 600.0
"""That an answer may take, with all that is tried again for it."""
OTHER_PROVIDER = "So far this chat was with {before}; {now} is told what was said before."


class ProjectChat:
    """What both kinds have in common: everything but how they wait."""

    _in_loop = False
    _wire: Any = None
    _opening = Lock()
    """Of several threads that begin at once, one opens the connection for all."""

    def __init__(  # noqa: PLR0913 (each a setting of its own)
        self,
        project: Project | str | None = None,
        *,
        model: str | None = None,
        base_url: str | None = None,
        context: str | None = None,
        tools: str | None = None,
        own_tools: Sequence[OwnTool] = (),
        write: Sequence[str] = (),
        go_on: str | None = None,
        reset: str | None = None,
        limit: int | None = None,
        every: int = 20,
        background: bool | None = None,
        provider_keeps: bool | None = None,
        limits: TurnLimits | None = None,
        count: Callable[[str], int] = count_chars,
        retries: int = RETRIES,
        seconds: float = SECONDS,
        on_notice: Callable[[str], None] = lambda text: None,
        on_use: Callable[[ToolUse], None] = lambda use: None,
    ) -> None:
        """`project` is one, its folder, or None for the one here. `go_on` is the id of an earlier chat, or
        its beginning; an empty text means the last one. `context`, `tools`, `reset`, `limit`, `background` and
        `provider_keeps` are as `chat` of dctx.yaml has them, where they are left out.
        """
        self._limits = limits or TurnLimits()
        for name, given, least in (
            ("retries", retries, 0),
            ("every", every, 1),
            ("limits.rounds", self._limits.rounds, 1),
        ):
            if given < least:
                raise UsageProblem(
                    f"{name} is {given}, which is too little.", f"The least is {least}."
                )
        if not isinstance(project, Project):
            project = project_here(project)
        self.project = project
        settings = chat_settings(project)
        self._reset = reset or settings.reset
        if self._reset not in RESETS:
            raise UsageProblem(f"There is no reset {reset!r}.", f"One of: {', '.join(RESETS)}.")
        self._background = settings.background if background is None else background
        self._keeps = settings.provider_keeps if provider_keeps is None else provider_keeps
        self._store = open_conversation(project, write=True)
        chat = kept_chats.chat_named(self._store, go_on)
        self.provider = self._provider_of(chat, model, base_url)
        self.delivery = delivery_of(context or settings.context)
        self.limit = limit_of(project, self.provider.model, limit)
        self._tool_names = tools or settings.tools
        self._tools = OfferedTools(project, self._tool_names, write, own_tools)
        self._every, self._count = every, count
        self._retries, self._seconds = retries, seconds
        self._on_notice, self._on_use = on_notice, on_use
        self.state = self._left(chat)

    @property
    def id(self) -> str:
        return self.state.chat

    def _provider_of(self, chat: str, model: str | None, base_url: str | None) -> Provider:
        """The one that is named, else the one that the chat was with."""
        root = self.project.root if self.project else "."
        last = kept_chats.last_point(self._store, chat)
        if last is None:
            provider = provider_for(model, base_url)
        else:
            provider = provider_again(last, model, base_url, root)
        remember(provider, root)
        return provider

    def _left(self, chat: str) -> ChatState:
        """The chat as it was left."""
        now = self.provider.identity
        point = kept_chats.last_point(self._store, chat)
        if point and point.provider != now:
            self._on_notice(OTHER_PROVIDER.format(before=point.provider, now=now))
        return kept_chats.state_of(self._store, chat, now)

    def _caught_up(self) -> list[ChatPoint]:
        """With other programs that went on with this chat. All its points, and those of the one that it left."""
        points = kept_chats.points_of(self._store, self.id, self.provider.identity)
        if points and points[-1].number != self.state.number:
            self.state = self._left(self.id)
        return points

    def _job(self, keeps: bool = False) -> TurnJob:
        return TurnJob(
            model=self.provider.model,
            instructions=prompt(self.project, self.delivery, self._tool_names),
            tools=self._tools.definitions(),
            keeps=keeps,
            background=self._background,
            reset=self._reset,
            limit=self.limit,
            every=self._every,
            refreshing=self._tools.refreshing,
            context=cache(lambda: whole_context(self.project)),
            limits=self._limits,
            count=self._count,
        )

    def prepare(self) -> None:
        """Loads the vendor's client and looks for the key, as the first `say` does; it may be called in a thread."""
        with self._opening:
            if self._wire is None:
                from director_ctx.chat.providers.wire import wire_for

                self._wire = wire_for(
                    self.provider,
                    retries=self._retries,
                    seconds=self._seconds,
                    keeps=self._keeps,
                    in_loop=self._in_loop,
                )

    async def _say(self, message: str, on_text: OnText | None) -> Turn:
        """One turn, to its end; waiting is up to the wire and to `_in_turn`."""
        message = words_of(message)
        self.prepare()
        wire = self._wire
        wire.begin_turn(self._limits.seconds)
        steps = take_turn(self.state, self._job(wire.keeps), message)
        shown = _ShownText(on_text)
        came: object = None
        try:
            while True:
                step = steps.send(came)
                if isinstance(step, Ask):
                    came = shown.checked(await wire.ask(step.asked, shown.listener()))
                elif isinstance(step, Poll):
                    came = shown.checked(await wire.poll(step.response, shown.listener()))
                else:
                    came = await self._in_turn(step, shown)
        except StopIteration as end:
            turn: Turn = end.value
            return turn
        except BaseException:
            if shown.text.strip():
                await self._in_turn(kept_heard(self.state, shown.text), shown)
            raise
        finally:
            steps.close()

    async def _in_turn(self, step: TurnStep, shown: _ShownText) -> object:
        return self._carry_out(step, shown)

    def _carry_out(self, step: TurnStep, shown: _ShownText) -> object:
        """A step that needs no provider; what is kept is how the chat stands from then on."""
        if isinstance(step, Keep):
            self.state = kept_chats.keep_beside(self._store, self.provider, step, self._on_notice)
            shown.forget()
            return self.state
        if isinstance(step, UseTools):
            begun = monotonic()
            for use in step.uses:
                self._on_use(use)
            return self._tools.use(step.uses), monotonic() - begun
        if isinstance(step, SumUp):
            return kept_chats.sum_up(self._store, step.chat, step.rows, self.limit, self._count)
        if isinstance(step, Forget):
            kept_chats.take_summary_back(self._store, step.summary)
        if isinstance(step, Tell):
            self._on_notice(step.text)
        return None

    def _keep(self, step: Keep) -> None:
        self.state = kept_chats.keep(self._store, self.provider, step)

    def compress(self) -> str:
        """A summary in the place of all that was said, now. The next request begins with a whole context,
        once. The summary, which is empty where there is nothing to sum up.
        """
        self._caught_up()
        rows = state.verbatim(self.state)
        if not rows:
            return ""
        identity, text, locator = kept_chats.sum_up(
            self._store, self.id, rows, self.limit, self._count
        )
        fresh = self.state.at(
            since=rows[-1].place,
            summary=identity,
            before=locator,
            told_in=IN_INPUT,
            context=True,
        ).afresh()
        self._keep(Keep(fresh.replace(summary=text), kind=state.BY_HAND))
        return summary_of(self.state, self._job())

    def undo(self) -> None:
        """Takes the last turn back: the model is told neither it nor what came of it. The store has it."""
        points = self._caught_up()
        earlier = state.without_last_turn(self.state, points)
        self._keep(Keep(earlier, kind="turn taken back"))

    def undo_reset(self) -> None:
        """Takes the last reset back: everything is told as it was said."""
        points = self._caught_up()
        earlier, reset = state.before_last_reset(self.state, points)
        self._keep(Keep(earlier, kind=state.UNDONE))
        summary = state.cursor_of(reset.reach).summary
        # What stands for the beginning of the chat that this one left goes on standing there.
        if summary and reset in chats.points_of(self._store, self.id):
            kept_chats.take_summary_back(self._store, summary)
        self.state = kept_chats.state_of(self._store, self.id, self.provider.identity)

    def fork(self) -> str:
        """Goes on in another chat, from here; this one stays as it is. The id of the new one."""
        self._caught_up()
        self._keep(Keep(state.forked(self.state, new_id()), kind=state.FORKED))
        return self.id

    def context(self) -> dict[str, int]:
        """What the model sees at the next request, by part, in tokens."""
        return prompt_sizes(self.state, self._job())


class DirectorConversation(ProjectChat):
    """One conversation; close it, or use it in a `with`.

    >>> with DirectorConversation(model="gpt-6.1-terra") as conversation:
    ...     print(conversation.say("What is next?").text)
    """

    def say(self, message: str, on_text: OnText | None = None) -> Turn:
        """One turn, to its end. `on_text` is given the answer piece by piece; without it nothing is streamed.

        What goes wrong is told by the turn: nothing that was said is lost.
        """
        return _at_once(self._say(message, on_text))

    def close(self) -> None:
        if self._wire is not None:
            _at_once(self._wire.close())
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncDirectorConversation(ProjectChat):
    """The same in an event loop: the provider is waited for, and tools and the store work in a thread."""

    _in_loop = True

    async def say(self, message: str, on_text: OnText | None = None) -> Turn:
        return await self._say(message, on_text)

    async def _in_turn(self, step: TurnStep, shown: _ShownText) -> object:
        """What was begun in the store, or by a tool, comes to its end, also where the turn is cancelled meanwhile."""
        import asyncio

        work = asyncio.ensure_future(asyncio.to_thread(self._carry_out, step, shown))
        try:
            return await asyncio.shield(work)
        except asyncio.CancelledError:
            await asyncio.wait([work])
            raise

    async def close(self) -> None:
        if self._wire is not None:
            await self._wire.close()
        self._store.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


def _at_once(work: Coroutine[Any, Any, Came]) -> Came:
    """Runs a coroutine whose calls block: it never has to be waited for."""
    try:
        work.send(None)
    except StopIteration as end:
        came: Came = end.value
        return came
    raise AssertionError("a call did not block")


class _ShownText:
    """The pieces of one answer after another, on their way to the listener; what was shown of an answer is kept where
    no more of it comes.
    """

    def __init__(self, on_text: OnText | None) -> None:
        self._on_text = on_text
        self.forget()

    def forget(self) -> None:
        """All of it is kept by now."""
        self.text = ""
        self._error: Exception | None = None

    def listener(self) -> OnText | None:
        """For the next answer; none where it is not shown."""
        self.forget()
        return self._take if self._on_text else None

    def _take(self, piece: str) -> None:
        self.text += piece
        try:
            if self._on_text:
                self._on_text(piece)
        except Exception as error:
            # The vendor's client stands between; `checked` raises it again.
            self._error = error
            raise

    def checked(self, reply: Reply | ExchangeFailure) -> Reply | ExchangeFailure:
        """What came of a request. Raises what the listener raised."""
        if self._error:
            raise self._error
        return reply.replace(heard=self.text) if isinstance(reply, ExchangeFailure) else reply


def words_of(message: str) -> str:
    """What is said, as it can be sent and kept."""
    if not message.strip():
        raise UsageProblem("There is nothing to say.", "Give a message.")
    return well_formed(message)
