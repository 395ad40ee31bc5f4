"""The plugin's picture: bars on a dark square, as `dctx budget` draws them. Pure."""

from __future__ import annotations

import struct
import zlib

SIDE = 512
_COLOURS = bytes((0x1B, 0x26, 0x3B, 0xF4, 0xB9, 0x42))
_BARS = ((96, 400), (192, 256), (288, 336), (384, 176))
"""Where each bar begins, from the top, and how long it is."""
_THICK, _LEFT = 56, 56


def icon() -> bytes:
    """A square PNG of two colours."""
    rows = b"".join(b"\0" + _row(place) for place in range(SIDE))
    header = struct.pack(">IIBBBBB", SIDE, SIDE, 1, 3, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"PLTE", _COLOURS), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, data) for name, data in chunks)


def _row(place: int) -> bytes:
    """One line of the picture, a bit for each point."""
    length = next((length for top, length in _BARS if top <= place < top + _THICK), 0)
    return (((1 << length) - 1) << (SIDE - _LEFT - length)).to_bytes(SIDE // 8, "big")


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
