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
    path, command = PATH.search(arguments), _COMMAND.search(arguments)
    if path:
        return Tried(((f"{tool} {command[1] if command else ''} {path[1]}",),), tool)
    if command:
        return _command(_script(command), tool)
    return Tried(((call if arguments.strip("{} ") else tool,),), tool)


def _script(found: re.Match[str]) -> str:
    """The command itself; in a list it may be what a shell is given."""
    if found[1] is not None:
        return _plain(found[1])
    words = [_plain(word) for word in _TEXT.findall(found[2])]
    if len(words) > 2 and _name(words[0]) in _SHELLS and words[1].startswith("-"):
        return words[-1]
    return " ".join(words)


def _plain(text: str) -> str:
    return _ESCAPE.sub(lambda found: {"n": "\n", "t": "\t"}.get(found[1], found[1]), text)


def _command(script: str, tool: str) -> Tried:
    commands = [_unwrapped(words) for words in _commands(script.partition("<<")[0])]
    main = next((one for one in commands if _check(one)), None)
    main = (
        main or next((one for one in commands if one and one[0] not in _ASIDE), None) or commands[0]
    )
    check = _check(main)
    if not check:
        return Tried(
            ((" ".join(("$", *_without_flags(main))),),), tool, asks=not _ASKS.isdisjoint(main[:1])
        )
    return Tried(tuple(_checked(check, main[check.count(" ") + 1 :])), tool, True)


def _commands(script: str) -> list[list[str]]:
    """The words of each command in a line for a shell."""
    found: list[list[str]] = [[]]
    for match in _WORD.finditer(script):
        if match["word"]:
            found[-1].append(match["word"])
        elif match["end"]:
            found.append([])
    return [words for words in found if words] or [[]]


def _unwrapped(words: list[str]) -> list[str]:
    """From the program on, without its folder; of `python -m NAME` from the name on."""
    start = 0
    while start < len(words) - 1 and _is_before(words[start]):
        start += 1
    rest = words[start:]
    if len(rest) > 2 and _name(rest[0]).startswith("python") and rest[1] == "-m":
        rest = rest[2:]
    return [_name(rest[0]), *rest[1:]] if rest else []


def _is_before(word: str) -> bool:
    name, sets, _ = word.partition("=")
    return word in _WRAPS or word[0] in "-0123456789" or (bool(sets) and name.isidentifier())


def _name(word: str) -> str:
    return word.strip("'\"").rpartition("/")[2]


def _check(words: Sequence[str]) -> str:
    return next(
        (name for name in (" ".join(words[:1]), " ".join(words[:2])) if name in _CHECKS), ""
    )


def _without_flags(words: Sequence[str]) -> Iterator[str]:
    """Nor the number or the word that belongs to one, nor code, patterns and messages: they differ
    from try to try.
    """
    flag = ""
    for word in words:
        name = word.strip("'\"")
        if word.startswith("-"):
            flag = word
            continue
        if not (flag in _NARROW or (flag and word.isdigit())) and (
            name == word or _TARGET.fullmatch(name)
        ):
            yield name
        flag = ""


def _checked(check: str, words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Each target, by itself or by whatever it is a part of; everything, where none is named."""
    everything = f"$ {check}"
    names = [name.removeprefix("./").rstrip("/") for name in _without_flags(words)]
    targets = [] if {"", "."}.intersection(names) else names
    wider = [tuple(f"{everything} {name}" for name in _around(target)) for target in targets]
    if any(word.partition("=")[0] in _NARROW for word in words):
        yield (f"$ {check} {' '.join(words)}", *(wider[0] if len(wider) == 1 else ()), everything)
    elif not targets:
        yield (everything,)
    else:
        yield from ((*one, everything) for one in wider)


def _around(target: str) -> Iterator[str]:
    """A test, its class, its file, its folders."""
    yield target
    while "::" in target:
        target = target.rpartition("::")[0]
        yield target
    while "/" in target:
        target = target.rpartition("/")[0]
        yield target
