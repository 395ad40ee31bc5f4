"""A skill as an agent reads it: its arguments filled in, the commands of a short list carried out, and
everything else as it stands, with a note.

Claude Code carries out two forms of commands: a bang before backticks, at the start of a line or after a
blank (also inside ordinary fences), and a fence that is marked with a bang. `!command` in backticks or behind
a colon is inert there, and is carried out here. The client puts arguments into the text first and looks for
commands afterwards, so that an argument can add words to a command; here an argument stays what it is.
"""

from __future__ import annotations

import os
import re
import shlex

from director_ctx.base.errors import DctxError
from director_ctx.base.escape import escape_boundaries, escape_end
from director_ctx.base.record import Record
from director_ctx.base.text import characters, cleaned
from director_ctx.clients.skills.commands import CommandLine, parse, run
from director_ctx.project.project import Project
from director_ctx.project.reading.markdown import outside_code

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from director_ctx.clients.skills.files import Skill

MOST_COMMANDS = 100
"""Commands of one skill that are carried out. Nobody means to wait for more."""
MOST = 30_000
"""Characters. Claude Code puts more than this into a file and shows the beginning."""
NOTHING = "(Bash completed with no output)"
"""The client's own words, so that both texts are the same."""
NOT_LISTED = (
    "not run: dctx runs cat of files in .director/, git log, git status, git diff --stat,"
    " and its own commands that only read"
)

# Every pattern ends at the next backtick or bracket, so that no text makes one of them search it
# again and again.
# Prose has bangs too, so the inert forms count only before words that are surely commands.
_KNOWN = r"(?:cat|head|tail|ls|git|dctx|bash|sh|python3?|node|npm|date)(?=[ \t])"
_SPAN = re.compile(r"`[^`\n]+`")
_BLOCK = re.compile(r"```!(.*?)```", re.S)
_INLINE = re.compile(r"(?<!\S)!`([^`]+)`")
_INSIDE = re.compile(rf"(?<!`)`!({_KNOWN}[^`\n]+)`(?!`)")
_BARE = re.compile(rf"(?:^[ \t>]*(?:(?:[-*+]|\d+[.)])[ \t]+)?|:[ \t]+)(?=!{_KNOWN})")
_BANG = re.compile(r"(^|\s)!", re.MULTILINE)
_BLANK_START = re.compile(r"\A(?:[^\S\n]*\n)+")
_TERMINAL = re.compile(r"\x1b(?:\][^\x07\x1b]*(?:\x07|\x1b\\)?|\[[0-?]*[ -/]*[@-~]?|[ -/]*[0-~]?)")
_FROM_CLIENT = {"CLAUDE_SESSION_ID": "CLAUDE_CODE_SESSION_ID", "CLAUDE_EFFORT": "CLAUDE_EFFORT"}
"""Placeholders that only a client knows; it tells the commands that it runs."""


class Injection(Record):
    """One command in a body, and the characters that its output replaces."""

    command: str
    start: int
    end: int


class Carried(Record):
    """What stands where a command stood, and why that is only a note."""

    command: str
    output: str
    failed: str = ""


class Rendering(Record):
    text: str
    commands: tuple[Carried, ...]


def render(skill: Skill, arguments: Sequence[str], root: str) -> Rendering:
    injections = find(skill.body)
    if len(injections) > MOST_COMMANDS:
        raise DctxError(
            f"{skill.file.path} has {len(injections):,} commands.",
            f"A skill may have {MOST_COMMANDS}.",
        )
    values = Values.of(skill, arguments, root)
    project = Project(root)
    pieces: list[str] = []
    commands: list[Carried] = []
    at = 0
    for injection in injections:
        carried = _carry_out(injection.command, project, values)
        if carried is None:
            written = skill.body[injection.start : injection.end]
            # Behind the end of a fence, a note would keep it open.
            between = "\n" if written.startswith("```") else " "
            output = f"{written}{between}({NOT_LISTED})"
            carried = Carried(injection.command, output, NOT_LISTED)
        pieces += [values.fill(skill.body[at : injection.start]), carried.output]
        commands.append(carried)
        at = injection.end
    pieces.append(values.fill(skill.body[at:]))
    # Arguments that nobody asked for stand at the end.
    if values.text and not values.are_asked_for(skill.body):
        pieces.append(f"\n\nARGUMENTS: {defused(values.text)}")
    return Rendering("".join(pieces), tuple(commands))


