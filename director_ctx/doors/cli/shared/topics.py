"""What people look for that is no command: short texts, which fit a terminal."""

from __future__ import annotations

_FOLDER = """\
The folder .director/

  VISION.md  GAMEPLAN.md  STATE.md  IDEAS.md     what it is, the plan, where it stands
  goals/01-NAME/GOAL.md                          a goal
  goals/01-NAME/01-NAME/STEP.md                  a step of it, with its decisions
  goals/01-NAME/01-NAME/tasks/01-NAME.md         a task, with its Needs First
  goals/01-NAME/01-NAME/tasks/02-NAME.done.md    a finished task: its name says so
  codebase/  research/  reference/               notes that agents are given
  dctx.yaml                                      settings of dctx, if you want any

`dctx init` makes it, and `dctx add` fills it. Only VISION.md and one task are needed
for a first context. The names of the files decide what is done; `dctx doctor --fix`
brings everything else in line with them.
"""
_BUDGET = """\
What a budget is

A context may fill a share of the model's window: 30% unless you say otherwise, so
that the agent has room to work. --model or --window says how large the window is,
--budget 20% or --budget 12k how much of it may be used.

What is too large is shortened in a fixed order, from what can be spared most
(`dctx profiles --ladder`). The task, its decisions and the instructions are never
cut. `dctx assemble --explain` says what was cut, `dctx budget --what-if` which window
would hold everything. --strict prints nothing, and exits with 4, instead of cutting
into what an agent needs.
"""
EXIT_CODES = (
    ("0", "done"),
    ("1", "failed, with a sentence and a hint; or a check that found something"),
    ("2", "the command line is not understood, or asks for what does not exist"),
    ("3", "a bug in dctx; its log is named"),
    ("4", "with --strict: over budget, or a document is missing"),
    ("5", "`dctx next`: every task is done"),
    ("6", "`dctx next`: nothing is ready, or nothing is planned"),
    ("130", "interrupted"),
)
"""What each means; the manual page and docs/commands.md say it in the same words."""
ENVIRONMENT = (
    ("DCTX_ROOT", "the project, instead of the nearest folder with .director/"),
    ("DCTX_HOOKS", "off: hooks answer with nothing"),
    ("DCTX_RECORD", "off: contexts are left out of the run record"),
    ("CLEAN_CONTEXT_ENABLED", "true: --layout pull is the default for agents"),
    ("OPENAI_API_KEY", "the key for `dctx chat`; or ANTHROPIC_API_KEY"),
    ("OPENAI_BASE_URL", "where `dctx chat` finds a server; or ANTHROPIC_BASE_URL"),
    ("DCTX_STORE", "where plans and variables are kept: a file, or postgresql://..."),
    ("DCTX_KEY", "what secrets are sealed with in a shared store"),
    ("DCTX_SAFE_DIRECTORY", "folders of other users that you trust: /work/boat, or *"),
    ("DCTX_CDP", "the browser to look into, such as http://127.0.0.1:9222"),
    ("NO_COLOR", "any value: no colours"),
)
"""Variables that are read, in the manual page as well."""


def _exit_codes() -> str:
    lines = ["Exit codes", ""]
    for code, meaning in EXIT_CODES:
        lines.append(f"  {code:<3}  {meaning}")
    lines += ["", "`dctx hook` exits with 0 for every event, so that it never stops a client.", ""]
    return "\n".join(lines)


def _environment() -> str:
    lines = ["Variables of the environment", ""]
    for name, meaning in ENVIRONMENT:
        lines.append(f"  {name:<21}  {meaning}")
    return "\n".join([*lines, ""])


TOPICS = {
    "folder": _FOLDER,
    "budget": _BUDGET,
    "exit-codes": _exit_codes(),
    "environment": _environment(),
}
