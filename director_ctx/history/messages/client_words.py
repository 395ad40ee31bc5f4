"""What a client says in the user's name: where it is, what a command of its own printed, what a
hook had to say.
"""

from __future__ import annotations

import re

from director_ctx.history.messages.message import TEXT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.history.messages.message import Block

OPENINGS = {
    "claude-code": (
        "<local-command-caveat>",
        "<local-command-stdout>",
        "<local-command-stderr>",
        "<command-name>",
        "<command-message>",
        "<command-args>",
        "<command-contents>",
        "<task-notification>",
        "<skill-format>true",
    ),
    "codex": (
        "<environment_context>",
        "<user_instructions>",
        "# AGENTS.md instructions",
    ),
    "": (
        "<system-reminder>",
        "<ide_opened_file>",
        "<ide_selection>",
    ),
}
"""How it begins, by format. A tag is the client's up to its end, anything else with all that
follows. What has no format is put beside prompts: it is a part of what the user said, and goes when
that goes.

`history/sessions/lines.py` has the same for titles; a test holds both together.
"""


def _all_openings() -> tuple[str, ...]:
    openings: list[str] = []
    for of_format in OPENINGS.values():
        openings += of_format
    return tuple(openings)


_ALL = _all_openings()
_TAGS = tuple(opening for opening in _ALL if opening.endswith(">"))
_PLAIN = tuple(opening for opening in _ALL if not opening.endswith(">"))
_TAG_NAMES = "|".join(tag.strip("<>") for tag in _TAGS)
_TAGGED = re.compile(rf"\s*<({_TAG_NAMES})>.*?</\1>", re.DOTALL)


def says_client(text: str, form: str = "") -> bool:
    """Whether there is nothing in a text but what a client says; where a format is named, that of
    its client first.
    """
    openings = OPENINGS[form] if form else _ALL
    if not text.lstrip().startswith(openings):
        return False

    # One tag may follow another: a command has its name, its message and its arguments.
    end = 0
    match = _TAGGED.match(text)
    while match:
        end = match.end()
        match = _TAGGED.match(text, end)
    left = text[end:].strip()
    return not left or left.startswith(_PLAIN)


def typed_command(text: str) -> str:
    """A command of the client's with what was typed behind it; empty where nothing was."""
    name = _inside("command-name", text)
    arguments = _inside("command-args", text)
    if not name or not arguments:
        return ""
    return f"/{name.removeprefix('/')} {arguments}"


def _inside(tag: str, text: str) -> str:
    """What stands in a tag; empty without it."""
    _, opening, rest = text.partition(f"<{tag}>")
    inside, closing, _ = rest.partition(f"</{tag}>")
    if not opening or not closing:
        return ""
    return inside.strip()


def without_client_words(text: str) -> str:
    """What is left of a text without the tags of clients in it."""
    for opening in _TAGS:
        if opening in text:
            text = _without_tag(text, opening)
    return text


def _without_tag(text: str, opening: str) -> str:
    closing = opening.replace("<", "</")
    pieces: list[str] = []
    place = 0
    start = text.find(opening)
    while start >= 0:
        end = text.find(closing, start)
        if end < 0:
            # A tag that nobody closed is none, and neither is one behind it.
            break
        pieces.append(text[place:start])
        place = end + len(closing)
        start = text.find(opening, place)
    pieces.append(text[place:])
    return "".join(pieces)


def opens_as_client(blocks: Sequence[Block], form: str) -> bool:
    """Whether a message is one of the client's of this format."""
    if not blocks or blocks[0].kind != TEXT:
        return False
    return says_client(blocks[0].text, form)
