"""What commands and options are, and the options that several commands share. The commands are in
`menu/`.
"""

from __future__ import annotations

from director_ctx.base.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

TEXT, FLAG, LIST = "text", "flag", "list"
READS, WRITES = "reads", "writes"


class Option(Record):
    """One option. `name` is also its keyword in the library."""

    name: str
    flags: tuple[str, ...]
    help: str
    kind: str = TEXT
    metavar: str = ""
    values: tuple[str, ...] = ()
    complete: str = ""
    group: str = ""
    """The title that it stands under in help; what people use first has none."""


class Argument(Record):
    """A word that a command takes by its place."""

    name: str
    help: str
    required: bool = False
    complete: str = ""
    many: bool = False
    """Whether it takes every word that is left."""


class Command(Record):
    """One command. A name of two words, such as `task done`, belongs to the group of its first
    word.
    """

    name: str
    help: str
    module: str
    options: tuple[Option, ...]
    """Its own; `every_option` has those of all commands, too."""
    arguments: tuple[Argument, ...] = ()
    examples: tuple[str, ...] = ()
    call: str = "run"
    """The function of the module."""
    store: str = ""
    """What it does with what lasts between runs, if anything: READS or WRITES."""

    @property
    def every_option(self) -> tuple[Option, ...]:
        return (*self.options, *EVERYWHERE)


def grouped(title: str, *options: Option) -> tuple[Option, ...]:
    """The same options, under a title."""
    return tuple(option.replace(group=title) for option in options)


EVERYWHERE = (
    Option(
        "root",
        ("--root",),
        "The project, instead of the nearest folder above with .director/ in it.",
        metavar="DIR",
        group="Every command",
    ),
    Option(
        "inject",
        ("--inject",),
        "For a skill that shows this output: never fails, a sentence instead of nothing, at most 29,000 characters.",
        FLAG,
        group="Every command",
    ),
)
"""What every command takes, so that no row of a table names it."""
JSON = Option("json", ("--json",), "Print JSON for a script.", FLAG)

# As in `clients/table.py`, which a command line that names no client does not load.
CLIENT_NAMES = ("claude", "codex", "gemini", "cursor", "copilot", "vscode")
CLIENT = Option(
    "client",
    ("--client",),
    "claude, codex, gemini, cursor, copilot or vscode.",
    metavar="NAME",
    values=CLIENT_NAMES,
)
USER = Option("user", ("--user",), "For every project of yours, instead of this one.", FLAG)
YES = Option("yes", ("--yes", "-y"), "Do it without asking.", FLAG)
DRY_RUN = Option("dry_run", ("--dry-run", "-n"), "Only show what would change.", FLAG)

COUNTER = Option(
    "counter",
    ("--counter",),
    "How tokens are counted: chars/4 (the default), estimate, o200k_base or cl100k_base (exact).",
    metavar="NAME",
    values=("chars/4", "estimate", "o200k_base", "cl100k_base"),
)

CDP = Option(
    "cdp",
    ("--cdp",),
    "The browser to look into, such as http://127.0.0.1:9222. Default: DCTX_CDP, or the one of `browser start`.",
    metavar="URL",
)

