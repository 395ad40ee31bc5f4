"""What is wrong with a skill, by the open standard and by what clients do with it."""

from __future__ import annotations

import re

from director_ctx.base.record import Record
from director_ctx.clients.skills.allowed import own_words, path_in_folder
from director_ctx.clients.skills.arguments import pattern, takes_arguments
from director_ctx.clients.skills.command import NeedsShell, SkillCommand, parse
from director_ctx.clients.skills.injections import ATTACHED, INERT, Injection, attached, find
from director_ctx.clients.skills.injections import MOST as MOST_COMMANDS
from director_ctx.clients.skills.permissions import (
    allowed_prefixes,
    is_covered,
    permission_advice,
    words_of,
)
from director_ctx.clients.skills.printed import MOST
from director_ctx.clients.skills.skill import MOST_NAMES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from director_ctx.clients.skills.skill import Skill

    Findings = Iterator["RuleFinding"]


ERROR = "error"
WARNING = "warning"
NOTE = "note"

LONGEST_NAME = 64
LONGEST_DESCRIPTION = 1024
LONGEST_COMPATIBILITY = 500
MOST_LINES = 500
PORTABLE = ("name", "description", "license", "allowed-tools", "metadata", "compatibility")
"""Keys of the open standard (agentskills.io); a strict validator refuses all others."""
CLAUDE_ONLY = (
    "when_to_use", "argument-hint", "arguments", "disable-model-invocation", "user-invocable", "model", "effort",
    "context", "agent", "background", "paths", "hooks", "disallowed-tools", "shell", "display-name", "default-enabled",
    "fallback",
)  # fmt: skip


class RuleFinding(Record):
    level: str
    line: int
    """In the file, from 1."""
    says: str
    advice: str
    mends: bool = False
    """Whether `--fix` mends it."""


def lint(skill: Skill, size: Callable[[str], int]) -> tuple[RuleFinding, ...]:
    """Everything that is wrong with a skill; `size` tells how many characters a file of the project
    has.
    """
    findings = [
        *_frontmatter(skill),
        *_body(skill),
        *_forms(skill),
        *_commands(skill, size),
    ]
    return tuple(sorted(findings, key=lambda finding: finding.line))


def _frontmatter(skill: Skill) -> Findings:
    if skill.problem:
        yield RuleFinding(
            level=ERROR,
            line=1,
            says=f"{skill.problem}.",
            advice="Begin with ---, name: and description:, then --- again.",
        )
        return
    for says, advice in (*_name(skill), *_texts(skill)):
        yield RuleFinding(
            level=ERROR,
            line=1,
            says=says,
            advice=advice,
        )

    count = len(skill.every_name)
    if count > MOST_NAMES:
        says = f"It names {count:,} arguments."
        yield RuleFinding(
            level=WARNING,
            line=1,
            says=says,
            advice=f"dctx fills in the first {MOST_NAMES}.",
        )
    for key in skill.about:
        if key in CLAUDE_ONLY:
            says = f"`{key}` is a key of Claude Code: a strict validator of the open standard refuses it."
            advice = "Fine for Claude Code alone; leave it out of a portable skill."
            yield RuleFinding(
                level=NOTE,
                line=1,
                says=says,
                advice=advice,
            )
        elif key not in PORTABLE:
            says = f"`{key[:60]}` is not a key of a skill."
            yield RuleFinding(
                level=WARNING,
                line=1,
                says=says,
                advice=f"There are: {', '.join(PORTABLE)}.",
            )


def _name(skill: Skill) -> Iterator[tuple[str, str]]:
    name = skill.about.get("name")
    if not _is_name(name):
        yield (
            "The name is not one of a skill.",
            f"Small letters, digits and single hyphens, at most {LONGEST_NAME} of them, such as {_suggested(skill)}.",
        )
    elif name != skill.name:
        yield (
            f"The name is {name}, but the folder is {skill.name}.",
            "Clients call it by one or the other: make them one.",
        )


def _is_name(name: object) -> bool:
    if not isinstance(name, str) or len(name) > LONGEST_NAME:
        return False
    return re.fullmatch(r"[a-z0-9]+(?:-[a-z0-9]+)*", name) is not None


def _suggested(skill: Skill) -> str:
    words = re.findall(r"[a-z0-9]+", skill.name.casefold())
    name = "-".join(words)[:LONGEST_NAME].strip("-")
    return name or "release-notes"


def _texts(skill: Skill) -> Iterator[tuple[str, str]]:
    text = skill.about.get("description")
    if not isinstance(text, str) or not text.strip():
        yield (
            "There is no description.",
            "Say what it does and when to use it: that is all an agent sees beforehand.",
        )
        return
    if len(text) > LONGEST_DESCRIPTION:
        yield (
            f"The description has {len(text):,} characters; {LONGEST_DESCRIPTION:,} are allowed.",
            "Shorten it.",
        )
    if "<" in text or ">" in text:
        yield (
            "The description has < or > in it.",
            "It stands in a prompt: leave out anything that looks like a tag.",
        )
    if len(str(skill.about.get("compatibility") or "")) > LONGEST_COMPATIBILITY:
        yield f"`compatibility` has more than {LONGEST_COMPATIBILITY} characters.", "Shorten it."


