"""Commands that hand contexts to the clients of coding agents."""

from __future__ import annotations

from director_ctx.doors.cli.shared.options import (
    CLIENT,
    CLIENTS,
    DRY_RUN,
    FLAG,
    JSON,
    PROJECT,
    USER,
    YES,
    Argument,
    Command,
    Option,
)

_SKILL = Argument(
    "name", "The skill: a name, or the path of a SKILL.md.", required=True, complete="skill"
)
_OURS = Argument(
    "names",
    "With --what skills: which of dctx's own, by name; all of them where none is named.",
    many=True,
    complete="our-skill",
)
_WHAT = Option(
    "what",
    ("--what",),
    "hooks (the default), skills, rules (a section of AGENTS.md, CLAUDE.md and the like), mcp (the server of `dctx mcp`), or all.",
    metavar="PART",
    values=("hooks", "skills", "rules", "mcp", "all"),
)
_CLIENTS = CLIENTS.replace(
    help="claude (the default), codex, gemini, cursor, copilot, vscode, opencode (for --what mcp) or all.",
    values=(*CLIENTS.values, "opencode"),
)
_ARGUMENTS = Argument("arguments", "What the skill is called with.", many=True)

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
        "agents install", "Put dctx into a client, after showing the change: hooks, skills, rules or tools.", "agents",
        (
            _WHAT, _CLIENTS, PROJECT, USER,
            Option("prompts", ("--prompts",), "For hooks: also say on each prompt when the window is filling up.", FLAG),
            Option("write", ("--write",), "For mcp: what agents may change (plan, variables, tasks, browser; with commas). Default: nothing, or what is there.", metavar="AREAS"),
            YES, DRY_RUN,
        ),
        (_OURS,),
        ("dctx agents install", "dctx agents install --client all --user --yes", "dctx agents install --client codex --dry-run",
         "dctx agents install --what mcp --client codex --write plan,tasks",
         "dctx agents install --what skills brainstorm pivot --client codex --user", "dctx agents install --what rules --client gemini"),
        call="install",
    ),
    Command(
        "agents remove", "Take it out again; what somebody changed stays.", "agents",
        (_WHAT, _CLIENTS, PROJECT, USER, YES, DRY_RUN),
        (_OURS,),
        ("dctx agents remove", "dctx agents remove --client all --user --yes", "dctx agents remove --what skills"),
        call="remove",
    ),
    Command(
        "agents trust", "Allow what this project has agents told in its own words: its instructions.", "agents_trust",
        (Option("revoke", ("--revoke",), "Take that back.", FLAG), YES),
        examples=("dctx agents trust", "dctx agents trust --revoke"),
    ),
    Command(
        "agents status", "Show what is installed where, which agents are given what, and which hooks failed lately.", "agents_status",
        (JSON,),
        examples=("dctx agents status", "dctx agents status --json"),
        call="status",
    ),
    Command(
        "agents verify", "Prove that contexts arrive: runs the client offline, or replays its events.", "agents_verify",
        (
            _CLIENTS.replace(help="claude, codex, gemini, cursor, copilot, vscode, opencode or all. Default: those that have something of dctx here."),
            Option("agent", ("--agent",), "A type of agents to prove it with. Default: one that this project maps.", metavar="TYPE"),
            Option("replay", ("--replay",), "Replay recorded events, although the client is here.", FLAG),
            JSON,
        ),
        examples=("dctx agents verify", "dctx agents verify --client codex", "dctx agents verify --agent dctx:planner",
                  "dctx agents verify --replay --json"),
    ),
    Command(
        "skill list", "Show the skills that are here: dctx's own, the project's and yours.", "skill",
        (JSON,),
        examples=("dctx skill list", "dctx skill list --json"),
        call="list_skills",
    ),
    Command(
        "skill show", "Print a skill as it is written.", "skill",
        (JSON,),
        (_SKILL,),
        ("dctx skill show brainstorm",),
        call="show",
    ),
    Command(
        "skill render", "Print a skill as an agent would read it, its commands carried out as far as they only read.", "skill_render",
        (JSON,),
        (_SKILL, _ARGUMENTS),
        ("dctx skill render brainstorm 'offline mode'",),
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