def find(body: str) -> tuple[Injection, ...]:
    """Every injection, in order."""

    def blank(span: re.Match[str]) -> str:
        """What is in a plain code span is no injection; every offset stays what it is."""
        start = span.start()
        # Behind a bang it is an injection, and behind a backtick the middle of a longer mark.
        if start > 0 and body[start - 1] in "!`":
            return span[0]
        return f"`{' ' * (len(span[0]) - 2)}`"

    masked = _SPAN.sub(blank, body)
    every = [
        Injection(match[1].strip(), match.start(), match.end())
        for match in (*_BLOCK.finditer(body), *_INLINE.finditer(masked))
    ]
    for _, start, line in outside_code(body):
        for match in _INSIDE.finditer(line):
            every.append(Injection(match[1].strip(), start + match.start(), start + match.end()))
        # After the last backtick: no part of the command has one.
        end = len(line.rstrip())
        bare = _BARE.search(line, line.rfind("`") + 1, end)
        if bare:
            every.append(Injection(line[bare.end() + 1 : end], start + bare.end(), start + end))

    injections: list[Injection] = []
    end = 0
    for injection in sorted(every, key=lambda found: found.start):
        # A form inside of another one is only text of that command.
        if injection.start >= end and injection.command:
            injections.append(injection)
            end = injection.end
    return tuple(injections)


class Values(Record):
    """Everything that placeholders may stand for."""

    text: str
    """The arguments as they were typed."""
    words: tuple[str, ...]
    names: tuple[str, ...]
    places: Mapping[str, str]
    """What is known of `${CLAUDE_SKILL_DIR}` and the like."""
    pattern: re.Pattern[str]

    @staticmethod
    def of(skill: Skill, arguments: Sequence[str], root: str) -> Values:
        # One argument is the text as it was typed; several were divided by the shell already.
        text, words = shlex.join(arguments), tuple(arguments)
        if len(arguments) == 1:
            (text,) = arguments
            try:
                words = tuple(shlex.split(text))
            except ValueError:
                pass  # a quote is not closed, so it is one whole word
        folder = os.path.dirname(skill.file.path)
        places = {"CLAUDE_SKILL_DIR": folder, "CLAUDE_PROJECT_DIR": root}
        # In a plugin, skills lie in a folder of their own at its top.
        plugin = os.path.dirname(os.path.dirname(folder))
        if os.path.isfile(os.path.join(plugin, ".claude-plugin", "plugin.json")):
            places["CLAUDE_PLUGIN_ROOT"] = plugin
        for name, variable in _FROM_CLIENT.items():
            if os.environ.get(variable):
                places[name] = os.environ[variable]
        return Values(text, words, skill.names, places, placeholders(skill.names))

    def value(self, placeholder: re.Match[str]) -> str | None:
        """What one stands for; None for a place that is not known here, or a number that was not
        given.
        """
        if placeholder["place"]:
            return self.places.get(placeholder["place"])
        if placeholder["all"]:
            return self.text
        if placeholder["name"]:
            return self._word(self.names.index(placeholder["name"])) or ""
        digits = placeholder["index"] or placeholder["number"]
        # Python refuses to read a number of thousands of digits. Without one it is an escaped dollar.
        return self._word(int(digits[:9])) if digits else "$"

    def _word(self, number: int) -> str | None:
        return self.words[number] if number < len(self.words) else None

    def are_asked_for(self, text: str) -> bool:
        """`$5.00` asks for none where there are not six of them."""
        found = self.pattern.finditer(text)
        return any(_is_argument(one) and self.value(one) is not None for one in found)

    def fill(self, text: str) -> str:
        """The text with its placeholders filled in, each once; one that is not known stays as it is."""

        def put(placeholder: re.Match[str]) -> str:
            known = self.value(placeholder)
            if known is None:
                return placeholder[0]
            return defused(known) if _is_argument(placeholder) else known

        return self.pattern.sub(put, text)

    def fill_word(self, word: str) -> str:
        """A word of a command; what was not given leaves nothing."""
        return self.pattern.sub(lambda found: self.value(found) or "", word)


