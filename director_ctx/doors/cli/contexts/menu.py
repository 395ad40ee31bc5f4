"""Commands that look at the project and make contexts."""

from __future__ import annotations

from director_ctx.doors.cli.shared.options import (
    COUNTER,
    FLAG,
    JSON,
    LIST,
    Argument,
    Command,
    Option,
    grouped,
)

# The options that shape a context. Each is a keyword of `assemble()` under its first word, except
# --counter and --input.
_FIRST = (
    Option(
        "task",
        ("--task", "-t"),
        "The task: 3, 2/3, 1/2/3, 'Goal 1 > Step 2 > Task 3', a slug, part of a title, a path. Default: the next task.",
        metavar="TASK",
        complete="task",
    ),
    Option(
        "skill",
        ("--skill",),
        "Instead of an agent: a skill, which says itself what to do (build, blueprint, brainstorm, pivot, inspect).",
        metavar="NAME",
        complete="skill-profile",
    ),
    Option(
        "quick", ("--quick",), "A small task that has no file: the request itself.", metavar="TEXT"
    ),
    Option(
        "note", ("--note",), "A note to the agent, at the end of its instructions.", metavar="TEXT"
    ),
    Option(
        "model",
        ("--model", "-m"),
        "The model whose window counts.",
        metavar="MODEL",
        complete="model",
    ),
    Option(
        "budget",
        ("--budget", "-b"),
        "A share of the window (30%, 0.3) or tokens (12000, 12k). Default: 30%.",
        metavar="BUDGET",
    ),
)
"""What people reach for first; with the options of a command's own it makes about ten."""
_MORE = (
    *grouped(
        "Which goal and step",
        Option(
            "goal",
            ("--goal", "-g"),
            "The goal, by number, slug or part of its title.",
            metavar="GOAL",
            complete="goal",
        ),
        Option(
            "step",
            ("--step", "-s"),
            "The step, by number, slug or part of its title.",
            metavar="STEP",
            complete="step",
        ),
    ),
    *grouped(
        "What goes in",
        Option(
            "codebase",
            ("--codebase",),
            "Codebase notes to include: names such as STACK,TESTING, or all, none, summary.",
            LIST,
            "FILES",
        ),
        Option(
            "research",
            ("--research",),
            "Research notes to include: names such as STACK,PITFALLS, or all, none, summary.",
            LIST,
            "FILES",
        ),
        # Behind its name a dash below, because `with` is a word of Python.
        Option(
            "with_",
            ("--with",),
            "Add a tag that the profile leaves out.",
            LIST,
            "TAG",
            complete="tag",
        ),
        Option(
            "without",
            ("--without",),
            "Leave out a tag that the profile has.",
            LIST,
            "TAG",
            complete="tag",
        ),
        Option(
            "ref",
            ("--ref",),
            "Put a reference document into the context; may be given several times.",
            LIST,
            "FILE",
        ),
        Option(
            "changes",
            ("--changes",),
            "Commit subjects and changed files since a revision; never the diff.",
            metavar="REV",
        ),
        Option(
            "raw",
            ("--raw",),
            "Documents and commits as they are: no tag in them escaped, no commit left out or reworded.",
            FLAG,
        ),
    ),
    *grouped(
        "For some agents",
        Option(
            "question", ("--question",), "For the researcher: what to find out.", metavar="TEXT"
        ),
        Option(
            "issues",
            ("--issues",),
            "For the debugger: a file with the issues to fix, or - for standard input.",
            metavar="FILE",
        ),
        Option(
            "input",
            ("--input",),
            "focus=tech (or arch, quality, concerns) for the mappers, domain=stack (or features, architecture, pitfalls) for the "
            "deep researcher, mode=research (or codebase) for the synthesizer, attempt=2 for the debugger.",
            LIST,
            "NAME=VALUE",
            complete="input",
        ),
    ),
    *grouped(
        "Budget",
        Option(
            "window", ("--window",), "The window in tokens, such as 200000 or 200k.", metavar="N"
        ),
        COUNTER,
    ),
)
_LAYOUT = Option(
    "layout", ("--layout",),
    "tags; cache: tags, what changes least first; parts: numbered; pull: a short prompt that names the tools to ask by; pull-seed: the same with those of "
    "`dctx mcp --tools seed`. Default: the profile's.",
    metavar="NAME", values=("tags", "cache", "parts", "pull", "pull-seed"),
)  # fmt: skip
_AGENT = Argument(
    "agent",
    "The agent: builder (the default), planner, verifier ... (`dctx profiles` lists them).",
    complete="agent",
)

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
            *_FIRST,
            Option("output", ("--output", "-o"), "Write to a file instead.", metavar="FILE"),
            Option("explain", ("--explain",), "Say on stderr what is in, what was cut or left out, and why.", FLAG),
            *_MORE,
            *grouped(
                "Output",
                Option("format", ("--format", "-f"), "xml, json, markdown or messages (role and content).", metavar="FORMAT", values=("xml", "json", "markdown", "messages")),
                _LAYOUT,
                Option("only", ("--only",), "Print only these sections of the context.", LIST, "TAG", complete="tag"),
                Option("strict", ("--strict",), "Print nothing and exit 4 if the budget cannot be kept or a document is lacking.", FLAG),
                Option("no_record", ("--no-record",), "Leave this context out of the run record.", FLAG),
                Option("part", ("--part",), "With --inject: one part of a context that is divided over so many, such as 2/3.", metavar="N/M"),
            ),
        ),
        (_AGENT,),
        ("dctx assemble builder --task 3 | claude -p", "dctx assemble planner --explain",
         "dctx assemble debugger --issues report.md --changes HEAD~3", "dctx assemble builder --quick 'Fix the footer link'",
         "dctx assemble builder --model gpt-5 --budget 12k --format json", "dctx assemble --skill brainstorm --inject"),
    ),
    Command(
        "budget", "Show where the tokens of a context go.", "budget",
        (
            *_FIRST,
            Option("all", ("--all",), "Every agent at once.", FLAG),
            Option("history", ("--history",), "How the contexts grew that were assembled, newest last.", FLAG),
            Option("what_if", ("--what-if",), "The smallest window in which nothing is cut, and what goes at other windows.", FLAG),
            JSON,
            *_MORE,
            *grouped("Output", _LAYOUT),
        ),
        (_AGENT,),
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
