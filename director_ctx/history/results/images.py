"""Images, as a stub tells of them: kind, size, and what fits into a few words."""

from __future__ import annotations

from base64 import b64decode
from binascii import Error

from director_ctx.history.messages.pictures import picture_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.history.messages.message import Block

_HEAD = 4_000
"""Characters of base64 in which an image says how large it is; whole groups of four."""
_PNG = b"\x89PNG\r\n\x1a\n"
_JPEG = b"\xff\xd8"
_GIFS = (b"GIF87a", b"GIF89a")


def described(block: Block) -> str:
    """Such as `PNG, 1280x720, 34 KB`; empty for what is not known."""
    picture = picture_of(block)
    if picture is None:
        return ""
    data = picture.data
    told: list[str] = []
    kind = picture.media.rpartition("/")[2].partition(";")[0]
    if kind.isalnum() and kind.isascii() and len(kind) < 9:
        told.append(kind.upper())
    try:
        head = b64decode(data[:_HEAD], validate=True)
    except (Error, ValueError):
        head = b""
    width, height = _size(head)
    if width and height:
        told.append(f"{width}x{height}")
    if data:
        told.append(f"{max(1, len(data) * 3 // 4 // 1024):,} KB")
    return ", ".join(told)


def _size(head: bytes) -> tuple[int, int]:
    if head.startswith(_PNG) and len(head) >= 24:
        width = int.from_bytes(head[16:20])
        height = int.from_bytes(head[20:24])
        return width, height
    if head.startswith(_GIFS) and len(head) >= 10:
        width = int.from_bytes(head[6:8], "little")
        height = int.from_bytes(head[8:10], "little")
        return width, height
    if head.startswith(_JPEG):
        return _size_of_jpeg(head)
    return 0, 0


def _size_of_jpeg(head: bytes) -> tuple[int, int]:
    """In the first segment that begins a frame."""
    place = 2
    while place + 9 <= len(head) and head[place] == 0xFF:
        marker = head[place + 1]
        is_frame = 0xC0 <= marker <= 0xCF
        if is_frame and marker not in (0xC4, 0xC8, 0xCC):
            height = int.from_bytes(head[place + 5 : place + 7])
            width = int.from_bytes(head[place + 7 : place + 9])
            return width, height

        length = int.from_bytes(head[place + 2 : place + 4])
        place += 2 + length
    return 0, 0
