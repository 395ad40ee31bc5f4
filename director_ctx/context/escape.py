"""Keeps a document from forging a section: our own tags in its text lose their bracket."""

from __future__ import annotations

from director_ctx.context.tags import TAGS

_NAMES = frozenset(TAGS)
_LONGEST = max(map(len, TAGS))


def escape_tags(text: str, instead: str = "&lt;") -> tuple[str, tuple[str, ...]]:
    """The text with `<` of our own opening and closing tags written `&lt;`, and the tags found."""
    if "<" not in text:
        return text, ()
    first, *rest = text.split("<")
    kept, found = [first], []
    for piece in rest:
        name = _tag_at_start(piece)
        kept.append(f"{instead}{piece}" if name else f"<{piece}")
        if name:
            found.append(name)
    return ("".join(kept), tuple(found)) if found else (text, ())


def escape_json(text: str) -> str:
    """JSON that says exactly the same, so that it can be read back, with no tag of ours and nothing unseen in it."""
    safe = escape_tags(text, "\\u003c")[0]
    if safe.replace("\n", "").isprintable():
        return safe
    import json

    return "".join(char if char.isprintable() or char == "\n" else json.dumps(char)[1:-1] for char in safe)


def escape_end(text: str) -> str:
    """The text with a `<` at its end written `&lt;` where what comes next could make it a tag of ours."""
    before, bracket, rest = text.rpartition("<")
    begun = rest[visible_start(rest) :][: _LONGEST + 1].casefold()
    return f"{before}&lt;{rest}" if bracket and any(name.startswith(begun) for name in TAGS) else text


def _tag_at_start(piece: str) -> str:
    """The tag that a piece after `<` names, opening or closing, whatever its case and whatever blanks are in it."""
    start = visible_start(piece)
    rest = piece[start : start + _LONGEST + 1].casefold()
    length = next((place for place, char in enumerate(rest) if not (char.isalnum() or char in "_-")), len(rest))
    return rest[:length] if rest[:length] in _NAMES else ""


def visible_start(piece: str) -> int:
    return next((place for place, char in enumerate(piece) if not _is_skipped(char)), len(piece))


def _is_skipped(char: str) -> bool:
    """Blanks of every kind, and characters that show nothing."""
    return char == "/" or char.isspace() or not char.isprintable()