def placeholders(names: Sequence[str]) -> re.Pattern[str]:
    """Numbered, named, all of them, or a place; or one that is escaped."""
    # Of `$day` and `$day-of-week`, which both fit, the longer one is meant.
    choices = [rf"{re.escape(name)}(?![\[\w])" for name in sorted(names, key=len, reverse=True)]
    # A skill without names needs a choice that never matches.
    own = "|".join(choices) or "(?!)"
    return re.compile(
        rf"(?<!\\)\\\$(?=\d|ARGUMENTS|{own})"
        r"|\$\{(?P<place>CLAUDE_\w+)\}"
        rf"|\$(?P<name>{own})"
        r"|\$ARGUMENTS\[(?P<index>\d+)\]|\$(?P<number>\d+)(?!\w)|\$(?P<all>ARGUMENTS)"
    )


def _is_argument(placeholder: re.Match[str]) -> bool:
    """Whether it stands for something that the user typed."""
    return any(placeholder[kind] for kind in ("all", "name", "index", "number"))


def defused(text: str) -> str:
    """An argument in which nobody who reads the text later sees an injection; the client writes it
    the same way.
    """
    return _BANG.sub(r"\1\\!", text.replace("`!", "` !").replace("!`", "! `"))


def _carry_out(command: str, project: Project, values: Values) -> Carried | None:
    """What the command printed, or a note where it failed; None where it is not on the list."""
    lines: list[CommandLine] = []
    for written in command.split("\n"):
        text = written.strip()
        if text and not text.startswith("#"):
            line = parse(text, project.root, values.pattern, values.fill_word)
            if line is None:
                return None
            lines.append(line)
    if not lines:
        return None

    output = ""
    for line in lines:
        outcome = run(line, project)
        output += harmless(outcome.complaint)
        output += outcome.output if outcome.is_context else harmless(outcome.output)
    # As in a shell, the last line says how it ended.
    if not outcome.code:
        return Carried(command, _printed(output))
    why = outcome.complaint.strip().partition("\n")[0]
    why = why or f"it ended with exit code {outcome.code}"
    # Written so that nobody who reads it carries it out.
    short = " ".join(command.split())[:200], " ".join(why.split())[:300]
    note = f"(not available: {short[0]}: {short[1]})".replace("`", "'")
    return Carried(command, harmless(note), why)


def harmless(text: str) -> str:
    """Tags of ours lose their bracket. So does one that only begins at the end: what comes next, of
    another command, could be the rest of it.
    """
    # A colour inside of a tag would hide it from whoever looks for tags.
    clean = cleaned(_TERMINAL.sub("", text))
    safe, _ = escape_boundaries(escape_end(clean))
    return safe


def _printed(text: str) -> str:
    """The whole output of a command, as it stands in the text; cut at the end of a line, with a word
    about it.
    """
    clean = _BLANK_START.sub("", cleaned(_TERMINAL.sub("", text))).rstrip()
    size = characters(clean)
    if size <= MOST:
        return clean or NOTHING
    room = MOST - 100
    start = clean[:room]
    # A character may count as two, so it can still be too much.
    while (over := characters(start) - room) > 0:
        start = start[: len(start) - (over + 1) // 2 - 1]
    end_of_lines = start.rfind("\n") + 1
    start = start[:end_of_lines] if end_of_lines else f"{start}\n"
    return f"{start}(cut here: {size:,} characters, and a client shows {MOST:,})"
