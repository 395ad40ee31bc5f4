"""What is said of the command line everywhere else, in the words of the tools: whoever calls them may
have no shell.
"""

from __future__ import annotations

_IN_CALLS = (
    ("Run `dctx status` to see the plan.", "`status` shows the goals, and the tasks of one goal."),
    ("`dctx status` shows the plan.", "`status` shows the goals, and the tasks of one goal."),
    ("See `dctx next`, or name a task with --task.", "`status` says what waits for what."),
    ("Name one with --task, or plan the next goal.", "Name a task, or have the next goal planned."),
    ("Name one with --task.", "Name a task."),
    (", or name another task with --task.", ", or name another task."),
    ("--task is empty.", "The task is empty."),
    (", or say --without vision", ""),
    (" --without vision leaves it out.", ""),
    (
        "`dctx assemble interviewer` helps.",
        'context {"agent":"interviewer"} says how to find it out.',
    ),
    (
        "Plan first: `dctx assemble planner` and `dctx add --from FILE` are for that.",
        'Plan first: context {"agent":"planner"} says how.',
    ),
    (
        "`dctx assemble planner` is the context for that",
        'context {"agent":"planner"} says how',
    ),
)


def in_calls(said: str) -> str:
    """A sentence of an error, a hint or a warning."""
    for words, calls in _IN_CALLS:
        said = said.replace(words, calls)
    return said
