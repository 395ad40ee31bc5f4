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
_EXIT_CODES = """\
Exit codes

  0    done
  1    failed, with a sentence and a hint; or a check that found something
  2    the command line asks for something that does not exist
  3    a bug in dctx; its log is named
  4    --strict, and the budget or a target cannot be kept
  5    `dctx next`: every task is done
  6    `dctx next`: nothing is ready, or nothing is planned
  130  interrupted

`dctx hook` always exits with 0, so that it never stops a client.
"""
_ENVIRONMENT = """\
Variables of the environment

  DCTX_ROOT            the project, instead of the nearest folder with .director/ in it
  DCTX_HOOKS           off: hooks answer with nothing
  DCTX_RECORD          off: contexts are left out of the run record
  DCTX_STORE           where plans and variables are kept: a file, or postgresql://...
  DCTX_KEY             the key that seals secrets, instead of the file of your own
  DCTX_KEY_FILE        a file with that key in it
  DCTX_SAFE_DIRECTORY  folders of others that hooks may read: /work/boat, or *
  DCTX_CDP             the browser to look into, such as http://127.0.0.1:9222
  DCTX_MCP_TOKEN       what a client of `dctx mcp --http` has to send: 16 characters or more
  NO_COLOR             any value: no colours
"""
TOPICS = {
    "folder": _FOLDER,
    "budget": _BUDGET,
    "exit-codes": _EXIT_CODES,
    "environment": _ENVIRONMENT,
}
