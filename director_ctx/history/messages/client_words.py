"""What a client says in the user's name: where it is, what a command of its own printed, what a
hook had to say.
"""

from __future__ import annotations

import re
from itertools import chain

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
"""


_RAN = ("bash-input", "bash-stdout", "bash-stderr", "user_shell_command")
"""What the user ran in a client: it is theirs, and no title."""
_ALL = tuple(chain.from_iterable(OPENINGS.values()))
_TAGS = tuple(opening for opening in _ALL if opening.endswith(">"))
_PLAIN = tuple(opening for opening in _ALL if not opening.endswith(">"))
_NAMES = tuple(tag.strip("<>") for tag in _TAGS)
_TAGGED = re.compile(rf"(?s)(?:\s*<({'|'.join(_NAMES)})>.*?</\1>)*")
_TAGGED_OR_RAN = re.compile(rf"(?s)(?:\s*<({'|'.join((*_NAMES, *_RAN))})>.*?</\1>)*")
"""One tag may follow another: a command has its name, its message and its arguments."""


def says_client(text: str, form: str = "") -> bool:
    """Whether there is nothing in a text but what a client says; where a format is named, that of
    its client first.
    """
    openings = OPENINGS[form] if form else _ALL
    return text.lstrip().startswith(openings) and not _left(_TAGGED, text)


def _left(tags: re.Pattern[str], text: str) -> str:
    """What stands behind a client's words; empty where all of it is one's."""
    tagged = tags.match(text)
    left = text[tagged.end() if tagged else 0 :].strip()
    return "" if left.startswith(_PLAIN) else left


def typed_text(text: str) -> str:
    """What somebody typed of a text in the user's name."""
    return _left(_TAGGED_OR_RAN, text)


def typed_command(text: str) -> str:
    """A command of the client's with what was typed behind it; empty where nothing was."""
    name, arguments = _inside("command-name", text), _inside("command-args", text)
    return f"/{name.removeprefix('/')} {arguments}" if name and arguments else ""


def _inside(tag: str, text: str) -> str:
    """What stands in a tag; empty without it."""
    _, opening, rest = text.partition(f"<{tag}>")
    inside, closing, _ = rest.partition(f"</{tag}>")
    return inside.strip() if opening and closing else ""


def without_client_words(text: str) -> str:
    """What is left of a text without the tags of clients in it."""
    for opening in _TAGS:
        closing = opening.replace("<", "</")
        pieces = []
        place = 0
        start = text.find(opening)
        # A tag that nobody closed is none, and neither is one behind it.
        while start >= 0 and (end := text.find(closing, start)) >= 0:
            pieces.append(text[place:start])
            place = end + len(closing)
            start = text.find(opening, place)
        text = "".join((*pieces, text[place:]))
    return text


def opens_as_client(blocks: Sequence[Block], form: str) -> bool:
    """Whether a message is one of the client's of this format."""
    return bool(blocks) and blocks[0].kind == TEXT and says_client(blocks[0].text, form)
