"""Commands for what a project remembers: its plan, variables, snapshot, and the store that holds
them.
"""

from __future__ import annotations

from director_ctx.doors.cli.shared.options import (
    DRY_RUN,
    FLAG,
    JSON,
    READS,
    WRITES,
    YES,
    Argument,
    Command,
    Option,
)

_REASON = Option(
    "reason", ("--reason", "-r"), "Why; the reason is kept with the change.", metavar="TEXT"
)
_LAST = Option("last", ("--last",), "", metavar="N")
_NAME = Argument("name", "The variable, such as node7.emails.", complete="variable")

_PLAN = (
    Command(
        "plan show", "Show the plan, its versions, or what changed between two of them.", "plan",
        (
            Option("versions", ("--versions",), "List the versions, and why each was made.", FLAG),
            _LAST.replace(help="With --versions: only the newest N."),
            Option("diff", ("--diff",), "Show what VERSION changed, or with OLD..NEW what changed between the two.", FLAG),
            Option("markdown", ("--markdown",), "As Markdown, with boxes.", FLAG),
            Option("schema", ("--schema",), "Print the JSON Schema of a plan instead.", FLAG), JSON,
        ),
        (Argument("version", "An earlier version. Default: the current one."),),
        ("dctx plan show", "dctx plan show 2", "dctx plan show --json | jq .current_phase", "dctx plan show --markdown > PLAN.md",
         "dctx plan show --versions --last 5", "dctx plan show --diff", "dctx plan show 3..5 --diff"),
        call="show", store=READS,
    ),
    Command(
        "plan update", "Replace the plan; the old one stays as an earlier version.", "plan",
        (
            _REASON,
            Option("expect", ("--expect-version",), "Refuse if the plan is not at this version any more.", metavar="N"),
            JSON,
        ),
        (Argument("file", "The whole plan as JSON, or - for standard input.", required=True),),
        ("dctx plan update plan.json --reason 'Login works, extraction is next'",
         "dctx plan show --json | jq '.blockers += [\"no API key\"]' | dctx plan update - --reason 'Blocked'"),
        call="update", store=WRITES,
    ),
    Command(
        "plan set", "Set the status of one task: pending, in_progress, completed or failed.", "plan",
        (Option("note", ("--note",), "What was found or done; it replaces the task's notes.", metavar="TEXT"), _REASON, JSON),
        (Argument("task", "The task's id.", required=True, complete="plan-task"),
         Argument("status", "pending, in_progress, completed or failed.", required=True, complete="plan-status")),
        ("dctx plan set 3 completed", "dctx plan set 3 failed --note 'The selector is gone'"),
        call="set_status", store=WRITES,
    ),
    Command(
        "plan restore", "Make an earlier version the current one again, as a new version.", "plan",
        (_REASON, JSON), (Argument("version", "The version to go back to.", required=True),),
        ("dctx plan restore 3 --reason 'The split was a mistake'",), call="restore", store=WRITES,
    ),
)  # fmt: skip
_VARS = (
    Command(
        "vars show", "Show every variable in a line, one in full, or how they changed.", "vars",
        (
            Option("node", ("--node",), "Only variables of one node, such as 7 for node7.emails.", metavar="N"),
            Option("history", ("--history",), "List the changes, and why each was made.", FLAG),
            _LAST.replace(help="With --history: only the newest N."),
            Option("reveal", ("--reveal",), "Show hidden values too.", FLAG), JSON,
        ),
        (_NAME,),
        ("dctx vars show", "dctx vars show node7.emails", "dctx vars show gmail_creds --reveal", "dctx vars show --node 7 --json",
         "dctx vars show node7.emails --history --last 5"),
        call="show", store=READS,
    ),
    Command(
        "vars set", "Set a variable.", "vars",
        (
            _REASON, Option("secret", ("--secret",), "Hide the value, even if it does not look like a secret.", FLAG),
            Option("string", ("--string",), "Take the value as text, although it looks like JSON.", FLAG), JSON,
        ),
        (_NAME.replace(required=True), Argument("value", "JSON, else a text; - reads standard input.", required=True)),
        ("dctx vars set test_email debug@test.com --reason 'Try the login flow'",
         "dctx vars set node7.emails '[]' --reason 'Extract again'", "dctx vars set api_token - --reason 'New key' < token.txt"),
        call="put", store=WRITES,
    ),
    Command(
        "vars clear", "Clear one variable, or all of them.", "vars",
        (_REASON, Option("all", ("--all",), "Every variable.", FLAG), YES.replace(help="With --all: do not ask."), JSON),
        (_NAME,),
        ("dctx vars clear node7.emails --reason 'Extract again'", "dctx vars clear --all --reason 'A clean run' --yes"),
        call="clear", store=WRITES,
    ),
)  # fmt: skip
_STORE = (
    Command(
        "store show", "Show which store is used, where it is, and what is in it.", "store",
        (JSON,), examples=("dctx store show",), call="show", store=READS,
    ),
    Command(
        "store migrate", "Let this project use a shared store, and make its tables complete; shows what it would do.", "store_migrate",
        (YES, DRY_RUN, JSON), examples=("dctx store migrate --dry-run", "dctx store migrate"),
    ),
    Command(
        "store export", "Write everything that is remembered to a file.", "store",
        (Option("output", ("--output", "-o"), "Write to a file instead.", metavar="FILE"),),
        examples=("dctx store export -o backup.jsonl", "dctx store export | gzip > backup.jsonl.gz"),
        call="export",
    ),
    Command(
        "store import", "Read a file that `store export` wrote; what the store has already stays.", "store",
        (JSON,), (Argument("file", "The file, or - for standard input.", required=True),),
        ("dctx store import backup.jsonl",), call="load", store=WRITES,
    ),
)  # fmt: skip
COMMANDS: tuple[Command, ...] = (*_PLAN, *_VARS, *_STORE)
