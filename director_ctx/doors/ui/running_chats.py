"""Chats that a model is answering right now, and what their open pages are told of it."""

from __future__ import annotations

import asyncio
import sys
import traceback

from anyio import from_thread

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.chat.display import end_of_block
from director_ctx.chat.steps import ANSWERED_WELL, Turn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from director_ctx.chat.conversation import AsyncDirectorConversation

MOST_RUNNING = 8
MOST_KEPT = 50
"""Turns that are over, whose last words a page still shows."""
PAUSE_SECONDS = 0.04
"""In which pieces of an answer are gathered."""
KEEP_ALIVE_SECONDS = 15.0
SECONDS_TO_STOP = 10.0
STOPPED = "Stopped. What was said before is kept."
BUG = "Something went wrong in dctx itself."


class AnswerPiece(Record):
    """What came to an answer."""

    first: int
    """The number of the first of these paragraphs; those behind it are no longer there."""
    blocks: tuple[str, ...]
    rest: str
    """What is not a whole paragraph yet."""


class RunningTurn:
    """One turn, from what somebody said to what the model answers in the end."""

    def __init__(self, said: str) -> None:
        self.said = said
        self.place = 1
        """Of its first row in the chat."""
        self.is_over = False
        self.notices: list[str] = []
        """What was told meanwhile, and why it ended, where it did not end well."""
        self._answers = 0
        self._blocks: list[str] = []
        self._rest = ""
        self._rings: set[asyncio.Event] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[None] | None = None

    def take(self, piece: str) -> None:
        """A piece of an answer."""
        self._rest += piece
        end = end_of_block(self._rest)
        self._blocks += [self._rest[:end]] if end else []
        self._rest = self._rest[end:]
        self._ring()

    def end_answer(self, *_: object) -> None:
        """What was said so far is in the store; another answer follows. It may be called from any thread."""
        self._answers += 1
        self._blocks, self._rest = [], ""
        if self._loop:
            self._loop.call_soon_threadsafe(self._ring)

    def notice(self, text: str) -> None:
        self.notices.append(text)

    def begin(self, conversation: AsyncDirectorConversation) -> None:
        self.place = conversation.state.next_place
        self._loop = asyncio.get_running_loop()
        self._task = self._loop.create_task(self._lead(conversation))

    async def _lead(self, conversation: AsyncDirectorConversation) -> None:
        try:
            self._tell_end(await conversation.say(self.said, self.take))
        except asyncio.CancelledError:
            self.notice(STOPPED)
        except DctxError as error:
            self.notices += [error.message, error.hint]
        except Exception:
            traceback.print_exc(file=sys.stderr)
            self.notice(BUG)
        finally:
            await conversation.close()
            self.is_over = True
            self._ring()

    def _tell_end(self, turn: Turn) -> None:
        if turn.ended != ANSWERED_WELL:
            self.notices += [turn.why, turn.hint]

    async def stop(self) -> None:
        if self._task and not self.is_over:
            self._task.cancel()
            await asyncio.wait([self._task], timeout=SECONDS_TO_STOP)

    def cancel(self) -> None:
        if self._task:
            self._task.cancel()

    async def pieces(self) -> AsyncIterator[AnswerPiece | None]:
        """What the answer says now, and what comes to it, until the turn is over; None where nothing comes for long."""
        ring = asyncio.Event()
        self._rings.add(ring)
        answer, known = self._answers, 0
        try:
            while not self.is_over:
                if answer != self._answers:
                    answer, known = self._answers, 0
                yield AnswerPiece(known, tuple(self._blocks[known:]), self._rest)
                known = len(self._blocks)
                ring.clear()
                while not (self.is_over or await _rings(ring)):
                    yield None
        finally:
            self._rings.discard(ring)

    def _ring(self) -> None:
        for ring in self._rings:
            ring.set()


async def _rings(ring: asyncio.Event) -> bool:
    """Whether it does within some seconds; what comes at nearly the same time is told together."""
    try:
        await asyncio.wait_for(ring.wait(), KEEP_ALIVE_SECONDS)
    except TimeoutError:
        return False
    await asyncio.sleep(PAUSE_SECONDS)
    return True


class RunningChats:
    """By chat, the turn that goes on there, or the last one."""

    def __init__(self) -> None:
        self._turns: dict[str, RunningTurn] = {}

    def of(self, chat: str) -> RunningTurn | None:
        return self._turns.get(chat)

    def is_running(self, chat: str) -> bool:
        turn = self.of(chat)
        return turn is not None and not turn.is_over

    def begin(self, conversation: AsyncDirectorConversation, turn: RunningTurn) -> None:
        """Called in a thread that a request is answered in."""
        from_thread.run_sync(self._begin, conversation, turn)

    def _begin(self, conversation: AsyncDirectorConversation, turn: RunningTurn) -> None:
        if self.is_running(conversation.id):
            raise DctxError("The model is still answering.", "Wait for it, or stop it.")
        running = [each for each in self._turns.values() if not each.is_over]
        if len(running) >= MOST_RUNNING:
            raise DctxError(f"{MOST_RUNNING} chats are at work.", "Wait until one of them is done.")
        self._forget_old()
        self._turns[conversation.id] = turn
        turn.begin(conversation)

    def stop(self, chat: str) -> bool:
        """Whether there was something to stop; called in a thread, too."""
        turn = self.of(chat)
        if turn is None or turn.is_over:
            return False
        from_thread.run(turn.stop)
        return True

    def end(self) -> None:
        """The server ends."""
        for turn in self._turns.values():
            turn.cancel()

    def _forget_old(self) -> None:
        over = [place for place, turn in self._turns.items() if turn.is_over]
        for place in over[:-MOST_KEPT]:
            del self._turns[place]
