"""The same conversation for a program with an event loop."""

from __future__ import annotations

import asyncio

from director_ctx.chat.conversation import ProjectChat, words_of
from director_ctx.chat.heard import Heard
from director_ctx.chat.providers.wires import async_wire_for
from director_ctx.chat.steps import Ask, Poll
from director_ctx.chat.turn import kept_heard, take_turn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Self

    from director_ctx.chat.steps import Turn, TurnStep

    OnText = Callable[[str], None]


class AsyncDirectorConversation(ProjectChat):
    """The same in an event loop: the provider is waited for, and tools and the store work in a thread."""

    _wire: Any = None

    async def say(self, message: str, on_text: OnText | None = None) -> Turn:
        message = words_of(message)
        self.prepare()
        wire = self._wire
        wire.begin_turn(self._limits.seconds)
        steps = take_turn(self.standing, self._job(wire.keeps), message)
        heard = Heard(on_text)
        came: object = None
        try:
            while True:
                step = steps.send(came)
                if isinstance(step, Ask):
                    came = heard.with_heard(await wire.ask(step.asked, heard.listener()))
                elif isinstance(step, Poll):
                    came = heard.with_heard(await wire.poll(step.response, heard.listener()))
                else:
                    came = await self._carried_out(step, heard)
        except StopIteration as end:
            turn: Turn = end.value
            return turn
        except BaseException:
            if heard.text.strip():
                await self._carried_out(kept_heard(self.standing, heard.text), heard)
            raise
        finally:
            steps.close()

    def prepare(self) -> None:
        """Loads the vendor's client and looks for the key, as the first `say` does; it may be called in a thread."""
        if self._wire is None:
            self._wire = async_wire_for(self.provider, self._settings)

    async def _carried_out(self, step: TurnStep, heard: Heard) -> object:
        """What was begun in the store, or by a tool, comes to its end, also where the turn is cancelled meanwhile."""
        work = asyncio.ensure_future(asyncio.to_thread(self._local, step, heard))
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
