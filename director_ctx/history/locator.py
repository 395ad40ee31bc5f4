"""Locators: `dctx:` and twelve hex digits of the original's SHA-256. What is shortened carries one."""

from __future__ import annotations

from hashlib import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.history.message import Block

MARK = "dctx:"
DIGITS = 12


def original(block: Block) -> bytes:
    """Exactly what `dctx history get` gives back: the text, else the raw piece as JSON; of a digest its sources."""
    if block.sources:
        return listing(block.sources)
    if block.data is None:
        return block.text.encode("utf-8", "surrogatepass")
    import json

    return json.dumps(block.data, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode(
        "utf-8", "surrogatepass"
    )


def listing(sources: Sequence[Block]) -> bytes:
    """Every block that a digest stands for, each below a line with its number."""
    parts: list[bytes] = []
    for number, block in enumerate(sources, 1):
        parts += [f"#{number} {block.kind} {block.tool}".rstrip().encode("utf-8", "replace"), original(block)]
    return b"\n".join(parts)


def full_hash(data: bytes) -> str:
    return sha256(data).hexdigest()


def mark(data: bytes) -> str:
    return MARK + full_hash(data)[:DIGITS]


def locator(block: Block) -> str:
    return mark(original(block))
