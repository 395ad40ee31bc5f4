"""Commands that look at the project and make contexts."""

from __future__ import annotations

from director_ctx.doors.cli.shared.options import (
    AGENT,
    BUDGET,
    CDP,
    FLAG,
    JSON,
    LAYOUT,
    LIST,
    SHAPE,
    SKILL,
    WHICH,
    Argument,
    Command,
    Option,
    grouped,
)

_BY_NAME = {option.name: option for option in (SKILL, *WHICH, *SHAPE, *BUDGET)}
_FIRST = ("task", "skill", "quick", "note", "model", "budget")
_USUAL = tuple(_BY_NAME[name] for name in _FIRST)
"""What people reach for first; with the options of a command's own it makes about ten."""
_TITLES = {
    "Which goal and step": ("goal", "step"),
    "What goes in": (
        "type", "codebase", "research", "with_", "without", "ref", "changes", "all_commits", "compat", "raw",
    ),
    "For some agents": ("focus", "domain", "mode", "question", "issues", "attempt"),
    "Budget": ("window", "counter"),
}  # fmt: skip


def _titled() -> tuple[Option, ...]:
    """The other options, under titles."""
    options: list[Option] = []
    for title, names in _TITLES.items():
        options += grouped(title, *(_BY_NAME[name] for name in names))
        if title == "What goes in":
            options += grouped(title, CDP)
    return tuple(options)


_TITLED = _titled()

COMMANDS: tuple[Command, ...] = (
    Command(
        "status", "Show where the project stands, counted from the files.", "status",
        (
            Option("goal", ("--goal", "-g"), "One goal in detail, down to its tasks.", metavar="GOAL", complete="goal"),
            Option("nodes", ("--nodes",), "Every goal, step and task as a node: what it is and where it stands, without results.", FLAG),
            Option("results", ("--results",), "With --nodes: what came of one node.", metavar="NODE", complete="task"),
            Option("since", ("--since",), "With --nodes: only what changed since a run, as `dctx budget --history` shows it, or since a commit.",
                   metavar="RUN", complete="run"),
            JSON,
        ),
        examples=("dctx status", "dctx status --goal 2", "dctx status --json | jq .current",
                  "dctx status --nodes --json | jq '.nodes[] | select(.status == \"ready\") | .id'",
                  "dctx status --nodes --results 1/2/1", "dctx status --nodes --since r4f2a91"),
    ),
    Command(
        "next", "Show the task to do now, and why. Exit 5: all done; 6: nothing ready or planned.", "next",
        (JSON,),
        examples=("dctx next", "dctx next --json | jq -r .task.path"),
    ),
    Command(
        "ui", "Show the project in a browser, live.", "ui",
        (
            Option("port", ("--port",), "The port: 8379 or a free one where none is named; 0 takes a free one.", metavar="N"),
            Option("no_open", ("--no-open",), "Only print the address, and open no browser.", FLAG),
            Option("read_only", ("--read-only",), "Show, and let nothing be changed.", FLAG),
        ),
        examples=("dctx ui", "dctx ui --port 8000 --no-open", "dctx ui --read-only"),
    ),
    Command(
        "assemble", "Print the context for a fresh agent, or for a skill.", "assemble",
        (
            *_USUAL,
            Option("output", ("--output", "-o"), "Write to a file instead.", metavar="FILE"),
            Option("copy", ("--copy",), "Put the text on the clipboard instead.", FLAG),
            Option("explain", ("--explain",), "Say on stderr what is in, what was cut or left out, and why.", FLAG),
            *_TITLED,
            *grouped(
                "Output",
                Option("format", ("--format", "-f"), "xml, json, markdown or messages (role and content).", metavar="FORMAT", values=("xml", "json", "markdown", "messages")),
                *LAYOUT,
                Option("only", ("--only",), "Print only these sections of the context.", LIST, "TAG", complete="tag"),
                Option("strict", ("--strict",), "Print nothing and exit 4 if the budget cannot be kept or a document is lacking.", FLAG),
                Option("no_record", ("--no-record",), "Leave this context out of the run record.", FLAG),
                Option("part", ("--part",), "With --inject: one part of a context that is divided over so many, such as 2/3.", metavar="N/M"),
            ),
        ),
        (AGENT,),
        ("dctx assemble builder --task 3 | claude -p", "dctx assemble planner --explain",
         "dctx assemble debugger --issues report.md --changes HEAD~3", "dctx assemble builder --quick 'Fix the footer link'",
         "dctx assemble builder --model gpt-5 --budget 12k --format json", "dctx assemble --skill brainstorm --inject"),
    ),
    Command(
        "budget", "Show where the tokens of a context go.", "budget",
        (
            *_USUAL,
            Option("all", ("--all",), "Every agent at once.", FLAG),
            Option("history", ("--history",), "How the contexts grew that were assembled, newest last.", FLAG),
            Option("what_if", ("--what-if",), "The smallest window in which nothing is cut, and what goes at other windows.", FLAG),
            JSON,
            *_TITLED,
            *grouped("Output", *LAYOUT),
        ),
        (AGENT,),
        ("dctx budget builder --task 3", "dctx budget --skill brainstorm", "dctx budget --all", "dctx budget planner --what-if --json", "dctx budget builder --history"),
    ),
    Command(
        "profiles", "Show which agent and which skill gets what, as dctx.yaml takes it.", "profiles",
        (
            Option("types", ("--types",), "The kinds of task: their words and the notes they need.", FLAG),
            Option("ladder", ("--ladder",), "What is shortened first when a context is too large.", FLAG),
            Option("models", ("--models",), "The models that are known, with their windows.", FLAG),
            JSON,
        ),
        (Argument("agent", "An agent or a skill.", complete="profile"),),
        ("dctx profiles", "dctx profiles builder", "dctx profiles brainstorm", "dctx profiles --ladder"),
    ),
)  # fmt: skip
