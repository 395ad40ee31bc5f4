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

LONGEST = 300
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
"""What tools call the file that they are about."""
COMMANDS = ("command", "cmd", "script")
"""What tools call that which they are to do."""
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
_AND, _OR, _PIPE = "&&", "||", "|"
_BELOW = "..."
"""Go's word for everything below a folder."""
_LONG_NAME = 120
"""Characters by which a long command is known: of a line that was shortened there are no more."""
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
        "cargo test",
        "cargo check",
        "cargo build",
        "cargo clippy",
        "go test",
        "go vet",
        "go build",
        "ruff check",
        "npm test",
    )
)
"""Of these, a run over more proves what a run over less would."""
_NARROW = frozenset(
    "-k -m -t -g -run --run --filter --grep --lf --last-failed --ignore --deselect --co".split()
)
"""What makes a check look at less than it names."""
_ASKS = frozenset("grep egrep fgrep zgrep rg ag diff cmp test [ [[ which pgrep".split())
"""Of these, the status 1 is an answer: no."""


class Attempt(Record):
    """What a call tries: what has to go well."""

    needs: tuple[tuple[str, ...], ...]
    """All of these, each by any of its marks. The first is its own."""
    tool: str
    checks: bool = False
    """Whether it reports what failed, so that its end says more than its exit status."""
    asks: bool = False
    """Whether it is a question that may be answered with no."""
    joined: tuple[str, ...] = ()
    """What went well with it, or it would have failed: `mise trust && mise run fmt`."""

    def marks(self) -> Iterator[str]:
        """What is proven where it goes well."""
        yield self.tool
        for need in self.needs:
            yield need[0]
        yield from self.joined


def call_line(tool: str, arguments: str) -> str:
    """A call on one line."""
    name = tool or "a tool"
    return line(f"{name} {arguments}", LONGEST)


@lru_cache(maxsize=4096)  # A conversation is looked at again with everything that is added to it.
def attempt_of(call: str) -> Attempt:
    """A command by its program and words, without flags; other tools by their file, or by all of
    their arguments.
    """
    tool, _, arguments = call.partition(" ")
    path = PATH.search(arguments)
    command = _COMMAND.search(arguments)
    if path:
        # An editor with several abilities says in its command which of them is asked for.
        ability = command[1] if command else ""
        return Attempt(((f"{tool} {ability} {path[1]}",),), tool)
    if command:
        return _attempt_of_script(_script(command), tool)
    return Attempt(((call if arguments.strip("{} ") else tool,),), tool)


def _script(command: re.Match[str]) -> str:
    """The command itself; in a list it may be what a shell is given."""
    text, words_in_list = command[1], command[2]
    if text is not None:
        return _plain(text)
    words = [_plain(word) for word in _TEXT.findall(words_in_list)]
    # `bash -lc "the command itself"`
    if len(words) >= 3 and _program(words[0]) in _SHELLS and words[1].startswith("-"):
        return words[-1]
    return " ".join(words)


def _plain(text: str) -> str:
    return _ESCAPE.sub(lambda escape: {"n": "\n", "t": "\t"}.get(escape[1], escape[1]), text)


def _attempt_of_script(script: str, tool: str) -> Attempt:
    # What stands behind `<<` is a text for the command.
    line_of_shell, _, _ = script.partition("<<")
    commands = [unwrapped(words) for words in commands_in(line_of_shell)]
    main = _main_command(commands)

    joined: list[str] = []
    for command in _joined_commands(line_of_shell):
        if command != main:
            joined += [need[0] for need in _needs_of(command)]
    asks = bool(main) and main[0] in _ASKS
    return Attempt(tuple(_needs_of(main)), tool, bool(_check(main)), asks, tuple(joined))


def _needs_of(command: list[str]) -> Iterator[tuple[str, ...]]:
    check = _check(command)
    # A check is proven by what it looks at: whoever ran all tests has run this one.
    if check:
        words_of_check = check.count(" ") + 1
        yield from _needs_of_check(check, command[words_of_check:])
    else:
        name = " ".join(("$", *_without_flags(command)))
        yield (name[:_LONG_NAME],)


