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
        "<local-command-caveat>", "<local-command-stdout>", "<local-command-stderr>", "<command-name>",
        "<command-message>", "<command-args>", "<command-contents>", "<skill-format>true",
    ),
    "codex": ("<environment_context>", "<user_instructions>", "# AGENTS.md instructions"),
    "gemini": ("<session_context>", "This is the Gemini CLI. We are setting up the context"),
    "": ("<system-reminder>", "<hook_context>", "<ide_opened_file>", "<ide_selection>"),
}  # fmt: skip
"""How it begins, by format. A tag is the client's up to its end, anything else with all that
follows. What has no format is put beside prompts: it is a part of what the user said, and goes when
that goes.

`history/sessions/lines.py` has the same for titles; a test holds both together.
"""
_ALL = tuple(one for openings in OPENINGS.values() for one in openings)
_PLAIN = tuple(one for one in _ALL if not one.endswith(">"))
_TAGGED = re.compile(
    rf"\s*<({'|'.join(one[1:-1] for one in _ALL if one.endswith('>'))})>.*?</\1>", re.DOTALL
)


def says_client(text: str, form: str = "") -> bool:
    """Whether there is nothing in a text but what a client says; where a format is named, that of
    its client first.
    """
    if not text.lstrip().startswith(OPENINGS[form] if form else _ALL):
        return False
    at = 0
    while found := _TAGGED.match(text, at):
        at = found.end()
    left = text[at:].strip()
    return not left or left.startswith(_PLAIN)


def opens(blocks: Sequence[Block], form: str) -> bool:
    """Whether a message is one of the client's of this format."""
    return bool(blocks) and blocks[0].kind == TEXT and says_client(blocks[0].text, form)
