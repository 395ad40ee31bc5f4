"""Carries out one command of a skill, if every line of it is on the list of `allowed`: files are read here, git and
dctx are started, and no shell is.
"""

from __future__ import annotations

import os
import re
import shlex
import sys

import director_ctx
from director_ctx.base.record import Record
from director_ctx.base.secrets.file_names import is_secret
from director_ctx.clients.skills.allowed import FILES, HISTORY, judge, own_words, path_in_folder
from director_ctx.clients.skills.arguments import fill_word, pattern
from director_ctx.clients.skills.git_words import CommandOutcome, run_git, run_words
from director_ctx.clients.skills.printed import harmless, note, printed
from director_ctx.project.reading.locate import inside
from director_ctx.project.reading.model import FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.clients.skills.arguments import Values
    from director_ctx.project.project import Project

_QUIET = re.compile(r"\s2>\s*/dev/null(?=[\s|]|$)")
# Words that a shell would leave as they are, and pipes.
_PLAIN = re.compile(r"""(?:[\w@%+=:,./^| \t-]|(?<=\w)~|'[^']*'|"[^"$`]*")*""")
_HEAD = re.compile(r"head(?: -n? ?(\d{1,9}))?")
_HEAD_LINES = 10


class CommandLine(Record):
    """`WORDS [2>/dev/null] [| head [-N]] [|| true | || echo TEXT]`, its arguments filled in."""

    words: tuple[str, ...]
    kind: str
    """What it is on the list."""
    quiet: bool
    """Whether its complaints are thrown away."""
    head: int | None
    """How many lines of its output are wanted."""
    instead: str | None
    """What is printed where it fails; None where its failure counts."""


class Carried(Record):
    """What stands where a command stood, and why that is only a note."""

    output: str
    failed: str = ""


def carry_out(command: str, project: Project, values: Values) -> Carried | None:
    """What the command printed, or a note where it failed; None where it is not on the list."""
    lines: list[CommandLine] = []
    for written in command.split("\n"):
        text = written.strip()
        if not text or text.startswith("#"):
            continue
        line = _parse(text, values, project.root)
        if line is None:
            return None
        lines.append(line)
    if not lines:
        return None

    output = ""
    for line in lines:
        outcome = _run(line, project)
        output += outcome.output
    # As in a shell, the last line says how it ended.
    if outcome.code:
        complaint, _, _ = outcome.complaint.strip().partition("\n")
        why = complaint or f"it ended with exit code {outcome.code}"
        return Carried(note(command, why), why)
    return Carried(printed(output))


def _parse(text: str, values: Values, root: str) -> CommandLine | None:
    text, quiet = _QUIET.subn("", text)
    without_placeholders = pattern(values.names).sub("x", text)
    # Words are taken apart before an argument is filled in: it stays a part of one of them.
    if "\\" in text or not _PLAIN.fullmatch(without_placeholders):
        return None
    lexer = shlex.shlex(text, posix=True, punctuation_chars="|")
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        tokens = list(lexer)
    except ValueError:
        return None

    tokens, fallback = _cut(tokens, "||")
    tokens, tail = _cut(tokens, "|")
    head = None
    if tail is not None:
        match = _HEAD.fullmatch(" ".join(tail))
        if match is None:
            return None
        head = int(match[1] or _HEAD_LINES)
    instead = None
    if fallback is not None:
        if fallback[:1] == ["echo"] and not {"|", "||"} & {*fallback}:
            instead = " ".join(fill_word(word, values) for word in fallback[1:])
        elif fallback in (["true"], [":"]):
            instead = ""
        else:
            return None

    # As in a shell: nothing is no word.
    words = tuple(filter(None, (fill_word(word, values) for word in tokens)))
    kind = judge(words, root) if words else ""
    if not kind:
        return None
    return CommandLine(words=words, kind=kind, quiet=bool(quiet), head=head, instead=instead)


def _cut(tokens: list[str], operator: str) -> tuple[list[str], list[str] | None]:
    if operator not in tokens:
        return tokens, None
    index = tokens.index(operator)
    return tokens[:index], tokens[index + 1 :]


def _run(line: CommandLine, project: Project) -> CommandOutcome:
    """One line, and what a shell would do around it."""
    is_context = False
    if line.kind == FILES:
        outcome = _print_files(line.words[1:], project)
    elif line.kind == HISTORY:
        outcome = run_git(project.root, line.words[1:])
    else:
        words = own_words(line.words)
        outcome = _run_ourselves(words, project.root)
        # The tags in a context that dctx assembled itself are real.
        is_context = words[0] == "assemble"

    output, code = outcome.output, outcome.code
    if line.head is not None:
        # A pipe ends as `head` does, which is well.
        output, code = "".join(output.splitlines(keepends=True)[: line.head]), 0
    if code and line.instead is not None:
        output, code = output + (line.instead and f"{line.instead}\n"), 0
    safe = harmless(output, is_context)
    if not line.quiet:
        safe = harmless(outcome.complaint, False) + safe
    return outcome.replace(output=safe, code=code)


def _print_files(paths: Sequence[str], project: Project) -> CommandOutcome:
    """`cat`, through the same reading as every context: links that leave the folder lead nowhere."""
    output: list[str] = []
    complaints: list[str] = []
    folder = os.path.realpath(project.location(FOLDER))
    for path in paths:
        name = path_in_folder(path, project.root)
        real = os.path.realpath(project.location(name))
        document = None
        if inside(real, folder) and not is_secret(real[len(folder) :]):
            document = project.document(name)
        if document:
            output.append(document.text)
        else:
            complaints.append(f"cat: {path}: No such file or directory\n")
    return CommandOutcome("".join(output), int(bool(complaints)), "".join(complaints))


def _run_ourselves(words: Sequence[str], root: str) -> CommandOutcome:
    """The program as a process of its own, which finds no module in the project and no other
    project.
    """
    package = os.path.dirname(os.path.abspath(director_ctx.__file__))
    users_paths = os.environ.get("PYTHONPATH")
    paths = [os.path.dirname(package), *([users_paths] if users_paths else [])]
    env = {**os.environ, "DCTX_ROOT": root, "PYTHONPATH": os.pathsep.join(paths)}
    # Without `-P`, Python looks for modules in the folder that it is called in.
    return run_words([sys.executable, "-P", "-m", "director_ctx", *words], root, env)
