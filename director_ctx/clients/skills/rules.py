"""What is wrong with a skill, by the open standard and by what clients do with it, and what of that
can be mended.
"""

from __future__ import annotations

import re

from director_ctx.base.record import Record
from director_ctx.clients.skills.allowed import own_words, place_in_folder
from director_ctx.clients.skills.arguments import pattern, takes_arguments
from director_ctx.clients.skills.command import Line, NeedsShell, parse
from director_ctx.clients.skills.injections import ATTACHED, BLOCK, INERT, Injection, attached, find
from director_ctx.clients.skills.injections import MOST as MOST_COMMANDS
from director_ctx.clients.skills.printed import MOST
from director_ctx.clients.skills.skill import MOST_NAMES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from director_ctx.clients.skills.skill import Skill

    Findings = Iterator["Finding"]


ERROR, WARNING, NOTE = "error", "warning", "note"
LONGEST_NAME, LONGEST_DESCRIPTION, LONGEST_COMPATIBILITY, MOST_LINES = 64, 1024, 500, 500
PORTABLE = ("name", "description", "license", "allowed-tools", "metadata", "compatibility")
"""Keys of the open standard (agentskills.io); a strict validator refuses all others."""
CLAUDE_ONLY = (
    "when_to_use", "argument-hint", "arguments", "disable-model-invocation", "user-invocable", "model", "effort",
    "context", "agent", "background", "paths", "hooks", "disallowed-tools", "shell", "display-name", "default-enabled",
    "fallback",
)  # fmt: skip
READ_ONLY = (
    "cat",
    "ls",
    "echo",
    "head",
    "tail",
    "wc",
    "pwd",
    "date",
    "find",
    "grep",
    "which",
    "git",
)
"""What Claude Code runs in a skill without being told to in `allowed-tools`, where it only reads.
"""


_GIT_READS = (["log"], ["diff"], ["status"], ["show"], ["branch"])


class Finding(Record):
    level: str
    line: int
    """In the file, from 1."""
    says: str
    advice: str
    mends: bool = False
    """Whether `--fix` mends it."""


def lint(skill: Skill, size: Callable[[str], int]) -> tuple[Finding, ...]:
    """Everything that is wrong with a skill; `size` tells how many characters a file of the project
    has.
    """
    found = [*_frontmatter(skill), *_body(skill), *_forms(skill), *_commands(skill, size)]
    return tuple(sorted(found, key=lambda one: one.line))


def _frontmatter(skill: Skill) -> Findings:
    if skill.problem:
        yield Finding(
            ERROR, 1, f"{skill.problem}.", "Begin with ---, name: and description:, then --- again."
        )
        return
    yield from (Finding(ERROR, 1, says, advice) for says, advice in (*_name(skill), *_texts(skill)))
    if (count := len(skill.every_name)) > MOST_NAMES:
        yield Finding(
            WARNING, 1, f"It names {count:,} arguments.", f"dctx fills in the first {MOST_NAMES}."
        )
    for key in skill.about:
        if key in CLAUDE_ONLY:
            says = f"`{key}` is a key of Claude Code: a strict validator of the open standard refuses it."
            yield Finding(
                NOTE, 1, says, "Fine for Claude Code alone; leave it out of a portable skill."
            )
        elif key not in PORTABLE:
            yield Finding(
                WARNING,
                1,
                f"`{key[:60]}` is not a key of a skill.",
                f"There are: {', '.join(PORTABLE)}.",
            )


def _name(skill: Skill) -> Iterator[tuple[str, str]]:
    name = skill.about.get("name")
    if (
        not isinstance(name, str)
        or not re.fullmatch(r"[a-z0-9]+(?:-[a-z0-9]+)*", name)
        or len(name) > LONGEST_NAME
    ):
        yield (
            "The name is not one of a skill.",
            f"Small letters, digits and single hyphens, at most {LONGEST_NAME} of them, such as {_suggested(skill)}.",
        )
    elif name != skill.name:
        yield (
            f"The name is {name}, but the folder is {skill.name}.",
            "Clients call it by one or the other: make them one.",
        )