WHICH = (
    Option(
        "task",
        ("--task", "-t"),
        "The task: 3, 2/3, 1/2/3, 'Goal 1 > Step 2 > Task 3', a slug, part of a title, a path. Default: the next task.",
        metavar="TASK",
        complete="task",
    ),
    Option(
        "step",
        ("--step", "-s"),
        "The step, by number, slug or part of its title.",
        metavar="STEP",
        complete="step",
    ),
    Option(
        "goal",
        ("--goal", "-g"),
        "The goal, by number, slug or part of its title.",
        metavar="GOAL",
        complete="goal",
    ),
)
SHAPE = (
    Option(
        "type",
        ("--type",),
        "The kind of task (UI, API, Testing, Documents, General), instead of judging by its words.",
        LIST,
        "TYPE",
    ),
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
    Option(
        # Behind its name a dash below, because `with` is a word of Python.
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
        "note", ("--note",), "A note to the agent, at the end of its instructions.", metavar="TEXT"
    ),
    Option(
        "quick", ("--quick",), "A small task that has no file: the request itself.", metavar="TEXT"
    ),
    Option(
        "focus",
        ("--focus",),
        "For the mappers: tech, arch, quality or concerns.",
        metavar="FOCUS",
        values=("tech", "arch", "quality", "concerns"),
    ),
    Option(
        "domain",
        ("--domain",),
        "For the deep researcher: stack, features, architecture or pitfalls.",
        metavar="DOMAIN",
        values=("stack", "features", "architecture", "pitfalls"),
    ),
    Option(
        "mode",
        ("--mode",),
        "For the synthesizer: research or codebase.",
        metavar="MODE",
        values=("research", "codebase"),
    ),
    Option("question", ("--question",), "For the researcher: what to find out.", metavar="TEXT"),
    Option(
        "issues",
        ("--issues",),
        "For the debugger: a file with the issues to fix, or - for standard input.",
        metavar="FILE",
    ),
    Option("attempt", ("--attempt",), "For the debugger: which attempt this is.", metavar="N"),
    Option(
        "changes",
        ("--changes",),
        "Commit subjects and changed files since a revision; never the diff.",
        metavar="REV",
    ),
    Option(
        "compat",
        ("--compat",),
        "upstream: also the tags that the Director plugin's own agents expect.",
        metavar="NAME",
        values=("upstream",),
    ),
    Option(
        "all_commits",
        ("--all-commits",),
        "Recent changes as subjects, of every commit and as they are.",
        FLAG,
    ),
    Option("raw", ("--raw",), "Leave tags of ours and of clients in documents as they are.", FLAG),
)
BUDGET = (
    Option(
        "model",
        ("--model", "-m"),
        "The model whose window counts.",
        metavar="MODEL",
        complete="model",
    ),
    Option("window", ("--window",), "The window in tokens, such as 200000 or 200k.", metavar="N"),
    Option(
        "budget",
        ("--budget", "-b"),
        "A share of the window (30%, 0.3) or tokens (12000, 12k). Default: 30%.",
        metavar="BUDGET",
    ),
    COUNTER,
)
TOOLS = Option(
    "tools",
    ("--tools",),
    "The tools of `dctx mcp` that the prompt of --layout pull names: few (the default) or seed.",
    metavar="NAME",
    values=("few", "seed"),
)
LAYOUT = (
    Option(
        "layout",
        ("--layout",),
        "tags, parts, or pull: a short prompt that names the tools to ask by. Default: the profile's.",
        metavar="NAME",
        values=("tags", "parts", "pull"),
    ),
    TOOLS,
    Option(
        "order",
        ("--order",),
        "seed: as the agent reads best; cache: what changes least first.",
        metavar="NAME",
        values=("seed", "cache"),
    ),
)
SKILL = Option(
    "skill",
    ("--skill",),
    "Instead of an agent: a skill, which says itself what to do (build, blueprint, brainstorm, pivot, inspect).",
    metavar="NAME",
    complete="skill-profile",
)
DEFAULT_AGENT = "builder"
AGENT = Argument(
    "agent",
    "The agent: builder (the default), planner, verifier ... (`dctx profiles` lists them).",
    complete="agent",
)


_UNGIVEN: dict[str, object] = {FLAG: False, LIST: ()}
"""Any other option is None."""


def chosen_agent(values: dict[str, Any]) -> str | None:
    """The agent that is meant: the builder where nobody says another, and none for a skill."""
    if values["skill"]:
        named: str | None = values["agent"]
        return named
    return values["agent"] or DEFAULT_AGENT


def defaults(command: Command) -> dict[str, object]:
    """Every value of a command as it is when nothing is given."""
    values: dict[str, object] = {}
    for argument in command.arguments:
        values[argument.name] = None
        if argument.many:
            values[argument.name] = ()
    for option in command.every_option:
        values[option.name] = _UNGIVEN.get(option.kind)
    return values
