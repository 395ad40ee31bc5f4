"""Keeps a document from forging a section: our own tags in its text lose their bracket."""

from __future__ import annotations

from director_ctx.context.tags import TAGS

_NAMES = frozenset(TAGS)
_LONGEST = max(map(len, TAGS))
_SKIPPED = " \t/"


def escape_tags(text: str) -> tuple[str, tuple[str, ...]]:
    """The text with `<` of our own opening and closing tags written `&lt;`, and the tags found."""
    if "<" not in text:
        return text, ()
    first, *rest = text.split("<")
    kept, found = [first], []
    for piece in rest:
        name = _tag_at_start(piece)
        kept.append(f"&lt;{piece}" if name else f"<{piece}")
        if name:
            found.append(name)
    return ("".join(kept), tuple(found)) if found else (text, ())


def _tag_at_start(piece: str) -> str:
    """The tag that a piece after `<` names, as an opening or closing tag, whatever its case and spacing."""
    rest = piece[: _LONGEST + 12].lstrip(_SKIPPED).casefold()
    length = next((place for place, char in enumerate(rest) if not (char.isalnum() or char == "_")), len(rest))
    return (
        rest[:length]
        if rest[:length] in _NAMES and rest[length : length + 1] in ("", ">", "/", " ", "\t", "\n")
        else ""
    )