def _suggested(skill: Skill) -> str:
    return (
        "-".join(re.findall(r"[a-z0-9]+", skill.name.casefold()))[:LONGEST_NAME].strip("-")
        or "release-notes"
    )


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
    lines = skill.body.count("\n")
    if not skill.body.strip():
        yield Finding(WARNING, skill.first_line, "It has no text.", "Say what the agent should do.")
    if lines > MOST_LINES:
        yield Finding(
            WARNING,
            skill.first_line,
            f"It has {lines:,} lines.",
            f"Above {MOST_LINES}, move parts into files beside it.",
        )


def _forms(skill: Skill) -> Findings:
    """Injections that no client carries out."""
    for one in (*find(skill.body), *attached(skill.body)):
        line = skill.first_line + one.line - 1
        if one.form in INERT:
            says = f"No client carries out `{one.command[:80]}` ({one.form}): the agent reads the command instead."
            yield Finding(
                ERROR,
                line,
                says,
                "Claude Code runs !`command`, the bang before the backticks.",
                True,
            )
        if one.form == ATTACHED:
            says = (
                f"`{one.command[:80]}` is not carried out: the bang has to stand after a blank or at "
                "the line's start."
            )
            yield Finding(ERROR, line, says, "Put a blank or a new line before it.", True)


def _commands(skill: Skill, size: Callable[[str], int]) -> Findings:
    found, allowed = find(skill.body), _prefixes(skill)
    if len(found) > MOST_COMMANDS:
        says = f"It has {len(found):,} commands; from here on they were not looked at."
        line = skill.first_line + found[MOST_COMMANDS].line - 1
        yield Finding(WARNING, line, says, f"dctx carries out {MOST_COMMANDS}.")
    for one in found[:MOST_COMMANDS]:
        line = skill.first_line + one.line - 1
        yield from (finding.replace(line=line) for finding in _command(skill, one, allowed, size))


def _command(
    skill: Skill, one: Injection, allowed: Sequence[str], size: Callable[[str], int]
) -> Findings:
    """What Claude Code does with one command."""
    shown = f"`{' '.join(one.command.split())[:80]}`"
    left = re.sub(r"'[^']*'", "", pattern(skill.names).sub("", one.command))
    if variable := re.search(r"\$(?!HOME\b)\w+|\$\{\w+\}?|\$\(", left):
        says = f"{shown}: Claude Code cannot check {variable[0]} and refuses the skill."
        yield Finding(
            ERROR,
            0,
            says,
            "Write the value out, or use a placeholder such as ${CLAUDE_PROJECT_DIR}.",
        )
        return
    if takes_arguments(one.command, skill.names):
        says = f"{shown}: what the user types becomes part of a command line in Claude Code."
        yield Finding(
            WARNING,
            0,
            says,
            "Put the arguments into the text, and let the command do without them.",
        )
    try:
        lines = parse(one.command, skill.names)
    except NeedsShell:
        lines = ()
    if not _covered(one.command, lines, allowed):
        says = f"{shown}: Claude Code asks before it runs this, and where nobody answers the skill is refused."
        yield Finding(WARNING, 0, says, _permission(lines))
    yield from _aborts(shown, lines)
    yield from _too_long(shown, lines, size)


def _aborts(shown: str, lines: tuple[Line, ...]) -> Findings:
    """A command that fails takes the whole skill with it."""
    for line in lines[-1:]:
        words = _words(line)
        if line.instead is None and line.head is None and words[0] == "cat":
            says = f"{shown}: where the file is missing, Claude Code refuses the whole skill."
            yield Finding(WARNING, 0, says, "End it with 2>/dev/null || true.", True)
        elif line.instead is None and own_words(words) and "--inject" not in words:
            says = f"{shown}: where it fails, Claude Code refuses the whole skill."
            yield Finding(
                WARNING, 0, says, "Add --inject: it then always ends well, and says what is wrong."
            )


