"""Getting back what was cut: one original, a whole history, or the list of all that is gone from
one.
"""

from __future__ import annotations

import json
import re

from director_ctx.base.errors import DctxError
from director_ctx.base.hashing import shown
from director_ctx.base.record import Record
from director_ctx.history.compress.put_back import LOCATED, earlier, recorded, stores
from director_ctx.memory.archive.compressions import by_id, heads, newest
from director_ctx.memory.archive.compressions import receipt_of as content_of
from director_ctx.memory.archive.json_bytes import from_value, put_together, value_of
from director_ctx.memory.archive.originals import MOST_NAMED, find, readable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from director_ctx.memory.archive.compressions import Compression
    from director_ctx.memory.store.store import Store
    from director_ctx.project.project import Project

_HINT = (
    "`dctx lost` shows the newest; the archive is the project's store, or your own outside of one."
)
NONE_YET, HOW = "Nothing was compressed here yet.", "`dctx compress FILE --ratio 0.2` does it."
_BACKUP = "A backup of the store may have them."
_ID = re.compile(r"[0-9a-f]{4,64}")


class Restored(Record):
    data: bytes
    receipts: tuple[str, ...]
    new: int
    """Messages that came after the compression."""
    left: int
    """Places that are still shortened, because the archive does not know them."""


def original(locator: str, root: str | None) -> bytes:
    """Exactly what a locator stands for."""
    for store in stores(root):
        if (text := find(store, locator)) is not None:
            return text.encode("utf-8", "surrogatepass")
    raise DctxError(
        f"The archive has no {locator}.",
        "It may have been forgotten, or be in another project's store: --root DIR.",
    )


def is_shortened(data: bytes) -> bool:
    """Whether a locator is in it, as in every history that was cut, and in some that only speak of
    one.
    """
    return LOCATED.search(data) is not None


def restored(data: bytes, root: str | None) -> Restored:
    """The history that a shortened one was made of, with what was said since; one that is not short
    as it came in.
    """
    for store in stores(root) if is_shortened(data) else ():
        found = earlier(store, data)
        if found.receipts:
            whole = _as_it_was(store, found.receipts[-1], found.data) or found.data
            return Restored(whole, found.receipts, found.new, still_shortened(whole))
    if not still_shortened(data):
        return Restored(data, (), 0, 0)
    raise _unknown()


def _unknown() -> DctxError:
    return DctxError("The archive knows no compression that made this history.", _HINT)


def still_shortened(data: bytes) -> int:
    """How many messages stand for something else, or were cut; one that only mentions a locator
    does not count.
    """
    from director_ctx.history.digest.digest_message import summaries
    from director_ctx.history.formats.document import read
    from director_ctx.history.messages.stubs import is_cut

    if not is_shortened(data):
        return 0
    try:
        messages = read(data).messages
    except DctxError:
        return len(set(LOCATED.findall(data)))
    cut = {
        place
        for place, one in enumerate(messages)
        if any(is_cut(block.text) for block in one.blocks)
    }
    return len(cut | summaries(messages))


def restore(shortened: object, *, project: Project | str | None = None) -> Any:
    """The document that a shortened one was made of, with what was said since: bytes for bytes,
    else its value.

    A text is the id of a compression, such as a receipt names it.
    """
    root = project if isinstance(project, str | None) else project.root
    if isinstance(shortened, str):
        return value_of(restored_by_id(shortened, root))
    data = (
        bytes(shortened)
        if isinstance(shortened, bytes | bytearray)
        else json.dumps(shortened).encode()
    )
    found = restored(data, root)
    if not found.receipts:
        raise _unknown()
    return found.data if isinstance(shortened, bytes | bytearray) else value_of(found.data)


def _as_it_was(store: Store, receipt: str, data: bytes) -> bytes | None:
    """The very document of a history that was written in another format."""
    outline = recorded(store, receipt)
    if (
        outline is None
        or outline["alike"] is None
        or put_together(from_value(outline["alike"])) != data
    ):
        return None
    return put_together(from_value(outline["original"]))


def restored_by_id(identity: str, root: str | None) -> bytes:
    """The original of a compression."""
    for store in stores(root):
        if made := one_of(store, identity):
            outline = recorded(store, made.receipt)
            if outline is None:
                raise DctxError(
                    f"Parts of the original of {shown([made.receipt])[0]} were forgotten, or are damaged.",
                    _BACKUP,
                )
            return put_together(from_value(outline["original"]))
    raise DctxError(f"There is no compression {identity}.", _HINT)


def one_of(store: Store, identity: str) -> Compression | None:
    """The compression with this id, or the only one whose id begins so."""
    found = by_id(store, identity) if _ID.fullmatch(identity) else []
    if len(found) > 1 and found[0].receipt != identity:
        names = ", ".join(shown([one.receipt for one in found])[:MOST_NAMED])
        raise DctxError(
            f"{len(found)} compressions begin like {identity}: {names}.", "Give more of the id."
        )
    return found[0] if found else None


def receipt_of(identity: str | None, root: str | None) -> dict[str, Any]:
    """A receipt by its id; the newest one if none is named."""
    for store in stores(root):
        if made := newest(store) if identity is None else one_of(store, identity):
            return content_of(made)
    if identity is not None:
        raise DctxError(f"There is no compression {identity}.", _HINT)
    raise DctxError(NONE_YET, HOW)


def receipt_for(data: bytes, root: str | None) -> dict[str, Any] | None:
    """The receipt of the compression that made this history."""
    for store in stores(root):
        if receipts := earlier(store, data).receipts:
            return receipt_of(receipts[0], root)
    return None


def every_receipt(root: str | None) -> list[dict[str, Any]]:
    """What there is, without its cuts, oldest first; where the newest would be taken from."""
    return next((found for store in stores(root) if (found := heads(store))), [])


def first_lines(locators: list[str], root: str | None) -> dict[str, str]:
    """How each of these originals begins."""
    found: dict[str, str] = {}
    for store in stores(root):
        for one, text in readable(store, [one for one in locators if one not in found]).items():
            found[one] = next(
                (line.strip() for line in text[:2000].split("\n") if line.strip()), ""
            )
    return found


def is_receipt(document: Any) -> bool:
    return (
        isinstance(document, dict)
        and isinstance(document.get("id"), str)
        and isinstance(document.get("cuts"), list)
    )


def by_kind(cuts: list[dict[str, Any]]) -> Iterator[tuple[str, str, int, int, int]]:
    """Kind, tool, blocks, tokens before and after; the largest first."""
    sums: dict[tuple[str, str], list[int]] = {}
    for cut in cuts:
        row = sums.setdefault((str(cut["kind"]), str(cut["tool"])), [0, 0, 0])
        row[0], row[1], row[2] = row[0] + 1, row[1] + int(cut["before"]), row[2] + int(cut["after"])
    for (kind, tool), (blocks, before, after) in sorted(
        sums.items(), key=lambda item: item[1][2] - item[1][1]
    ):
        yield kind, tool, blocks, before, after
