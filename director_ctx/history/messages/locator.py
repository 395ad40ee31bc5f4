"""Locators: `dctx:` and twelve hex digits of the original's SHA-256. What is shortened carries one."""

from __future__ import annotations

from hashlib import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from director_ctx.history.messages.message import Block

MARK = "dctx:"
DIGITS = 12
PATTERN = f"{MARK}[0-9a-f]{{{DIGITS}}}"
"""Of a regular expression."""


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
    return b"".join(_listed(sources))


def _listed(sources: Sequence[Block]) -> Iterator[bytes]:
    for number, block in enumerate(sources, 1):
        yield (b"\n" if number > 1 else b"") + heading(number, block) + b"\n"
        yield original(block)


def heading(number: int, block: Block) -> bytes:
    """The line above a block in a listing."""
    return f"#{number} {block.kind} {block.tool}".rstrip().encode("utf-8", "replace")


def hash_of_listing(sources: Sequence[Block]) -> str:
    """The hash of the listing, which itself may be as large as all messages."""
    made = sha256()
    for piece in _listed(sources):
        made.update(piece)
    return made.hexdigest()


def full_hash(data: bytes) -> str:
    return sha256(data).hexdigest()


def mark(data: bytes) -> str:
    return MARK + full_hash(data)[:DIGITS]


def locator(block: Block) -> str:
    return mark(original(block)) if not block.sources else listing_locator(block.sources)


def listing_locator(sources: Sequence[Block]) -> str:
    return MARK + hash_of_listing(sources)[:DIGITS]
