"""Everybody who has a page open, and is told when something changes."""

from __future__ import annotations

import asyncio
from functools import partial
from json import dumps

from anyio.to_thread import run_sync

from director_ctx.doors.ui.serving.looking import (
    EVERY,
    HERE,
    look_at,
    look_at_tabs,
    look_at_talk,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Collection, Sequence

    Look = Callable[[str], str]

SECONDS = 0.5
"""Between two looks at a project, while a page of it is open."""
MOST_OPEN = 256
MOST_WAITING = 32
"""Events that one page may be behind. Older ones go: what a page shows, it fetches anew."""
COME_LATER = "retry: 30000\n\n"
"""To a browser, in milliseconds."""
KEEP_ALIVE_SECONDS = 15.0
CHANGED, TALKED = "changed", "talked"
"""Events: something of the project is different, or of the conversations about it and the browser."""
TALK_EVERY, LISTS_EVERY, TABS_EVERY = 2, 4, 2
"""Looks: an agent at work writes all the time, and to look at every session takes longer than at one."""


class PageEar:
    """One open page, and what it has not been told yet."""

    def __init__(self, hears_talk: str = "", hears_tabs: bool = False) -> None:
        self.hears_talk = hears_talk
        """Of which conversations, as `look_at_talk` is told; empty for none."""
        self.hears_tabs = hears_tabs
        self.talk = ""
        """How the conversations, or the tabs, were when it was told of them last."""
        self._waiting: list[tuple[str, object]] = []
        self._ring = asyncio.Event()
        self._over = False

    def tell(self, event: str, value: object) -> None:
        if event in (CHANGED, TALKED):
            # Only how it is now matters.
            self._waiting = [told for told in self._waiting if told[0] != event]
        self._waiting.append((event, value))
        del self._waiting[:-MOST_WAITING]
        self._ring.set()

    def end(self) -> None:
        self._over = True
        self._ring.set()

    async def lines(self) -> AsyncIterator[str]:
        """As the browser reads them; a comment now and then, so that a dead connection shows itself."""
        while not self._over:
            waiting, self._waiting = self._waiting, []
            for event, value in waiting:
                yield f"event: {event}\ndata: {dumps(value)}\n\n"
            self._ring.clear()
            if self._waiting or self._over:
                continue
            try:
                await asyncio.wait_for(self._ring.wait(), KEEP_ALIVE_SECONDS)
            except TimeoutError:
                yield ":\n\n"


class OpenPages:
    """The open pages of a project. One look serves all of them, and nobody looks while there are none."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._ears: set[PageEar] = set()
        self._watch_task: asyncio.Task[None] | None = None

    @property
    def is_full(self) -> bool:
        return len(self._ears) >= MOST_OPEN

    async def listen(self, hears_talk: str = "", hears_tabs: bool = False) -> AsyncIterator[str]:
        """From now on, until the page is closed."""
        # Many may have been let in at once.
        if self.is_full:
            yield COME_LATER
            return
        ear = PageEar(hears_talk, hears_tabs)
        self._ears.add(ear)
        try:
            await self._begin(ear)
            async for line in ear.lines():
                yield line
        finally:
            self._ears.discard(ear)
            if self._watch_task and not self._ears:
                self._watch_task.cancel()
                self._watch_task = None

    async def _begin(self, ear: PageEar) -> None:
        """First of all a page hears how things are: it may show what was."""
        now = await run_sync(look_at, self._root)
        ear.tell(CHANGED, now)
        if ear.hears_talk or ear.hears_tabs:
            look: Look = look_at_tabs
            if ear.hears_talk:
                look = partial(look_at_talk, about=ear.hears_talk)
            ear.talk = await run_sync(look, self._root)
            ear.tell(TALKED, ear.talk)
        if self._watch_task is None:
            # From this look on: between two of them nothing may get lost.
            self._watch_task = asyncio.create_task(self._watch(now))

    def tell(self, event: str, value: object) -> None:
        for ear in self._ears:
            ear.tell(event, value)

    def teller(self) -> Callable[[str, object], None]:
        """For what is no change of a file, such as how far something is; from any thread."""
        loop = asyncio.get_running_loop()

        def tell(event: str, value: object) -> None:
            loop.call_soon_threadsafe(self.tell, event, value)

        return tell

    def end(self) -> None:
        """The server ends: no page is kept waiting."""
        for ear in self._ears:
            ear.end()

    async def _watch(self, before: str) -> None:
        root = self._root
        looks = 0
        while True:
            await asyncio.sleep(SECONDS)
            looks += 1
            try:
                now = await run_sync(look_at, root)
                # Pages may come and go while one looks.
                ears = tuple(self._ears)
                if looks % TALK_EVERY == 0:
                    await _tell_of_talk(ears, root, looks % LISTS_EVERY == 0)
                if looks % TABS_EVERY == 0:
                    await _tell_if_new([ear for ear in ears if ear.hears_tabs], look_at_tabs, root)
            except OSError:
                # What cannot be looked at now may be there again later.
                continue
            if now != before:
                self.tell(CHANGED, now)
            before = now


async def _tell_of_talk(ears: Collection[PageEar], root: str, with_lists: bool) -> None:
    """One look for all pages that are about the same conversations."""
    by_subject: dict[str, list[PageEar]] = {}
    for ear in ears:
        is_list = ear.hears_talk in (HERE, EVERY)
        if ear.hears_talk and (with_lists or not is_list):
            same_subject = by_subject.setdefault(ear.hears_talk, [])
            same_subject.append(ear)

    for about, same_subject in by_subject.items():
        look = partial(look_at_talk, about=about)
        await _tell_if_new(same_subject, look, root)


async def _tell_if_new(ears: Sequence[PageEar], look: Look, root: str) -> None:
    """Each page knows what it was told last, so that nothing has to be kept here."""
    if not ears:
        return
    now = await run_sync(look, root)
    for ear in ears:
        if ear.talk != now:
            ear.talk = now
            ear.tell(TALKED, now)
