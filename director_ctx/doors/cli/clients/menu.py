"""Commands that hand contexts to the clients of coding agents."""

from __future__ import annotations

from director_ctx.doors.cli.shared.options import (
    CLIENT,
    CLIENT_NAMES,
    FLAG,
    JSON,
    Argument,
    Command,
    Option,
)

COMMANDS: tuple[Command, ...] = (
    Command(
        "hook", "Answer one event of a client: it comes on stdin as JSON. Always exits 0.", "hook",
        (
            CLIENT,
            Option("part", ("--part",), "Which part of a context that is larger than one answer may be.", metavar="N"),
        ),
        examples=("dctx hook --client codex --part 2 < event.json",),
    ),
    Command(
        "agents show", "Show what is installed where, which agents are given what, and which hooks failed lately.", "agents_show",
        (JSON,),
        examples=("dctx agents show", "dctx agents show --json"),
    ),
    Command(
        "agents verify", "Prove that contexts arrive: runs the client offline, or replays its events.", "agents_verify",
        (
            CLIENT.replace(help="claude, codex, gemini, cursor, copilot, vscode, opencode or all. Default: those that have something of dctx here.", values=(*CLIENT_NAMES, "opencode", "all")),
            Option("agent", ("--agent",), "A type of agents to prove it with. Default: one that this project maps.", metavar="TYPE"),
            Option("replay", ("--replay",), "Replay recorded events, although the client is here.", FLAG),
            JSON,
        ),
        examples=("dctx agents verify", "dctx agents verify --client codex", "dctx agents verify --agent dctx:planner",
                  "dctx agents verify --replay --json"),
    ),
    Command(
        "skill show", "Show the skills that are here; or one of them, as it is written or as an agent reads it.", "skill",
        (
            Option("rendered", ("--rendered",), "As an agent reads it: its commands carried out as far as they only read.", FLAG),
            JSON,
        ),
        (
            Argument("name", "A skill: its name, or the path of a SKILL.md. Default: the list of all.", complete="skill"),
            Argument("arguments", "With --rendered: what the skill is called with.", many=True),
        ),
        ("dctx skill show", "dctx skill show brainstorm", "dctx skill show brainstorm --rendered 'offline mode'"),
    ),
    Command(
        "mcp", "Let agents ask for context: a server of tools (MCP) for their client.", "mcp",
        (
            Option("tools", ("--tools",), "few (the default: six tools), seed (the names of seed 002) or all.", metavar="SET", values=("few", "seed", "all")),
            Option("write", ("--write",), "What agents may change: plan, variables, tasks, browser, with commas between. Default: nothing.", metavar="AREAS"),
        ),
        examples=("dctx mcp", "dctx mcp --write plan,variables,tasks", "dctx mcp --tools seed"),
    ),
)  # fmt: skip
