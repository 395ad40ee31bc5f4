"""The commands of a skill that are carried out: reading files of `.director/`, `git log`, `git status` and
`git diff --stat`, and those of dctx that only read. Nothing that is not on this list is run, and no shell is.

Git looks at the working tree, where it would run the filters that a repository's configuration names, and
look into submodules. Both are switched off. A bare repository inside another one is only a folder of the
project, and its configuration is somebody's text.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys

import director_ctx
from director_ctx.base.record import Record
from director_ctx.base.secrets.file_names import is_secret
from director_ctx.project.git.child import SAFE, environment
from director_ctx.project.git.log import in_repository
from director_ctx.project.reading.locate import inside
from director_ctx.project.reading.model import FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from director_ctx.project.project import Project

SECONDS = 10.0
"""For a program that a skill starts."""
_SHAPE = (
    "--task -t --step -s --goal -g --codebase --research --with --without --note --quick --question --input"
    " --changes --model -m --window --budget -b --counter --layout --skill"
)
OWN = {
    "status": "--goal -g --json",
    "next": "--json",
    "assemble": f"{_SHAPE} --format -f --only --part --no-record --strict",
    "budget": f"{_SHAPE} --all --history --what-if --json",
    "profiles": "--types --ladder --models --json",
    "diff": "--agent --summary --json",
    "task show": "--json",
    "doctor": "--stale --json",
}
"""The program's own commands that only read, and the options that leave it so."""

# An option's value may also be the next word, which is judged by itself.
_LISTS = r"--(?:stat|shortstat|numstat|name-only|name-status|summary)"
# `%G` verifies signatures, with a program that the repository's configuration may name.
_FORMATS = r"--(?:format|pretty)=(?:oneline|short|medium|full|fuller|reference|(?:t?format:)?(?!.*%[-+ ]?G).*%.*)"
_LOG = (
    r"-\d+|-n\d*|--max-count(?:=\d+)?|--(?:since|until|after|before|author|grep)(?:=.*)?"
    r"|--oneline|--graph|--all|--branches|--tags|--reverse|--(?:no-)?merges|--first-parent"
    r"|--(?:no-)?decorate|--abbrev-commit|--date=[\w:-]+|--relative-date|--"
)
GIT = {
    "log": f"{_LOG}|{_FORMATS}|{_LISTS}",
    "diff": f"{_LISTS}|--cached|--staged|--",
    "status": r"--short|-s|--branch|-b|-sb|--porcelain|--",
}
"""Options of git that print and do nothing else, as whole words."""
_WORD = re.compile(r"[\w.@^{][\w.@^~{}/-]*")
"""A revision, a range, or a path of this repository."""
_SHUT = (
    *SAFE,
    "-c",
    "safe.bareRepository=explicit",
    "-c",
    "diff.autoRefreshIndex=false",
    "-c",
    "core.pager=cat",
)
_PLAIN_GIT = ("--no-color", "--no-ext-diff", "--no-textconv")
_ALSO = {
    # A format of its own: a configured one could verify signatures with a program of the repository's choice.
    "log": (*_PLAIN_GIT, "--no-show-signature", "--pretty=medium"),
    # Of two files outside the repository it would print what they are; there it knows no `--no-merges`.
    "diff": (*_PLAIN_GIT, "--ignore-submodules=all", "--no-merges"),
    "status": ("--ignore-submodules=all",),
}
_QUIET = re.compile(r"\s2>\s*/dev/null(?=[\s|]|$)")
# Words that a shell would leave as they are, and pipes.
_PLAIN = re.compile(r"""(?:[\w@%+=:,./^| \t-]|(?<=\w)~|'[^']*'|"[^"$`]*")*""")
_HEAD = re.compile(r"head(?: -n? ?(\d{1,9}))?")
_HEAD_LINES = 10


class CommandOutcome(Record):
    output: str
    code: int = 0
    complaint: str = ""
    """What it printed on standard error."""
    is_context: bool = False
    """Whether dctx assembled it, so that its tags are real."""


