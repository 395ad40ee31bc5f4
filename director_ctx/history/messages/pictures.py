"""A picture, however a format writes it down."""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.history.messages.message import IMAGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.history.messages.message import Block

_UNNAMED = "image/png"
"""What a picture is taken for that does not say."""


class Picture(Record):
    """An image, by its bytes or by its address."""

    media: str
    data: str
    """Base64, or nothing if there is an address."""
    url: str = ""

    @property
    def address(self) -> str:
        return self.url or f"data:{self.media};base64,{self.data}"


def picture_of(block: Block) -> Picture | None:
    """The image that a block is; None for what is none."""
    return picture(block.data) if block.kind == IMAGE else None


def picture(part: Any) -> Picture | None:
    """An image from the raw part of any format; None for what is none."""
    if not isinstance(part, dict):
        return None

    # Anthropic's.
    source = part.get("source")
    if isinstance(source, dict):
        return _from_fields(source.get("media_type"), source.get("data"), source.get("url"))

    # OpenAI's: an object in its chat, a text in its Responses.
    address = part.get("image_url")
    if isinstance(address, dict):
        address = address.get("url")
    if isinstance(address, str):
        return _from_address(address)

    # LangChain's own, and that of MCP.
    return _from_fields(
        part.get("mime_type") or part.get("mimeType"),
        part.get("base64") or part.get("data"),
        part.get("url"),
    )


def _from_fields(media: Any, data: Any, url: Any) -> Picture | None:
    if isinstance(data, str):
        return Picture(media if isinstance(media, str) else _UNNAMED, data)
    return Picture("", "", url) if isinstance(url, str) else None


def _from_address(address: str) -> Picture:
    head, mark, data = address.partition(";base64,")
    if mark and head.startswith("data:"):
        return Picture(head.removeprefix("data:"), data)
    return Picture("", "", address)
