"""Locators: `dctx:` and twelve hex digits of the original's SHA-256. What is shortened carries one."""

from __future__ import annotations

from hashlib import sha256

from director_ctx.history.message import Block

MARK = "dctx:"
DIGITS = 12


def original(block: Block) -> bytes:
    """Exactly what `dctx history get` gives back: the text, else the raw piece as JSON."""
    if block.data is None:
        return block.text.encode("utf-8", "surrogatepass")
    import json

    return json.dumps(block.data, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode(
        "utf-8", "surrogatepass"
    )


def full_hash(data: bytes) -> str:
    return sha256(data).hexdigest()


def locator(block: Block) -> str:
    return MARK + full_hash(original(block))[:DIGITS]
