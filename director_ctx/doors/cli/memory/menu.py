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
_VERSION = Option(
    "version", ("--version",), "An earlier version. Default: the current one.", metavar="N"
)
_LAST = Option("last", ("--last",), "Only the newest N.", metavar="N")
_NODE = Option(
    "node", ("--node",), "Only variables of one node, such as 7 for node7.emails.", metavar="N"
)
_OUTPUT = Option("output", ("--output", "-o"), "Write to a file instead.", metavar="FILE")
_NAME = Argument("name", "The variable, such as node7.emails.", required=True, complete="variable")

_PLAN = (
    Command(
        "plan show", "Show the plan: phases, tasks and what comes next.", "plan",
        (
            _VERSION, Option("markdown", ("--markdown",), "As Markdown, with boxes.", FLAG),
            Option("schema", ("--schema",), "Print the JSON Schema of a plan instead.", FLAG), JSON,
        ),
        examples=("dctx plan show", "dctx plan show --version 2", "dctx plan show --json | jq .current_phase",
                  "dctx plan show --markdown > PLAN.md"),
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
        "plan history", "List the versions of the plan, and why each was made.", "plan_history",
        (_LAST, JSON), examples=("dctx plan history", "dctx plan history --last 5 --json"), call="history", store=READS,
    ),
    Command(
        "plan diff", "Show what changed between two versions.", "plan_history",
        (JSON,),
        (Argument("old", "A version. Default: the version before the newest."), Argument("new", "The version to compare with. Default: the newest.")),
        ("dctx plan diff", "dctx plan diff 3 5"), call="diff", store=READS,
    ),
    Command(
        "plan restore", "Make an earlier version the current one again, as a new version.", "plan_history",
        (_REASON, JSON), (Argument("version", "The version to go back to.", required=True),),
        ("dctx plan restore 3 --reason 'The split was a mistake'",), call="restore", store=WRITES,
    ),
)  # fmt: skip
_VARS = (
    Command(
        "vars list", "Show every variable in a line, as a context does.", "vars",
        (_NODE, JSON), examples=("dctx vars list", "dctx vars list --node 7"), call="list_variables", store=READS,
    ),
    Command(
        "vars get", "Print a variable in full, or all of them.", "vars",
        (
            Option("all", ("--all",), "Every variable.", FLAG), _NODE,
            Option("reveal", ("--reveal",), "Show hidden values too.", FLAG), JSON,
        ),
        (Argument("name", "The variable, such as node7.emails.", complete="variable"),),
        ("dctx vars get node7.emails", "dctx vars get --all --json", "dctx vars get gmail_creds --reveal"), call="get", store=READS,
    ),
    Command(
        "vars set", "Set a variable.", "vars",
        (
            _REASON, Option("secret", ("--secret",), "Hide the value, even if it does not look like a secret.", FLAG),
            Option("string", ("--string",), "Take the value as text, although it looks like JSON.", FLAG), JSON,
        ),
        (_NAME, Argument("value", "JSON, else a text; - reads standard input.", required=True)),
        ("dctx vars set test_email debug@test.com --reason 'Try the login flow'",
         "dctx vars set node7.emails '[]' --reason 'Extract again'", "dctx vars set api_token - --reason 'New key' < token.txt"),
        call="put", store=WRITES,
    ),
    Command(
        "vars clear", "Clear one variable, or all of them.", "vars",
        (_REASON, Option("all", ("--all",), "Every variable.", FLAG), YES.replace(help="With --all: do not ask."), JSON),
        (_NAME.replace(required=False),),
        ("dctx vars clear node7.emails --reason 'Extract again'", "dctx vars clear --all --reason 'A clean run' --yes"),
        call="clear", store=WRITES,
    ),
    Command(
        "vars history", "List the changes, and why each was made.", "vars_history",
        (_LAST, JSON), (Argument("name", "Only of this variable.", complete="variable"),),
        ("dctx vars history", "dctx vars history node7.emails --last 5"), call="history", store=READS,
    ),
)  # fmt: skip
_STORE = (
    Command(
        "store info", "Show which store is used, where it is, and what is in it.", "store",
        (JSON,), examples=("dctx store info",), call="info", store=READS,
    ),
    Command(
        "store migrate", "Let this project use a shared store, and make its tables complete; shows what it would do.", "store_migrate",
        (YES, DRY_RUN, JSON), examples=("dctx store migrate --dry-run", "dctx store migrate"),
    ),
    Command(
        "store export", "Write everything that is remembered to a file.", "store_transfer",
        (_OUTPUT,),
        examples=("dctx store export -o backup.jsonl", "dctx store export | gzip > backup.jsonl.gz"),
        call="export",
    ),
    Command(
        "store import", "Read a file that `store export` wrote; what the store has already stays.", "store_transfer",
        (JSON,), (Argument("file", "The file, or - for standard input.", required=True),),
        ("dctx store import backup.jsonl",), call="load", store=WRITES,
    ),
)  # fmt: skip
COMMANDS: tuple[Command, ...] = (
    *_PLAN,
    *_VARS,
    *_STORE,
)  # fmt: skip
