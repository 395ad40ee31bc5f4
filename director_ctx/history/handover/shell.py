"""What a call gives to a shell: its commands, each as plain words."""

from __future__ import annotations

import re

from director_ctx.base.record import Record
from director_ctx.history.formats.parts import read_json
from director_ctx.history.handover.handover import is_whole
from director_ctx.history.signals.attempts import COMMANDS, commands_in, unwrapped
from director_ctx.history.signals.files import command_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.history.messages.message import Block

_FOLDERS = ("workdir", "cwd", "working_directory")
_MAY_BE_SHELL = tuple(f'"{name}"' for name in COMMANDS)
_DOCUMENT = re.compile(
    r"<<-?[ \t]*(['\"]?)(\w+)\1[^\n]*\n(?P<text>.*?)(?:\n[ \t]*\2\b|\Z)", re.DOTALL
)
"""A text for a command, between `<<EOF` and `EOF`; without an end it is all that follows."""
_WITH_VALUE = ("-C", "-R", "--repo", "--git-dir", "--work-tree", "-c")
"""Flags before the name of what a program is to do, with a word of their own."""


class ShellLine(Record):
    """One line for a shell."""

    text: str
    commands: tuple[tuple[str, ...], ...]
    """The words of each command, from its program on."""
    document: str = ""
    """The first text that it gives to a command."""
    folder: str = ""
    """Where it runs, as far as it says so."""


NOTHING = ShellLine("", ())


def shell_line(call: Block, folder: str = "") -> ShellLine:
    """The line of a call in this folder, where it names no other; an empty one where it is for no
    shell.
    """
    if not any(name in call.text for name in _MAY_BE_SHELL):
        return NOTHING
    try:
        arguments = read_json(call.text)
    except (ValueError, RecursionError):
        return NOTHING
    if not isinstance(arguments, dict):
        return NOTHING

    text = command_of(arguments)
    for name in _FOLDERS:
        if isinstance(arguments.get(name), str):
            folder = below(folder, arguments[name])
            break
    return line_of(text, folder)


def line_of(text: str, folder: str = "") -> ShellLine:
    """A line as it is written, in a folder."""
    document = ""
    match = _DOCUMENT.search(text)
    if match:
        document = match["text"]
    commands: list[tuple[str, ...]] = []
    for words in commands_in(_DOCUMENT.sub("", text)):
        own = unwrapped(words)
        if own and own[0] == "cd" and len(own) > 1:
            folder = below(folder, own[1].strip("'\""))
        elif own:
            commands.append(tuple(own))
    return ShellLine(text, tuple(commands), document, folder)


def below(folder: str, path: str) -> str:
    """A path with the folder that it is told from, where there is one and it is not whole."""
    name = path.removeprefix("./")
    if not folder or is_whole(name) or name.startswith(folder):
        return name
    return f"{folder.rstrip('/')}/{name}"


def without_flags(words: Sequence[str]) -> list[str]:
    """The program, what it is to do, and what with."""
    plain: list[str] = []
    is_value = False
    for word in words:
        if is_value:
            is_value = False
        elif word in _WITH_VALUE and len(plain) < 2:
            is_value = True
        elif not word.startswith("-"):
            plain.append(word)
    return plain


def value_of(flag: str, letter: str, words: Sequence[str]) -> str:
    """The word behind a flag or its letter, which may be the last of several, without quotes."""
    for place, word in enumerate(words):
        name, equals, value = word.partition("=")
        if name == flag and equals:
            return value.strip("'\"")

        is_letters = word.startswith("-") and word[1:].isalpha()
        has_letter = is_letters and word.endswith(letter)
        following = words[place + 1 : place + 2]
        if following and (word == flag or has_letter):
            return following[0].strip("'\"")
    return ""
