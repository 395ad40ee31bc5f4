"""The first screen of help, with every first word under a subject; and all commands."""

from __future__ import annotations

import textwrap

from director_ctx.base.record import Record
from director_ctx.doors.cli.shared.menu import GROUPS, TABLES, commands
from director_ctx.doors.cli.shared.output import is_on_screen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from director_ctx.doors.cli.shared.options import Command

WIDTH = 80
NARROW = 60
HIDDEN = ("hook", "help")
"""Clients call the first; whoever reads the list has found the second."""


class HelpSubject(Record):
    """First words that belong together: a row of the first screen each, or several in one."""

    title: str
    rows: tuple[tuple[str, ...], ...]

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(word for row in self.rows for word in row)


SUBJECTS = (
    HelpSubject("Start", (("setup",), ("demo",), ("init",), ("config",))),
    HelpSubject("Every day", (("status",), ("next",), ("ui",), ("task",), ("add",), ("doctor",))),
    HelpSubject(
        "Contexts",
        (("assemble",), ("budget", "profiles", "diff", "tokens"), ("agents", "skill", "mcp")),
    ),
    HelpSubject("Conversations", (("compress", "restore"), ("history",), ("chat",))),
    HelpSubject("Remembered", (("plan", "vars", "store"),)),
    HelpSubject("Browser", (("browser",),)),
)
SHORT = {
    "doctor": "Find what disagrees in the folder, and mend it.",
    "budget": "What is in it, and what it costs.",
    "agents": "How contexts reach your coding agent.",
    "compress": "Shorten a conversation, and undo that.",
    "chat": "Talk with a model that asks for its context itself.",
    "plan": "What lasts between runs.",
}
"""What a row says, by its first word, where the command's own sentence is too long or too narrow."""

_ABOUT = "The context for a coding agent, put together from your .director/ folder."
_MORE = "dctx help NAME is about one of them, dctx help --all lists every command."
_OPTIONS = "dctx --version prints the version, dctx --install-completion teaches your shell."


def first_screen() -> str:
    """At most 23 lines of 80 columns, so that a prompt fits below."""
    lines = ["Usage: dctx COMMAND [OPTIONS]", *_wrapped(_ABOUT, ""), ""]
    for subject in SUBJECTS:
        title = subject.title
        if _width() < NARROW:
            lines.append(title)
        for row in subject.rows:
            text = SHORT.get(row[0]) or summary(row[0])
            words = ", ".join(row)
            if _width() < NARROW:
                lines += [f"  {words}", *_wrapped(text, "    ")]
            else:
                lines += _row(f"{title:<15}{words:<8}  ", text)
            # Said once.
            title = ""
    return "\n".join([*lines, "", *_wrapped(_MORE, "")]) + "\n"


def every_command() -> str:
    """All commands, under the same titles, with what each does."""
    lines = ["Usage: dctx COMMAND [OPTIONS]"]
    for subject in SUBJECTS:
        lines += ["", subject.title]
        for command in (found for word in subject.words for found in _commands_of(word)):
            if _width() < NARROW:
                lines += [f"  {command.name}", *_wrapped(command.help, "    ")]
            else:
                lines += _row(f"  {command.name:<20}", command.help)
    lines += ["", *_wrapped(_MORE.partition(",")[0] + ".", ""), *_wrapped(_OPTIONS, "")]
    return "\n".join(lines) + "\n"


def first_words() -> tuple[str, ...]:
    """Every first word that there is."""
    return tuple(word for words in TABLES.values() for word in words)


def summary(word: str) -> str:
    """What a first word is for, in a sentence."""
    text = GROUPS.get(word, "")
    for command in _commands_of(word):
        text = text or command.help
    sentence, dot, _ = text.partition(". ")
    return f"{sentence}." if dot else sentence


def _commands_of(word: str) -> Iterator[Command]:
    return (command for command in commands() if command.name.split()[0] == word)


def _row(name: str, text: str) -> list[str]:
    """A name and its sentence, which goes on below itself where it is long."""
    first, *rest = _wrapped(text, " " * len(name))
    return [name + first.lstrip(), *rest]


def _width() -> int:
    """That of the terminal, as far as lines are read easily; what goes into a pipe has the usual one."""
    if not is_on_screen():
        return WIDTH
    from shutil import get_terminal_size

    return min(WIDTH, get_terminal_size().columns)


def _wrapped(text: str, indent: str) -> list[str]:
    return textwrap.wrap(
        text,
        _width(),
        initial_indent=indent,
        subsequent_indent=indent,
        break_on_hyphens=False,
        break_long_words=False,
    )