def _joined_commands(script: str) -> Iterator[list[str]]:
    """The commands that went well where the whole line did: its last, and those that `&&` joins to
    it. What a pipe leads to only prints.
    """
    own: list[list[str]] = [[]]
    is_piped = False
    for match in _WORD.finditer(script):
        end = match["end"]
        if match["word"] and not is_piped:
            own[-1].append(match["word"])
        elif end:
            is_piped = end == _PIPE
        if end == _AND:
            own.append([])
        elif end == _OR:
            # What stands behind it may not have run.
            return
        elif end and end != _PIPE:
            own = [[]]
    for words in own:
        command = unwrapped(words) if words else []
        if command and command[0] not in _ASIDE:
            yield command


def _main_command(commands: Sequence[list[str]]) -> list[str]:
    """The command that a line for a shell is about: a check, else the first that does something."""
    checks = filter(_check, commands)
    doing = (command for command in commands if command and command[0] not in _ASIDE)
    return next(checks, None) or next(doing, commands[0])


def commands_in(script: str) -> list[list[str]]:
    """The words of each command in a line for a shell, with their quotes."""
    commands: list[list[str]] = [[]]
    for match in _WORD.finditer(script):
        if match["word"]:
            commands[-1].append(match["word"])
        elif match["end"]:
            commands.append([])
    return [words for words in commands if words] or [[]]


def unwrapped(words: list[str]) -> list[str]:
    """From the program on, without its folder; of `python -m NAME` from the name on."""
    start = 0
    while start < len(words) - 1 and _stands_before_program(words[start]):
        start += 1
    rest = words[start:]
    if not rest:
        return []
    is_module = len(rest) > 2 and rest[1] == "-m"
    if is_module and _program(rest[0]).startswith("python"):
        rest = rest[2:]
    program = _program(rest[0])
    return [program, *rest[1:]]


def _stands_before_program(word: str) -> bool:
    """Whether it is a wrapper, its flag or number, or a variable."""
    if word in _WRAPS or word[0] in "-0123456789":
        return True
    name, equals, _ = word.partition("=")
    return bool(equals) and name.isidentifier()


def _program(word: str) -> str:
    """Its name, without the folder that it is in."""
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
        is_number_of_flag = bool(flag) and word.isdigit()
        belongs_to_flag = is_number_of_flag or flag in _NARROW
        flag = ""
        if belongs_to_flag:
            continue
        is_quoted = name != word
        if not is_quoted or _TARGET.fullmatch(name):
            yield name


def _needs_of_check(check: str, words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Each target, by itself or by whatever it is a part of; everything, where none is named."""
    everything = f"$ {check}"
    marks_of_targets = [
        [f"{everything} {name}" for name in _around(target)] for target in _targets(words)
    ]
    # A flag may make it look at less.
    if any(word.partition("=")[0] in _NARROW for word in words):
        # Of several targets none proves the others, so only the same or everything proves it.
        marks = marks_of_targets[0] if len(marks_of_targets) == 1 else ()
        yield (f"{everything} {' '.join(words)}", *marks, everything)
        return
    for marks in marks_of_targets or ((),):
        yield (*marks, everything)


def _targets(words: Sequence[str]) -> list[str]:
    """What a check names; nothing where it names the current folder, which is everything."""
    targets: list[str] = []
    for name in _without_flags(words):
        target = name.removeprefix("./").removesuffix(_BELOW).rstrip("/")
        if target in ("", "."):
            return []
        targets.append(target)
    return targets


def _around(target: str) -> Iterator[str]:
    """A test, its class, its file, its folders."""
    yield target
    while "::" in target:
        target = target.rpartition("::")[0]
        yield target
    while "/" in target:
        target = target.rpartition("/")[0]
        yield target