class CommandLine(Record):
    """`WORDS [2>/dev/null] [| head [-N]] [|| true | || echo TEXT]`, its arguments filled in."""

    words: tuple[str, ...]
    quiet: bool = False
    """Whether its complaints are thrown away."""
    head: int | None = None
    """How many lines of its output are wanted."""
    instead: str | None = None
    """What is printed where it fails; None where its failure counts."""


def parse(
    text: str, root: str, placeholders: re.Pattern[str], fill: Callable[[str], str]
) -> CommandLine | None:
    """One line of a command; None where it is not on the list."""
    text, quiet = _QUIET.subn("", text)
    # Words are taken apart before an argument is filled in: it stays a part of one of them.
    if "\\" in text or not _PLAIN.fullmatch(placeholders.sub("x", text)):
        return None
    lexer = shlex.shlex(text, posix=True, punctuation_chars="|")
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        tokens = list(lexer)
    except ValueError:
        return None

    head = instead = None
    if "||" in tokens:
        at = tokens.index("||")
        tokens, fallback = tokens[:at], tokens[at + 1 :]
        if fallback in (["true"], [":"]):
            instead = ""
        elif fallback[:1] == ["echo"] and not {"|", "||"} & {*fallback}:
            instead = " ".join(map(fill, fallback[1:]))
        else:
            return None
    if "|" in tokens:
        at = tokens.index("|")
        match = _HEAD.fullmatch(" ".join(tokens[at + 1 :]))
        if match is None:
            return None
        tokens, head = tokens[:at], int(match[1] or _HEAD_LINES)
    # As in a shell: nothing is no word.
    words = tuple(filter(None, map(fill, tokens)))
    return CommandLine(words, bool(quiet), head, instead) if is_listed(words, root) else None


def is_listed(words: Sequence[str], root: str) -> bool:
    if words[:1] == ("cat",):
        names = [_path_in_folder(path, root) for path in words[1:]]
        return bool(names) and all(name and not is_secret(name) for name in names)
    if words[:1] == ("git",):
        return _only_tells(words[1:])
    own = _own_words(words)
    two_words = " ".join(own[:2])
    name = two_words if two_words in OWN else " ".join(own[:1])
    options = {word.partition("=")[0] for word in own if word.startswith("-")}
    return name in OWN and options <= {*OWN[name].split(), "--inject"}


def _own_words(words: Sequence[str]) -> tuple[str, ...]:
    """What follows `dctx`, wherever it is installed; nothing if that is another program."""
    if not words:
        return ()
    program, *rest = words
    options = rest[1:] if rest[:1] == ["-P"] else rest
    if options[:2] == ["-m", "director_ctx"]:
        return tuple(options[2:])
    name = program.replace("\\", "/").rpartition("/")[2]
    return tuple(rest) if name.removesuffix(".exe") == "dctx" else ()


def _path_in_folder(path: str, root: str) -> str:
    """The path below the root if it is in `.director/`, without steps upwards; nothing otherwise."""
    below = path.removeprefix(root.rstrip("/") + "/")
    parts = [part for part in below.split("/") if part not in ("", ".")]
    is_in_folder = len(parts) > 1 and parts[0] == FOLDER
    if below.startswith("/") or not is_in_folder or ".." in parts:
        return ""
    return "/".join(parts)


def _only_tells(words: Sequence[str]) -> bool:
    """Whether git only prints, and no content of files."""
    if not words or words[0] not in GIT:
        return False
    name, *rest = words
    for word in rest:
        if word.startswith("-"):
            if not re.fullmatch(GIT[name], word, re.S):
                return False
        elif ".." in word.split("/") or not _WORD.fullmatch(word):
            return False
    return name != "diff" or any(re.fullmatch(_LISTS, word) for word in rest)


