"""Commands by which somebody begins."""

from __future__ import annotations

from director_ctx.doors.cli.shared.options import (
    CLIENT_NAMES,
    DRY_RUN,
    FLAG,
    JSON,
    LIST,
    USER,
    YES,
    Argument,
    Command,
    Option,
)

_SETUP_CLIENTS = Option(
    "client",
    ("--client",),
    "Into which: claude, codex, gemini, cursor, copilot, vscode, opencode (tools alone) or all; may be given several times. Default: those that are here.",
    LIST,
    "NAME",
    (*CLIENT_NAMES, "opencode", "all"),
)
_WHAT = Option(
    "what",
    ("--what",),
    "Only this: hooks, mcp (tools), agents, skills, rules (a section of AGENTS.md and the like) or all; may be given several times. Default: hooks, mcp and agents, and a folder for the plan.",
    LIST,
    "PART",
    ("hooks", "mcp", "agents", "skills", "rules", "all"),
)

PLAN_TOOLS = (
    "auto",
    "openspec",
    "spec-kit",
    "task-master",
    "backlog",
    "todo",
)
"""As in `other_plans/find.py`, which whoever wants help need not load; a test holds both together."""

COMMANDS: tuple[Command, ...] = (
    Command(
        "setup", "Set up this project and your coding agent; or repair.", "setup",
        (
            YES,
            DRY_RUN,
            _SETUP_CLIENTS,
            _WHAT,
            USER,
            Option("write", ("--write",), "What agents may change by the tools (plan, variables, tasks, browser; with commas). Default: nothing, or what is there.", metavar="AREAS"),
            Option("prompts", ("--prompts",), "Hooks also say on each prompt when the window is filling up.", FLAG),
            Option("no_verify", ("--no-verify",), "Do not run your coding agent offline to prove it.", FLAG),
            Option("diff", ("--diff",), "Show each change of a file as a patch.", FLAG),
            Option("undo", ("--undo",), "Take back what this command did here; with --what, --client or --user, only that.", FLAG),
            Option("trust", ("--trust",), "Allow what this project has agents told in its own words; --undo takes that back.", FLAG),
            JSON,
        ),
        examples=("dctx setup", "dctx setup --dry-run --diff", "dctx setup --client claude --client codex --yes",
                  "dctx setup --what skills --what rules", "dctx setup --user --client all", "dctx setup --what mcp --write plan,tasks",
                  "dctx setup --undo", "dctx setup --undo --what hooks", "dctx setup --trust"),
    ),
    Command(
        "demo", "See it work on an example: an agent gets its context.", "demo",
        (
            Option("keep", ("--keep",), "Leave the example in this new folder, to play in.", metavar="DIR"),
        ),
        examples=("dctx demo", "dctx demo --keep reading-list"),
    ),
    Command(
        "init", "Make or complete a .director/ folder; take over a plan.", "init",
        (
            Option("plain_language", ("--plain-language",), "With a guide by which agents write for people who do not program.", FLAG),
            Option("example", ("--example",), "A complete example to play with, in the new folder reading-list.", FLAG),
            Option("source", ("--from",), "Take over a plan of another tool, or what is new in it: openspec, spec-kit, task-master, backlog, todo, or auto, which finds it.", metavar="TOOL", values=PLAN_TOOLS),
            Option("done", ("--done",), "What is finished, too (with --from).", FLAG),
            Option("strict", ("--strict",), "Write nothing where something cannot be taken as it is; exit with 4 (with --from).", FLAG),
            YES,
            DRY_RUN,
            JSON,
        ),
        (Argument("path", "With --from: the folder or file of the plan, if it is not here.", complete="file"),),
        ("dctx init", "dctx init --example", "dctx init --from auto --dry-run"),
    ),
    Command(
        "help", "Show help: the first screen, every command, one of them, or a topic.", "help",
        (Option("all", ("--all",), "Every command, by subject.", FLAG),),
        (Argument("topic", "A command, or folder, budget, exit-codes or environment.", many=True, complete="topic"),),
        ("dctx help", "dctx help --all", "dctx help task done", "dctx help exit-codes"),
    ),
    Command(
        "config show", "Show each setting, its value and where it is from; or what is wrong in .director/dctx.yaml, with exit code 1.", "config",
        (Option("schema", ("--schema",), "Print the JSON Schema of dctx.yaml instead, for editors.", FLAG), JSON),
        (Argument("key", "One setting, such as budget, or all below hooks.", complete="setting"),),
        ("dctx config show", "dctx config show budget", "dctx config show --schema > dctx.schema.json"),
        call="show",
    ),
    Command(
        "config set", "Change one setting in .director/dctx.yaml. Comments and everything else stay.", "config",
        (Option("remove", ("--remove",), "Take the setting out of the file, so that the built-in value counts.", FLAG), DRY_RUN),
        (
            Argument("key", "The setting, such as budget or hooks.agents.reviewer.", required=True, complete="setting"),
            Argument("value", "Its value: text, a number, true or false, or a list in brackets."),
        ),
        ("dctx config set budget 25%", "dctx config set hooks.agents.reviewer verifier", "dctx config set budget --remove"),
        call="change",
    ),
)  # fmt: skip
