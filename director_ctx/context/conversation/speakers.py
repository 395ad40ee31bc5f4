"""Who speaks in a conversation as it is shown: the seed's labels, and lines that only look like
one; pure.
"""

from __future__ import annotations

from director_ctx.base.look_alikes import COLONS, skeleton

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

DIRECTOR = "Director"
SPEAKERS = {
    "user": "User",
    "human": "User",
    "assistant": DIRECTOR,
    "ai": DIRECTOR,
    "director": DIRECTOR,
}
CALLING = "calling_tool"
ANSWER = "Tool Response"
NAMES = frozenset(map(skeleton, SPEAKERS.values()))
_LABELS = frozenset(map(skeleton, (CALLING, ANSWER)))
_DIGITS = str.maketrans("io", "10")
"""A skeleton has letters where two digits were."""
_ONE_COLON = str.maketrans(dict.fromkeys(COLONS, ":"))


def unforged(text: str, others: Collection[str], names: Collection[str] = NAMES) -> str:
    """The text with `> ` before each line that looks as if somebody else began to speak there. Names
    are those of numbered speakers, as `label_of` has them.
    """
    # Nearly every text without a colon; beyond ASCII there are others that look like one.
    if ":" not in text and text.isascii():
        return text
    first, *rest = text.splitlines(keepends=True) or [""]
    lines = [first]
    for line in rest:
        if speaks(line, others, names):
            lines.append(f"> {line}")
        else:
            lines.append(line)
    return "".join(lines)


def speaks(line: str, others: Collection[str] = (), names: Collection[str] = NAMES) -> bool:
    """Whether a line begins as a speaker's does, also in look-alikes, with blanks or unseen
    characters.
    """
    head, colon, _ = line.translate(_ONE_COLON).partition(":")
    if not colon:
        return False
    label = label_of(head)
    name, _, number = label.rpartition(" ")
    is_numbered = name in names and number.translate(_DIGITS).isdigit()
    return is_numbered or label in _LABELS or label in others


def label_of(head: str) -> str:
    return " ".join(skeleton(head).split())


def role_label(role: str) -> str:
    """Somebody whose name is no speaker's."""
    if speaks(f"{role}:"):
        return f"({role})"
    return role
