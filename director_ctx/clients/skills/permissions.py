"""What Claude Code runs in a skill without asking, by what a command does and by `allowed-tools`."""

from __future__ import annotations

from director_ctx.clients.skills.allowed import own_words
from director_ctx.clients.skills.command import SkillCommand, literal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.clients.skills.skill import Skill

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


_GIT_READS = ("log", "diff", "status", "show", "branch")


def words_of(line: SkillCommand) -> list[str]:
    return [literal(word) for word in line.words]


def permission_advice(lines: tuple[SkillCommand, ...]) -> str:
    """Only for what reads: leave for anything else is not to be had by following advice."""
    commands = [words_of(line) for line in lines]
    only_reads = all(_reads(words) or own_words(words) for words in commands)
    if commands and only_reads:
        prefixes = dict.fromkeys(_prefix(words) for words in commands)
        return f"Add it to allowed-tools: {', '.join(prefixes)}."
    return (
        "May it really run each time, unseen? Otherwise let the text say when to run it: then the agent asks first. "
        "What allowed-tools allows is allowed with any words behind it."
    )


def _prefix(words: list[str]) -> str:
    """`Bash(git log *)`, `Bash(dctx *)`: as much as says what it is."""
    count = 1
    if words[0] == "git":
        # `git` alone would allow what writes, too.
        count = 2
    elif "director_ctx" in words[:4]:
        count = words.index("director_ctx") + 1
    return f"Bash({' '.join(words[:count])} *)"


def _reads(words: list[str]) -> bool:
    if words[0] == "git":
        return len(words) > 1 and words[1] in _GIT_READS
    return words[0] in READ_ONLY


def is_covered(
    command: str,
    lines: tuple[SkillCommand, ...],
    allowed: Sequence[str],
) -> bool:
    """Whether Claude Code runs it without asking: it only reads, or `allowed-tools` begins like it."""
    only_reads = all(_reads(words_of(line)) for line in lines)
    if lines and only_reads:
        return True
    return any(_begins(command, prefix) for prefix in allowed)


def _begins(command: str, prefix: str) -> bool:
    if not prefix or command == prefix:
        return True
    return command.startswith(f"{prefix} ")


def allowed_prefixes(skill: Skill) -> list[str]:
    """How commands begin that `allowed-tools` has; `Bash` alone has all."""
    tools = skill.about.get("allowed-tools") or ""
    if isinstance(tools, list):
        text = " ".join(map(str, tools))
    else:
        text = str(tools)

    prefixes: list[str] = []
    _, *behind_bash = text.split("Bash")
    for rest in behind_bash:
        inside = ""
        if rest.startswith("("):
            before, closing, _ = rest[1:].partition(")")
            if closing:
                inside = before
        # Both `Bash(git log *)` and `Bash(git log:*)` are written.
        prefix = inside.strip().removesuffix("*").rstrip()
        prefixes.append(prefix.removesuffix(":").strip())
    return prefixes
