"""What `dctx compress` does to the bytes of a history, without the archive; as a process, for
measuring its memory.
"""

from __future__ import annotations

import sys

from director_ctx.history.formats import document
from director_ctx.history.messages.message import measure
from director_ctx.history.messages.target import Aim
from director_ctx.history.strategies.config import ContextConfig
from director_ctx.history.strategies.shrink import shrink
from director_ctx.history.valid.check import check


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
