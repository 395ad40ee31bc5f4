"""A door between Playwright and the browser that lets through a WebSocket and nothing else.

Playwright follows redirects, wherever they lead. What listens at a port is not always a browser.
"""

from __future__ import annotations

from contextlib import asynccontextmanager

TYPE_CHECKING = False
if TYPE_CHECKING:
    from asyncio import StreamReader, StreamWriter
    from collections.abc import AsyncIterator

SWITCHING = b"101"
LARGEST_PIECE = 262_144


@asynccontextmanager
async def relayed(socket: str) -> AsyncIterator[str]:
    """The WebSocket's address behind the door, for as long as the block lasts."""
    import asyncio

    authority, _, path = socket.removeprefix("ws://").partition("/")
    host, _, port = authority.rpartition(":")

    async def serve(asked: StreamReader, answer: StreamWriter) -> None:
        try:
            browser, ask = await asyncio.open_connection(host.strip("[]"), int(port))
        except OSError:
            answer.close()
            return
        both = [asyncio.ensure_future(_copy(asked, ask)), asyncio.ensure_future(_if_switching(browser, answer))]
        try:
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            pass  # by Ctrl-C; Python 3.11 would print a traceback for a connection that was cancelled
        for way in both:
            way.cancel()
        await asyncio.gather(*both, return_exceptions=True)
        ask.close()
        answer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}/{path}"
    finally:
        server.close()


async def _if_switching(browser: StreamReader, answer: StreamWriter) -> None:
    """What the browser says, if it begins with yes."""
    first = await browser.readline()
    if first.split(b" ")[1:2] == [SWITCHING]:
        answer.write(first)
        await _copy(browser, answer)


async def _copy(source: StreamReader, target: StreamWriter) -> None:
    while piece := await source.read(LARGEST_PIECE):
        target.write(piece)
        await target.drain()
