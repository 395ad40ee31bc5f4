"""Getting back what was cut: one original, a whole history, or the list of all that is gone from
one.
"""

from __future__ import annotations

import json
import re

from director_ctx.base.errors import DctxError
from director_ctx.base.hashing import shown
from director_ctx.base.json_bytes import document_of
from director_ctx.base.record import Record
from director_ctx.history.compress.project_here import ProjectHere
from director_ctx.history.compress.put_back import LOCATED, put_back, recorded, stores
from director_ctx.history.digest.digest_message import summaries
from director_ctx.history.formats.document import read
from director_ctx.history.messages.stubs import is_cut
from director_ctx.memory.archive.compressions import by_id, heads
from director_ctx.memory.archive.compressions import receipt_of as content_of
from director_ctx.memory.archive.originals import MOST_NAMED, find, readable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from director_ctx.memory.archive.compressions import CompressionRecord
    from director_ctx.memory.store.store import Store
    from director_ctx.project.project import Project

    LostRow = tuple[str, str, int, int, int]
    """Kind, tool, blocks, tokens before and after."""

_HINT = "`dctx restore --list` shows them; the archive is the project's store, or your own outside of one."
_BACKUP = "A backup of the store may have them."
_LOOKED_AT = 2000
"""Characters of an original in which its first line is looked for."""
_ID = re.compile(r"[0-9a-f]{4,64}")


class Restored(Record):
    data: bytes
    receipts: tuple[str, ...] = ()
    new: int = 0
    """Messages that came after the compression."""
    missing: int = 0
    """Messages and lines of the original that nothing stands for any more."""
    left: int = 0
    """Places that are still shortened, because the archive does not know them."""


def original(locator: str, root: str | None) -> bytes:
    """Exactly what a locator stands for."""
    for store in stores(ProjectHere(root)):
        text = find(store, locator)
        if text is not None:
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
    if not is_shortened(data):
        return Restored(data)
    like_it = ""
    for store in stores(ProjectHere(root)):
        history = put_back(store, data)
        if not history.receipts:
            like_it = like_it or history.like_it
            continue
        # In another format the very document is in the archive, if nothing was added since.
        whole = _as_it_was(store, history.receipts[-1], history.data) or history.data
        left = still_shortened(whole)
        return Restored(whole, history.receipts, history.new, history.missing, left)
    if like_it or still_shortened(data):
        raise _unknown(like_it)
    return Restored(data)


def _unknown(like_it: str = "") -> DctxError:
    what = "The archive knows no compression that made this history."
    if not like_it:
        return DctxError(what, _HINT)
    (name,) = shown([like_it])
    return DctxError(
        f"{what} {name} is most like it, but something else stands for what was cut.",
        f"`dctx restore {name}` prints the original of that one.",
    )


def still_shortened(data: bytes) -> int:
    """How many messages stand for something else, or were cut; one that only mentions a locator
    does not count.
    """
    if not is_shortened(data):
        return 0
    try:
        messages = read(data).messages
    except DctxError:
        # Where nothing is known but the bytes, each locator counts.
        return len(set(LOCATED.findall(data)))
    places = summaries(messages)
    for index, message in enumerate(messages):
        if any(is_cut(block.text) for block in message.blocks):
            places.add(index)
    return len(places)


def restore(shortened: object, *, project: Project | str | None = None) -> Any:
    """The document that a shortened one was made of, with what was said since: bytes for bytes,
    else its value.

    A text is the id of a compression, such as a receipt names it.
    """
    root = project if isinstance(project, str | None) else project.root
    if isinstance(shortened, str):
        return document_of(restored_by_id(shortened, root))
    if isinstance(shortened, bytes | bytearray):
        return _whole(bytes(shortened), root)
    return document_of(_whole(json.dumps(shortened).encode(), root))


def _whole(data: bytes, root: str | None) -> bytes:
    history = restored(data, root)
    if not history.receipts:
        raise _unknown()
    return history.data


def _as_it_was(store: Store, receipt: str, data: bytes) -> bytes | None:
    """The very document of a history that was written in another format."""
    outline = recorded(store, receipt)
    if outline is None or outline["alike"] != data:
        return None
    original: bytes = outline["original"]
    return original


def restored_by_id(identity: str, root: str | None) -> bytes:
    """The original of a compression."""
    for store in stores(ProjectHere(root)):
        compression = compression_named(store, identity)
        if compression is None:
            continue
        outline = recorded(store, compression.receipt)
        if outline is None:
            (name,) = shown([compression.receipt])
            raise DctxError(
                f"Parts of the original of {name} were forgotten, or are damaged.", _BACKUP
            )
        original: bytes = outline["original"]
        return original
    raise DctxError(f"There is no compression {identity}.", _HINT)


def compression_named(store: Store, identity: str) -> CompressionRecord | None:
    """The compression with this id, or the only one whose id begins so."""
    fitting = by_id(store, identity) if _ID.fullmatch(identity) else []
    if not fitting:
        return None
    # An id that is given whole is meant, even where others begin like it.
    is_whole = fitting[0].receipt == identity
    if len(fitting) > 1 and not is_whole:
        receipts = [compression.receipt for compression in fitting]
        short_names = shown(receipts)
        names = ", ".join(short_names[:MOST_NAMED])
        raise DctxError(
            f"{len(fitting)} compressions begin like {identity}: {names}.", "Give more of the id."
        )
    return fitting[0]


def receipt_of(identity: str, root: str | None) -> dict[str, Any]:
    """A receipt by its id."""
    for store in stores(ProjectHere(root)):
        compression = compression_named(store, identity)
        if compression is not None:
            return content_of(compression)
    raise DctxError(f"There is no compression {identity}.", _HINT)


def every_receipt(root: str | None) -> list[dict[str, Any]]:
    """What there is here, without its cuts, oldest first. What was made outside of projects is none of
    a project's.
    """
    with ProjectHere(root).open_store() as store:
        return heads(store)


def first_lines(locators: list[str], root: str | None) -> dict[str, str]:
    """How each of these originals begins."""
    begins: dict[str, str] = {}
    for store in stores(ProjectHere(root)):
        missing = [locator for locator in locators if locator not in begins]
        for locator, text in readable(store, missing).items():
            lines = map(str.strip, text[:_LOOKED_AT].split("\n"))
            begins[locator] = next(filter(None, lines), "")
    return begins


def is_receipt(document: Any) -> bool:
    if not isinstance(document, dict):
        return False
    return isinstance(document.get("id"), str) and isinstance(document.get("cuts"), list)


def by_kind(cuts: list[dict[str, Any]]) -> Iterator[LostRow]:
    """What was cut of each kind and tool; the largest first."""
    cuts_of: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for cut in cuts:
        cuts_of.setdefault((str(cut["kind"]), str(cut["tool"])), []).append(cut)

    rows: list[LostRow] = []
    for (kind, tool), same_name in cuts_of.items():
        before = sum(int(cut["before"]) for cut in same_name)
        after = sum(int(cut["after"]) for cut in same_name)
        rows.append((kind, tool, len(same_name), before, after))
    yield from sorted(rows, key=lambda row: row[3] - row[4], reverse=True)
