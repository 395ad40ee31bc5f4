"""Keeps a text from forging a section: our own tags in it lose their bracket, and nothing in it stays unseen.

A tag is whatever a reader may take for one: in letters that only look the same, with blanks or unseen characters in it,
behind a sign that looks like a bracket.
"""

from __future__ import annotations

from director_ctx.context.look_alikes import BRACKETS, seen_as, skeleton, visible_start
from director_ctx.context.tags import TAGS
from director_ctx.unseen import show_unseen, written

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_TAG_OF = {skeleton(tag): tag for tag in TAGS}
_LONGEST = 2 * max(map(len, TAGS))
"""Letters of a name at most: each may be drawn by two, as m by r and n."""
_SKELETONS = tuple(_TAG_OF)
_IDLE = " \t\n/\\"


def escape_tags(text: str) -> tuple[str, tuple[str, ...]]:
    """The text with our own tags written `&lt;task>` and unseen characters `\\u200b`, and the tags that were in it."""
    safe, tags = _without_tags(text, lambda _: "&lt;")
    shown = show_unseen(safe)
    if shown == safe:
        return safe, tags
    # What was unseen within a name ends it now: `<task` may stand before it.
    again, more = _without_tags(shown, lambda _: "&lt;")
    return again, (*tags, *more)


def escape_json(text: str) -> str:
    """JSON that says exactly the same, so that it can be read back, with no tag of ours and nothing unseen in it."""
    safe = show_unseen(_without_tags(text, written)[0])
    if not safe.replace("\n", "").isprintable():
        safe = "".join(char if char.isprintable() or char == "\n" else written(char) for char in safe)
    return _without_tags(safe, written)[0]


def escape_end(text: str) -> str:
    """The text with a bracket at its end written `&lt;` where what comes next could make it a tag of ours."""
    place = max(map(text.rfind, BRACKETS))
    rest = text[place + 1 :]
    begun = skeleton(rest[visible_start(rest) :])
    could_be = place >= 0 and any(name.startswith(begun) for name in _TAG_OF)
    return f"{text[:place]}&lt;{rest}" if could_be else text


def _without_tags(text: str, instead: Callable[[str], str]) -> tuple[str, tuple[str, ...]]:
    """Each bracket of a tag of ours replaced."""
    tags: list[str] = []
    for bracket in BRACKETS[:1] if text.isascii() else BRACKETS:
        if bracket not in text:
            continue
        first, *rest = text.split(bracket)
        pieces = [first]
        for piece in rest:
            tag = _tag_at_start(piece)
            tags += [tag] * bool(tag)
            pieces += [instead(bracket) if tag else bracket, piece]
        text = "".join(pieces)
    return text, tuple(tags)


def _tag_at_start(piece: str) -> str:
    """The tag that a piece behind a bracket names, opening or closing."""
    if _is_plainly_none(piece):
        return ""
    return _TAG_OF.get(skeleton(_name_at_start(piece)), "")


def _is_plainly_none(piece: str) -> bool:
    """Whether a look at its beginning is enough, as it is for nearly every bracket."""
    head = piece[: 2 * _LONGEST].lstrip(_IDLE)
    if len(head) < _LONGEST < len(piece) or not head.isascii():
        return False
    if not head.replace("\n", "").replace("\t", "").isprintable():
        return False
    return not skeleton(head).startswith(_SKELETONS)


def _name_at_start(piece: str) -> str:
    """The letters that stand first; too many for a name of ours are cut off."""
    name = ""
    for char in piece[visible_start(piece) :]:
        seen = seen_as(char)
        if not all(one.isalnum() or one in "_-|" for one in seen):
            break
        name += seen
        if len(name) > _LONGEST:
            break
    return name
