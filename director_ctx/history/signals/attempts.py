"""What a call tries, so that a later one is known to try the same: by its program and words, its
file or arguments.

It is read from the call as a summary prints it, so a call of which only a line is left is
understood like any other.
"""

from __future__ import annotations

import re
from functools import lru_cache

from director_ctx.base.one_line import line
from director_ctx.base.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MOST = 300
"""Characters of a call that tell it from others."""
FILES = (
    "file_path",
    "filepath",
    "path",
    "filename",
    "file",
    "notebook_path",
    "absolute_path",
    "target_file",
)
COMMANDS = ("command", "cmd", "script")
"""What tools call the file that they are about, and what they are to do."""
PATH = re.compile(rf'"(?:{"|".join(FILES)})":\s*"([^"\n]{{1,300}})"')
_COMMAND = re.compile(
    rf'"(?:{"|".join(COMMANDS)})":\s*(?:"((?:[^"\\]|\\.)*)|\[((?:[^\]"]|"(?:[^"\\]|\\.)*")*))'
)
_TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"?')
_TARGET = re.compile(r"[\w./:@+-]+")
_ESCAPE = re.compile(r"\\(.)")
_WORD = re.compile(
    r"(?<!\S)#[^\n]*|\d?[<>]+&? ?[^\s;|&]*"
    r"""|(?P<end>[|&;\n()]+)|(?P<word>(?:[^\s'"\\|&;<>()]|\\.|'[^']*'?|"(?:\\.|[^"\\])*"?)+)"""
)
_SHELLS = frozenset(("bash", "sh", "zsh", "dash"))
_ASIDE = frozenset("cd pushd popd source . export set unset echo printf sleep true clear".split())
"""What prepares a command, or says something about it."""
_WRAPS = frozenset(
    "sudo time timeout env nice nohup npx exec command run poetry uv pipenv hatch bundle xvfb-run".split()
)
"""What stands before a program."""
_CHECKS = frozenset(
    (
        *"pytest unittest nose2 tox nox mypy pyright flake8 pylint eslint tsc jest vitest mocha rspec phpunit".split(),
        *(f"cargo {what}" for what in ("test", "check", "build", "clippy")),
        *(f"go {what}" for what in ("test", "vet", "build")),
        *("ruff check", "npm test"),
    )
)
"""Of these, a run over more proves what a run over less would."""
_NARROW = frozenset(
    "-k -m -t -g -run --run --filter --grep --lf --last-failed --ignore --deselect --co".split()
)
"""What makes a check look at less than it names."""
_ASKS = frozenset("grep egrep fgrep zgrep rg ag diff cmp test [ [[ which pgrep".split())
"""Of these, the status 1 is an answer: no."""


class Tried(Record):
    """What has to go well."""

    needs: tuple[tuple[str, ...], ...]
    """All of these, each by any of its marks. The first is its own."""
    tool: str
    checks: bool = False
    """Whether it reports what failed, so that its end says more than its exit status."""
    asks: bool = False
    """Whether it is a question that may be answered with no."""

    def marks(self) -> Iterator[str]:
        """What is proven where it goes well."""
        yield self.tool
        for need in self.needs:
            yield need[0]


def called(tool: str, arguments: str) -> str:
    """A call on one line."""
    return line(f"{tool or 'a tool'} {arguments}", MOST)


@lru_cache(maxsize=4096)  # A conversation is looked at again with everything that is added to it.
def tried(call: str) -> Tried:
    """A command by its program and words, without flags; other tools by their file, or by all of
    their arguments.
    """
    tool, _, arguments = call.partition(" ")
    path = PATH.search(arguments)
    command = _COMMAND.search(arguments)
    if path:
        ability = command[1] if command else ""
        return Tried(((f"{tool} {ability} {path[1]}",),), tool)
    if command:
        return _command(_script(command), tool)
    has_arguments = arguments.strip("{} ")
    return Tried(((call if has_arguments else tool,),), tool)