def _body(skill: Skill) -> Findings:
    if not skill.body.strip():
        yield RuleFinding(
            level=WARNING,
            line=skill.first_line,
            says="It has no text.",
            advice="Say what the agent should do.",
        )
    lines = skill.body.count("\n")
    if lines > MOST_LINES:
        says = f"It has {lines:,} lines."
        advice = f"Above {MOST_LINES}, move parts into files beside it."
        yield RuleFinding(
            level=WARNING,
            line=skill.first_line,
            says=says,
            advice=advice,
        )


def _forms(skill: Skill) -> Findings:
    """Injections that no client carries out."""
    for injection in (*find(skill.body), *attached(skill.body)):
        line = _line_of(injection, skill)
        command = injection.command[:80]
        if injection.form in INERT:
            says = f"No client carries out `{command}` ({injection.form}): the agent reads the command instead."
            advice = "Claude Code runs !`command`, the bang before the backticks."
            yield RuleFinding(
                level=ERROR,
                line=line,
                says=says,
                advice=advice,
                mends=True,
            )
        if injection.form == ATTACHED:
            says = (
                f"`{command}` is not carried out: the bang has to stand after a blank or at "
                "the line's start."
            )
            yield RuleFinding(
                level=ERROR,
                line=line,
                says=says,
                advice="Put a blank or a new line before it.",
                mends=True,
            )


def _line_of(injection: Injection, skill: Skill) -> int:
    """In the file, of which the body is only a part."""
    return skill.first_line + injection.line - 1


def _commands(skill: Skill, size: Callable[[str], int]) -> Findings:
    injections = find(skill.body)
    allowed = allowed_prefixes(skill)
    if len(injections) > MOST_COMMANDS:
        says = f"It has {len(injections):,} commands; from here on they were not looked at."
        line = _line_of(injections[MOST_COMMANDS], skill)
        yield RuleFinding(
            level=WARNING,
            line=line,
            says=says,
            advice=f"dctx carries out {MOST_COMMANDS}.",
        )
    for injection in injections[:MOST_COMMANDS]:
        line = _line_of(injection, skill)
        for finding in _command(skill, injection.command, allowed, size):
            yield finding.replace(line=line)


def _command(
    skill: Skill,
    command: str,
    allowed: Sequence[str],
    size: Callable[[str], int],
) -> Findings:
    """What Claude Code does with one command. On which line that is, the caller knows."""
    shown = f"`{' '.join(command.split())[:80]}`"
    without_placeholders = pattern(skill.names).sub("", command)
    left_to_shell = re.sub(r"'[^']*'", "", without_placeholders)
    variable = re.search(r"\$(?!HOME\b)\w+|\$\{\w+\}?|\$\(", left_to_shell)
    if variable:
        says = f"{shown}: Claude Code cannot check {variable[0]} and refuses the skill."
        advice = "Write the value out, or use a placeholder such as ${CLAUDE_PROJECT_DIR}."
        yield RuleFinding(
            level=ERROR,
            line=0,
            says=says,
            advice=advice,
        )
        return

    if takes_arguments(command, skill.names):
        says = f"{shown}: what the user types becomes part of a command line in Claude Code."
        advice = "Put the arguments into the text, and let the command do without them."
        yield RuleFinding(
            level=WARNING,
            line=0,
            says=says,
            advice=advice,
        )
    try:
        lines = parse(command, skill.names)
    except NeedsShell:
        # What only a shell understands can still be covered by `allowed-tools`.
        lines = ()
    if not is_covered(command, lines, allowed):
        says = f"{shown}: Claude Code asks before it runs this, and where nobody answers the skill is refused."
        yield RuleFinding(
            level=WARNING,
            line=0,
            says=says,
            advice=permission_advice(lines),
        )
    yield from _aborts(shown, lines)
    yield from _too_long(shown, lines, size)


def _aborts(shown: str, lines: tuple[SkillCommand, ...]) -> Findings:
    """A command that fails takes the whole skill with it."""
    if not lines or lines[-1].instead is not None:
        return
    last = lines[-1]
    words = words_of(last)
    if words[0] == "cat" and last.head is None:
        says = f"{shown}: where the file is missing, Claude Code refuses the whole skill."
        yield RuleFinding(
            level=WARNING,
            line=0,
            says=says,
            advice="End it with 2>/dev/null || true.",
            mends=True,
        )
    elif own_words(words) and "--inject" not in words:
        says = f"{shown}: where it fails, Claude Code refuses the whole skill."
        advice = "Add --inject: it then always ends well, and says what is wrong."
        yield RuleFinding(
            level=WARNING,
            line=0,
            says=says,
            advice=advice,
        )


def _too_long(
    shown: str,
    lines: tuple[SkillCommand, ...],
    size: Callable[[str], int],
) -> Findings:
    for line in lines:
        name, *paths = words_of(line)
        if name != "cat" or line.head is not None:
            continue
        total = 0
        for path in paths:
            below = path_in_folder(path, "")
            if below:
                total += size(below)
        if total > MOST:
            says = f"{shown} prints {total:,} characters: Claude Code shows the first 2,000 of more than {MOST:,}."
            advice = "Print less: `| head -N`, or `dctx assemble … --inject`."
            yield RuleFinding(
                level=WARNING,
                line=0,
                says=says,
                advice=advice,
            )
