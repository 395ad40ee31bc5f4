"""Foreign text made fit for a section of ours: its headings become bold, its comments go, and no fence of code in it
stays open. Whatever it says, the document around it keeps its own sections.
"""

from __future__ import annotations

import re

from director_ctx.base.one_line import begun
from director_ctx.base.text import plain
from director_ctx.project.reading.markdown import headings, outside_code, without_comments

LONGEST_TITLE = 90
LONGEST_LINE = 160
UNTITLED = "Untitled"
_HIDDEN = "<!\0--"
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*\)")
_EMPHASIS = re.compile(r"\*\*|`|(?<!\w)\*(?=\S)|(?<=\S)\*(?!\w)|~~")
_SENTENCE = re.compile(r"(?<=[^.\d][.!?])\s+(?=\S)")
_SHORT = re.compile(
    r"(?:^|\W)(?:e\.\s?g|i\.\s?e|z\.\s?b|etc|vs|cf|incl|approx|resp|fig|nr|\d+[a-z])\.$",
    re.IGNORECASE,
)
"""What ends with a dot and ends no sentence."""
_SHORTEST_SENTENCE = 15
_LIST_MARK = re.compile(r"^(?:[-*+>][ \t]+)+")
_COMMENT = re.compile(r"<!--.*?(?:-->|$)")
_POINT = re.compile(r"^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
_BLANKS = re.compile(r"\n{3,}")
_FENCE = re.compile(r"`{3,}|~{3,}")


def as_text(text: str) -> str:
    """The text for a section; headings in code stay as they are."""
    if not _may_speak(text):
        return text.strip("\n").rstrip()
    hidden = text.replace("\0", "").replace("<!--", _HIDDEN)
    outside = {number for number, _, _ in outside_code(hidden)}
    pieces: list[str] = []
    prose: list[str] = []
    for number, line in enumerate(hidden.split("\n"), 1):
        if number in outside:
            prose.append(line)
            continue
        pieces += [*_spoken(prose), line.replace(_HIDDEN, "<!--")]
        prose = []
    pieces += _spoken(prose)
    whole = _BLANKS.sub("\n\n", "\n".join(pieces)).strip("\n").rstrip()
    return _closed(whole)


def _may_speak(text: str) -> bool:
    """Whether anything in it could be more than a line of text; most texts have none of it."""
    return any(mark in text for mark in ("#", "<!--", "```", "~~~", "\0"))


def _spoken(lines: list[str]) -> list[str]:
    """Lines outside code, without comments and headings."""
    if not lines:
        return []
    text = without_comments("\n".join(lines).replace(_HIDDEN, "<!--"))
    # One that is never closed would hide everything behind it.
    text = text.replace("<!--", "&lt;!--")
    return [_without_heading(line) for line in text.split("\n")]


def _without_heading(line: str) -> str:
    rest = line.lstrip("#")
    level = len(line) - len(rest)
    if not 1 <= level <= 6 or rest[:1] not in ("", " ", "\t"):
        return line
    name = rest.strip()
    bare = name.rstrip("#")
    # Signs at the end close a heading; without a blank before them they belong to it: `C#`.
    if not bare or bare[-1] in " \t":
        name = bare.rstrip()
    name = name.replace("**", "")
    if not name:
        return ""
    return f"**{name}**"


def _closed(text: str) -> str:
    """With every fence closed, so that the next heading of ours is one."""
    if _is_contained(text):
        return text
    for mark in sorted(set(_FENCE.findall(text)), key=len):
        closed = f"{text}\n{mark}"
        if _is_contained(closed):
            return closed
    return _flat(text)


def _is_contained(text: str) -> bool:
    found = [heading.title for heading in headings(f"{text}\n\n## End\n")]
    return found == ["End"]


def _flat(text: str) -> str:
    """Without anything that opens or ends something; for a text that is made to escape."""
    lines: list[str] = []
    for line in text.split("\n"):
        bare = line.replace("```", "'''").replace("~~~", "---").replace("<!--", "&lt;!--")
        if bare.startswith("#"):
            bare = f"\\{bare}"
        lines.append(bare)
    return "\n".join(lines)


def title(text: str) -> str:
    """A name of one line: the first sentence without markup, and not longer than a list shows."""
    for line in text.split("\n"):
        name = _bare(line)
        if name.strip("#*_-.:[]()<> "):
            return begun(_first_sentence(name), LONGEST_TITLE)
    return UNTITLED


def _bare(line: str) -> str:
    shown = _LINK.sub(r"\1", line)
    shown = _EMPHASIS.sub("", shown)
    shown = _without_comment(shown)
    shown = "".join(char if char.isprintable() else " " for char in shown)

    words = " ".join(shown.split())
    name = plain(words).strip("#>-*|: ")
    # What is all in brackets would be read as a template's placeholder.
    if name.startswith("[") and name.endswith("]"):
        name = name[1:-1].strip()
    return name


def _without_comment(line: str) -> str:
    """Without a comment and one that goes on in the next line; what is nothing but that keeps its words."""
    bare = _COMMENT.sub("", line)
    if bare.strip("#*_-.:[]()<> "):
        line = bare
    return line.replace("<!--", "").replace("-->", "")


def _first_sentence(line: str) -> str:
    first = line
    for match in _SENTENCE.finditer(line):
        head = line[: match.start()]
        goes_on = line[match.end()].islower()
        if len(head) >= _SHORTEST_SENTENCE and not goes_on and not _SHORT.search(head):
            first = head
            break
    return first.rstrip(".:; ") or line


def _with_points_joined(text: str) -> str:
    """The points of a list behind each other, with a sign between them: `Do: a; b`."""
    pieces: list[str] = []
    for line in text.split("\n"):
        words = line.strip()
        bare = _POINT.sub("", line).strip()
        if not pieces or not words:
            pieces += [words] if words else []
            continue
        before = pieces[-1].rstrip("*_`")
        if bare != words and before[-1:] not in tuple(":;,.!?"):
            pieces[-1] += ";"
        pieces += [bare] if bare else []
    return " ".join(pieces)


def on_one_line(text: str, most: int = LONGEST_LINE) -> str:
    """What a text says, for a line of a list."""
    words = " ".join(_bare(line) for line in as_text(text).split("\n"))
    return begun(" ".join(words.split()), most)


def item(text: str, most: int = 400) -> str:
    """The same with its markup, for an item of a list."""
    line = " ".join(_with_points_joined(as_text(text)).split())
    line = "".join(char for char in line if char.isprintable())
    short = _LIST_MARK.sub("", begun(line, most))
    # In italics it would be read as a template's hint.
    short = short.lstrip("_ ")
    # A cut may leave a mark open.
    for mark in ("**", "`"):
        if short.count(mark) % 2:
            short = short.replace(mark, "")
    return short