def run(line: CommandLine, project: Project) -> CommandOutcome:
    """One line, and what a shell would do around it."""
    if line.words[0] == "cat":
        outcome = _print_files(line.words[1:], project)
    elif line.words[0] == "git":
        outcome = _run_git(project.root, line.words[1:])
    else:
        outcome = _run_ourselves(_own_words(line.words), project.root)

    output, code = outcome.output, outcome.code
    if line.head is not None:
        # A pipe ends as `head` does, which is well.
        output, code = "".join(output.splitlines(keepends=True)[: line.head]), 0
    if code and line.instead is not None:
        output, code = output + (line.instead and f"{line.instead}\n"), 0
    complaint = "" if line.quiet else outcome.complaint
    return outcome.replace(output=output, code=code, complaint=complaint)


def _print_files(paths: Sequence[str], project: Project) -> CommandOutcome:
    """`cat`, through the same reading as every context: links that leave the folder lead nowhere."""
    output = complaints = ""
    folder = os.path.realpath(project.location(FOLDER))
    for path in paths:
        name = _path_in_folder(path, project.root)
        real = os.path.realpath(project.location(name))
        document = None
        if inside(real, folder) and not is_secret(real[len(folder) :]):
            document = project.document(name)
        if document:
            output += document.text
        else:
            complaints += f"cat: {path}: No such file or directory\n"
    return CommandOutcome(output, int(bool(complaints)), complaints)


def _run_git(root: str, words: Sequence[str]) -> CommandOutcome:
    """What git complains of is kept apart, as a shell would."""
    if not in_repository(root):
        complaint = "fatal: not a git repository (or any of the parent directories): .git\n"
        return CommandOutcome("", 128, complaint)
    git = ("git", *_SHUT, "-C", root)
    listing = ("config", "--null", "--name-only", "--get-regexp", r"^filter\.")
    filters = _run_words([*git, *listing], root, environment())
    # It ends with 1 where it has none. A filter whose name is no UTF-8 would not be met by its name.
    if filters.code not in (0, 1) or "\N{REPLACEMENT CHARACTER}" in filters.output:
        said = filters.complaint.strip() or "its filters could not be listed"
        complaint = f"git was not asked about this repository: {said}"
        return CommandOutcome("", filters.code or 1, complaint)

    # An empty filter is not run.
    keys = dict.fromkeys(filter(None, filters.output.split("\0")))
    env = {**environment(), "GIT_CONFIG_COUNT": str(len(keys))}
    for number, key in enumerate(keys):
        env[f"GIT_CONFIG_KEY_{number}"] = key
        env[f"GIT_CONFIG_VALUE_{number}"] = "false" if key.endswith(".required") else ""
    name, *rest = words
    return _run_words([*git, name, *_ALSO[name], *rest], root, env)


def _run_ourselves(words: Sequence[str], root: str) -> CommandOutcome:
    """The program as a process of its own, which finds no module in the project and no other
    project.
    """
    package = os.path.dirname(os.path.abspath(director_ctx.__file__))
    paths = [os.path.dirname(package), *filter(None, [os.environ.get("PYTHONPATH")])]
    env = {**os.environ, "DCTX_ROOT": root, "PYTHONPATH": os.pathsep.join(paths)}
    # Without `-P`, Python looks for modules in the folder that it is called in.
    outcome = _run_words([sys.executable, "-P", "-m", "director_ctx", *words], root, env)
    return outcome.replace(is_context=words[0] == "assemble")


def _run_words(words: Sequence[str], folder: str, env: Mapping[str, str]) -> CommandOutcome:
    """One program with nothing on its standard input."""
    try:
        done = subprocess.run(
            words,
            cwd=folder,
            env=env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return CommandOutcome("", 124, f"it was stopped after {SECONDS:.0f} seconds")
    except (OSError, ValueError) as error:
        said = getattr(error, "strerror", None) or error
        return CommandOutcome("", 127, f"{words[0]} cannot be run: {said}")
    output, complaint = (text.decode("utf-8", "replace") for text in (done.stdout, done.stderr))
    return CommandOutcome(output, done.returncode, complaint)
