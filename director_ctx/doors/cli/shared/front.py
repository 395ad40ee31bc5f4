"""The first screen of help: what a day needs, in its order. Everything else is behind one line."""

from __future__ import annotations

import textwrap

from director_ctx.base.record import Record
from director_ctx.doors.cli.shared.menu import GROUPS, TABLES, commands
from director_ctx.doors.cli.shared.output import is_on_screen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from director_ctx.doors.cli.shared.options import Command

WIDTH = 80
NARROW = 60
HIDDEN = ("hook", "help")
"""Clients call the first two; whoever reads the list has found the third."""


class HelpSubject(Record):
    """A group of first words: those on the first screen, and those that `help --all` adds."""

    title: str
    shown: tuple[str, ...]
    more: tuple[str, ...] = ()


SUBJECTS = (
    HelpSubject("Start", ("setup", "demo", "init"), ("config",)),
    HelpSubject("Every day", ("status", "next", "ui", "task", "add"), ("doctor",)),
    HelpSubject(
        "Contexts",
        ("assemble", "budget", "agents"),
        ("profiles", "diff", "tokens", "skill", "mcp"),
    ),
    HelpSubject("Conversations", ("compress", "restore", "history"), ("chat",)),
    HelpSubject("What is remembered", (), ("plan", "vars", "store")),
    HelpSubject("Browser", (), ("browser",)),
)

_ABOUT = "The context for a coding agent, put together from your .director/ folder."
_MORE = "dctx help NAME is about one of them, dctx help --all lists every command."

_OPTIONS = "dctx --version prints the version, dctx --install-completion teaches your shell."


def first_screen() -> str:
    """At most twenty-two lines of eighty columns."""
    lines = ["Usage: dctx COMMAND [OPTIONS]", "", *_wrapped(_ABOUT, ""), ""]
    for subject in SUBJECTS:
        words = [word for word in subject.shown if word in first_words()]
        lines += _shown_rows(subject.title, words)
    rest = f"And: {', '.join(_not_shown())}."
    lines += ["", *_wrapped(rest, ""), *_wrapped(_MORE, "")]
    return "\n".join(lines) + "\n"


def _shown_rows(title: str, words: Sequence[str]) -> list[str]:
    """A title beside the first of its commands, or above them where there is little room."""
    lines: list[str] = []
    if words and _width() < NARROW:
        lines.append(title)
        for word in words:
            lines += _row(f"  {word:<10}", summary(word))
        return lines

    for word in words:
        lines += _row(f"{title:<15}{word:<10}", summary(word))
        # Said once.
        title = ""
    return lines


def every_command() -> str:
    """All commands, under the same titles, with what each does."""
    lines = ["Usage: dctx COMMAND [OPTIONS]"]
    for subject in SUBJECTS:
        lines += ["", subject.title]
        for word in (*subject.shown, *subject.more):
            for command in _commands_of(word):
                lines += _entry(command)
    lines += ["", *_wrapped(_MORE.partition(",")[0] + ".", ""), *_wrapped(_OPTIONS, "")]
    return "\n".join(lines) + "\n"


def first_words() -> tuple[str, ...]:
    """Every first word that there is."""
    words: list[str] = []
    for table_words in TABLES.values():
        words += table_words
    return tuple(words)


def summary(word: str) -> str:
    """What a first word is for, in a sentence."""
    text = GROUPS.get(word, "")
    for command in _commands_of(word):
        text = text or command.help
    sentence, dot, _ = text.partition(". ")
    if dot:
        return f"{sentence}."
    return sentence


def _commands_of(word: str) -> Iterator[Command]:
    for command in commands():
        if command.name.split()[0] == word:
            yield command


def _not_shown() -> list[str]:
    shown = [word for subject in SUBJECTS for word in subject.shown]
    return [word for word in first_words() if word not in (*shown, *HIDDEN)]


def _entry(command: Command) -> list[str]:
    if _width() < NARROW:
        return [f"  {command.name}", *_wrapped(command.help, "    ")]
    return _row(f"  {command.name:<20}", command.help)


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
