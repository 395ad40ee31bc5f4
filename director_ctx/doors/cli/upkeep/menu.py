"""Commands that keep the folder true."""

from __future__ import annotations

from director_ctx.doors.cli.shared.options import (
    DRY_RUN,
    FLAG,
    JSON,
    YES,
    Argument,
    Command,
    Option,
)

_REF = Argument(
    "task",
    "The task: 3, 2/3, 1/2/3, a slug, part of a title, or a path.",
    required=True,
    complete="task",
)
_UNIT = Argument(
    "ref",
    "A goal, step or task: 'goal 2', 2/1 or 2/1/3; also a task by whole words of its name.",
    required=True,
    complete="task",
)
_WHERE = "Default: the one that was added to or worked on last, else the current one."

COMMANDS: tuple[Command, ...] = (
    Command(
        "add", "Add a goal, step, task or idea, or a whole outline.", "add",
        (
            Option("about", ("--about",), "One sentence on what it delivers.", metavar="TEXT"),
            Option("needs", ("--needs",), "What a step or task needs first, such as 'Step 1'. Default: what comes before it.", metavar="TEXT"),
            Option("goal", ("--goal", "-g"), f"The goal that a step or task belongs to. {_WHERE}", metavar="GOAL", complete="goal"),
            Option("step", ("--step", "-s"), f"The step that a task belongs to. {_WHERE}", metavar="STEP", complete="step"),
            Option("size", ("--size",), "Of a task: small, medium or large.", metavar="SIZE", values=("small", "medium", "large")),
            Option("outline", ("--from",), "An outline in Markdown (# Goal, ## Step, - [ ] task), or - for standard input.", metavar="FILE"),
            DRY_RUN.replace(help="With --from: only show what would be added."),
            YES.replace(help="Add an outline without asking."),
            JSON,
        ),
        (
            Argument("kind", "goal, step, task or idea.", complete="addable"),
            Argument("title", "Its name, or the text of an idea, in quotes.", many=True),
        ),
        (
            "dctx add task 'Mark a link as read'", "dctx add task 'Show only unread' --step 1/2 --size small",
            "dctx add step 'Sorting links' --goal 1 --needs 'Step 1'", "dctx add goal Sharing --about 'Friends read the same list'",
            "dctx add idea 'Send the list by mail on Sundays'", "dctx add --from outline.md --dry-run",
        ),
    ),
    Command(
        "task show", "Show one task: its file, where it stands, and whether it can start.", "task",
        (JSON,), (_REF,), ("dctx task show 3", "dctx task show 1/2/1 --json | jq -r .path"), call="show",
    ),
    Command(
        "task start", "Take a task, so that nobody else is given it; again to keep it for longer.", "task",
        (
            Option("claim", ("--claim",), "The id of the claim that you have already.", metavar="ID"),
            Option("agent", ("--agent",), "What you are called. Default: the user.", metavar="NAME"),
            JSON,
        ),
        (_REF.replace(complete="task-to-do"),),
        ("dctx task start 3", "dctx task start 2/1/3 --agent builder-2 --json | jq -r .claim"),
        call="begin",
    ),
    Command(
        "task stop", "Give a task back that is in progress, whoever has it.", "task",
        (JSON,), (_REF.replace(complete="task-to-do"),), ("dctx task stop 3",), call="stop",
    ),
    Command(
        "task done", "Mark a task done: rename its file, and bring every record in line.", "task",
        (
            Option("undo", ("--undo",), "Open a finished task again.", FLAG),
            Option("write_back", ("--write-back",), "Mark it done in the plan of another tool that it came from, too: one box or word.", FLAG),
            JSON,
        ),
        (_REF.replace(complete="task-to-do"),),
        ("dctx task done 3", "dctx task done 1/2/1", "dctx task done 1/2/1 --undo"),
        call="done",
    ),
    Command(
        "task remove", "Take a goal, step or task out of the plan; its files are kept in the archive.", "arrange",
        (DRY_RUN, YES, JSON), (_UNIT,),
        ("dctx task remove 2/1/3", "dctx task remove 2/1 --dry-run", "dctx task remove 'goal 2'"), call="remove",
    ),
    Command(
        "task move", "Move or rename a goal, step or task; numbers, lists, records and Needs First follow.", "arrange",
        (
            Option("to", ("--to",), "The step that a task goes into, or the goal of a step, such as 2/1.", metavar="REF"),
            Option("before", ("--before",), "Before this one.", metavar="REF"),
            Option("after", ("--after",), "After this one. Default: behind all others.", metavar="REF"),
            Option("title", ("--title",), "Give it this name: in its file, on disk, and where it is listed.", metavar="NEW"),
            DRY_RUN, JSON,
        ),
        (_UNIT,),
        ("dctx task move 2/1/4 --before 2/1/2", "dctx task move 2/1/4 --to 2/2", "dctx task move 2/1 --to 1", "dctx task move 2/1/3 --title 'A page for everybody'"),
        call="move",
    ),
    Command(
        "doctor", "List what disagrees or is odd in the folder (then exit 1), and what is worth checking.",
        "doctor",
        (
            Option("fix", ("--fix",), "Repair what can be repaired safely, the records in STATE, GAMEPLAN, GOAL and STEP too; tell what is left. Of a conversation: print it mended.", FLAG),
            Option("dry_run", ("--dry-run", "-n"), "With --fix: show the changes and make none.", FLAG),
            Option("stale", ("--stale",), "Show what notes describe that changed since; also exit 1 if there is one, or if that is not known.", FLAG),
            Option("verbose", ("--verbose", "-v"), "Show every place, and all that is known of it.", FLAG),
            JSON,
        ),
        (Argument("conversation", "Instead of the folder a conversation, and what a provider would reject in it: a file, a session by the start of its id, or - for standard input.", complete="session"),),
        ("dctx doctor", "dctx doctor --fix --dry-run", "dctx doctor --fix", "dctx doctor --stale --json | jq .stale_notes",
         "dctx doctor messages.json --fix > mended.json"),
    ),
)  # fmt: skip
