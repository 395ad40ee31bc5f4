"""What `dctx compress` does to the bytes of a history, without the archive; as a process, for measuring its memory."""

from __future__ import annotations

import sys

from director_ctx.history import document
from director_ctx.history.aim import Aim
from director_ctx.history.check import check
from director_ctx.history.config import ContextConfig
from director_ctx.history.message import measure
from director_ctx.history.shrink import shrink


def count(text: str) -> int:
    return -(-len(text) // 4)


def way_through(data: bytes, strategy: str) -> bytes:
    """Hybrid goes to a fifth; the others have a size of their own."""
    conversation = document.read(data)
    check(conversation)
    tokens = measure(conversation.messages, count)
    target = tokens // 5 if strategy == "hybrid" else None
    aim = Aim(count=count, config=ContextConfig(), target=target, native=conversation.native)
    return document.write(conversation, shrink(conversation.messages, strategy, aim))


if __name__ == "__main__":
    with open(sys.argv[1], "rb") as file:
        whole = file.read()
    way_through(whole, sys.argv[2])