def _too_long(shown: str, lines: tuple[Line, ...], size: Callable[[str], int]) -> Findings:
    for line in lines:
        words = _words(line)
        places = (
            [place_in_folder(word, "") for word in words[1:]]
            if words[0] == "cat" and line.head is None
            else []
        )
        total = sum(size(place) for place in places if place)
        if total > MOST:
            says = f"{shown} prints {total:,} characters: Claude Code shows the first 2,000 of more than {MOST:,}."
            yield Finding(
                WARNING, 0, says, "Print less: `| head -N`, or `dctx assemble … --inject`."
            )


def _words(line: Line) -> list[str]:
    return ["".join(piece.text for piece in word.pieces) for word in line.words]


def _permission(lines: tuple[Line, ...]) -> str:
    """Only for what reads: leave for anything else is not to be had by following advice."""
    every = [_words(line) for line in lines]
    if every and all(_reads(words) or own_words(words) for words in every):
        return f"Add it to allowed-tools: {', '.join(dict.fromkeys(_prefix(words) for words in every))}."
    return (
        "May it really run each time, unseen? Otherwise let the text say when to run it: then the agent asks first. "
        "What allowed-tools allows is allowed with any words behind it."
    )


def _prefix(words: list[str]) -> str:
    """`Bash(git log *)`, `Bash(dctx *)`: as much as says what it is."""
    module = words.index("director_ctx") + 1 if "director_ctx" in words[:4] else 1
    many = 2 if words[0] == "git" else module
    return f"Bash({' '.join(words[:many])} *)"


def _reads(words: list[str]) -> bool:
    return words[0] in READ_ONLY and (words[0] != "git" or words[1:2] in _GIT_READS)


def _covered(command: str, lines: tuple[Line, ...], allowed: Sequence[str]) -> bool:
    """Whether Claude Code runs it without asking: it only reads, or `allowed-tools` begins like it."""
    if lines and all(_reads(_words(line)) for line in lines):
        return True
    return any(
        not prefix or command == prefix or command.startswith(f"{prefix} ") for prefix in allowed
    )


def _prefixes(skill: Skill) -> list[str]:
    """How commands begin that `allowed-tools` has; `Bash` alone has all."""
    given = skill.about.get("allowed-tools") or ""
    _, *tools = (" ".join(map(str, given)) if isinstance(given, list) else str(given)).split("Bash")
    inside = [
        tool[1:].partition(")")[0] if tool[:1] == "(" and ")" in tool else "" for tool in tools
    ]
    return [text.strip().removesuffix("*").rstrip().removesuffix(":").strip() for text in inside]


def mended(body: str, names: Sequence[str] = ()) -> str:
    """Only the characters of the injections change."""
    edits = [one for one in (*find(body), *attached(body)) if one.form != BLOCK]
    pieces, at = list[str](), 0
    for one in sorted(edits, key=lambda one: one.start):
        if one.start >= at:
            pieces += [body[at : one.start], _written(one, body, names)]
            at = one.end
    return "".join((*pieces, body[at:]))


def _written(one: Injection, body: str, names: Sequence[str]) -> str:
    before = body[one.start - 1 : one.start]
    apart = " " if one.form == ATTACHED or (before and not before.isspace()) else ""
    return f"{apart}!`{one.command}{_end(one.command, names)}`"


def _end(command: str, names: Sequence[str]) -> str:
    """What a `cat` lacks, so that a missing file does not end it, and with it the skill."""
    try:
        last = parse(command, names)[-1]
    except NeedsShell:
        return ""
    if last.words[0].pieces[0].text != "cat" or last.instead is not None or last.head is not None:
        return ""
    return " || true" if last.quiet else " 2>/dev/null || true"
