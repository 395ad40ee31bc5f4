"""Every command, with words that it may be given."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from hypothesis import strategies as st

from director_ctx.doors.cli.shared.menu import commands
from director_ctx.doors.cli.shared.options import FLAG, Command, Option

COMMANDS = commands()


POOLS = {
    "skill": ("build", "Brainstorm", "inspct", ""),
    "only": ("vision", "task,codebase", "nope"),
    "agent": ("builder", "planner", "Director:director-debugger", "mapper", "nobody", ""),
    "task": ("3", "2/1/3", "Goal 2 > Step 1 > Task 4", "page", "99", ""),
    "goal": ("1", "2", "9", "worth"),
    "step": ("1", "2", "who", "1/2"),
    "codebase": ("all", "none", "STACK,TESTING", "summary", "nope"),
    "research": ("all", "summary", "stack"),
    "with_": ("gameplan", "state", "nope", "vision,research"),
    "without": ("vision", "recent", "instructions", "nope"),
    "ref": ("terminology", "README.md", "nowhere.md"),
    "issues": ("-", "README.md", "nowhere.md"),
    "changes": ("HEAD~2", "nowhere", "-p"),
    "model": ("gpt-5", "claude-opus-4-1", "abacus"),
    "window": ("200k", "8000", "none"),
    "budget": ("30%", "0.2", "900", "12k", "30", "none"),
    "format": ("xml", "json", "markdown", "pdf"),
    "layout": ("tags", "cache", "odd"),
    "input": ("focus=tech", "domain=stack", "mode=odd", "odd"),
    "output": ("out.xml", ".", "no/such/folder/out.xml"),
    "root": (".", "nowhere"),
}


JUNK = (
    "--", "-", "-x", "--nope", "--nope=1", "-h=1", "extra", "--json=1", "-t3", "-t=3", "--tas", "", "--raw=yes",
)  # fmt: skip


def pieces_of(
    command: Command, pool: Callable[[str], tuple[str, ...]]
) -> st.SearchStrategy[list[str]]:
    """One option or argument of a command, in one of the forms in which it can be given."""
    strategies = [
        st.sampled_from(pool(argument.name)).map(lambda word: [word])
        for argument in command.arguments
    ]
    strategies += [option_words(option, pool(option.name)) for option in command.every_option]
    return st.one_of(strategies)


def option_words(option: Option, pool: tuple[str, ...]) -> st.SearchStrategy[list[str]]:
    flags = st.sampled_from(option.flags)
    if option.kind == FLAG:
        return flags.map(lambda flag: [flag])
    both = st.tuples(flags, st.sampled_from(pool))
    return both.map(lambda pair: [*pair]) | both.map(lambda pair: ["=".join(pair)])


def flat(pieces: Iterable[list[str]]) -> list[str]:
    return [word for piece in pieces for word in piece]


def lines_of(
    pool: Callable[[str], tuple[str, ...]],
    junk: tuple[str, ...],
    chosen: Sequence[Command] = COMMANDS,
) -> st.SearchStrategy[list[str]]:
    """Whole command lines; an argument first in most, so that many of them are complete."""

    def build(command: Command) -> st.SearchStrategy[list[str]]:
        start = [
            st.sampled_from(pool(argument.name)).map(lambda word: [word])
            for argument in command.arguments
        ]
        wrong = st.sampled_from(junk or ("",)).map(lambda word: [word])
        middle = st.lists(pieces_of(command, pool), max_size=5)
        tail = st.lists(wrong, max_size=1 if junk else 0)
        parts = st.tuples(*start, middle.map(flat), tail.map(flat))
        return parts.map(lambda words: [*command.name.split(), *flat(words)])

    return st.sampled_from(chosen).flatmap(build)


WRITE = ("init", "add", "task", "doctor")
"""First words of the commands that change the folder, or say what time it is."""


REMEMBER = (
    "plan update", "plan set", "plan restore", "vars set", "vars clear", "store import", "store migrate",
)  # fmt: skip
"""Once more is not the same again, and what they write stays for the next test."""


ELSEWHERE = (
    *("setup", "demo", "hook", "agents", "skill", "browser"),
    *("mcp", "ui"),
)
"""First words of the commands that read or write outside the folder, or serve until somebody ends them:
a second time they may well answer another way.
"""