def _script(command: re.Match[str]) -> str:
    """The command itself; in a list it may be what a shell is given."""
    text, words_in_list = command[1], command[2]
    if text is not None:
        return _plain(text)
    words = [_plain(word) for word in _TEXT.findall(words_in_list)]
    if len(words) > 2 and _name(words[0]) in _SHELLS and words[1].startswith("-"):
        return words[-1]
    return " ".join(words)


def _plain(text: str) -> str:
    return _ESCAPE.sub(_unescaped, text)


def _unescaped(escape: re.Match[str]) -> str:
    character = escape[1]
    return {"n": "\n", "t": "\t"}.get(character, character)


def _command(script: str, tool: str) -> Tried:
    # What stands behind `<<` is a text for the command.
    commands = [_unwrapped(words) for words in _commands(script.partition("<<")[0])]
    main = _main(commands)
    check = _check(main)
    if check:
        words = main[check.count(" ") + 1 :]
        return Tried(tuple(_checked(check, words)), tool, True)

    name = " ".join(("$", *_without_flags(main)))
    asks = not _ASKS.isdisjoint(main[:1])
    return Tried(((name,),), tool, asks=asks)


def _main(commands: Sequence[list[str]]) -> list[str]:
    """The command that a line for a shell is about: a check, else the first that does something."""
    for command in commands:
        if _check(command):
            return command
    for command in commands:
        if command and command[0] not in _ASIDE:
            return command
    return commands[0]


def _commands(script: str) -> list[list[str]]:
    """The words of each command in a line for a shell."""
    commands: list[list[str]] = [[]]
    for match in _WORD.finditer(script):
        if match["word"]:
            commands[-1].append(match["word"])
        elif match["end"]:
            commands.append([])
    return [words for words in commands if words] or [[]]


def _unwrapped(words: list[str]) -> list[str]:
    """From the program on, without its folder; of `python -m NAME` from the name on."""
    start = 0
    while start < len(words) - 1 and _is_before(words[start]):
        start += 1
    rest = words[start:]
    if not rest:
        return []
    if len(rest) > 2 and _name(rest[0]).startswith("python") and rest[1] == "-m":
        rest = rest[2:]
    return [_name(rest[0]), *rest[1:]]


def _is_before(word: str) -> bool:
    """Whether a word stands before a program: a wrapper, its flag or number, or a variable."""
    if word in _WRAPS or word[0] in "-0123456789":
        return True
    name, equals, _ = word.partition("=")
    return bool(equals) and name.isidentifier()


def _name(word: str) -> str:
    return word.strip("'\"").rpartition("/")[2]


def _check(words: Sequence[str]) -> str:
    for count in (1, 2):
        name = " ".join(words[:count])
        if name in _CHECKS:
            return name
    return ""


def _without_flags(words: Sequence[str]) -> Iterator[str]:
    """Nor the number or the word that belongs to one, nor code, patterns and messages: they differ
    from try to try.
    """
    flag = ""
    for word in words:
        if word.startswith("-"):
            flag = word
            continue
        name = word.strip("'\"")
        of_flag = flag in _NARROW or (flag and word.isdigit())
        flag = ""
        if not of_flag and (name == word or _TARGET.fullmatch(name)):
            yield name


def _checked(check: str, words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Each target, by itself or by whatever it is a part of; everything, where none is named."""
    everything = f"$ {check}"
    targets = [name.removeprefix("./").rstrip("/") for name in _without_flags(words)]
    if "" in targets or "." in targets:
        targets = []

    wider = []
    for target in targets:
        wider.append(tuple(f"{everything} {name}" for name in _around(target)))
    if any(word.partition("=")[0] in _NARROW for word in words):
        named = f"$ {check} {' '.join(words)}"
        around = wider[0] if len(wider) == 1 else ()
        yield (named, *around, everything)
    elif not targets:
        yield (everything,)
    else:
        for names in wider:
            yield (*names, everything)


def _around(target: str) -> Iterator[str]:
    """A test, its class, its file, its folders."""
    yield target
    while "::" in target:
        target = target.rpartition("::")[0]
        yield target
    while "/" in target:
        target = target.rpartition("/")[0]
        yield target
