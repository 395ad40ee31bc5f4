"""Every command and option, once. The short way and the Typer app are both made from this table."""

from __future__ import annotations

from director_ctx.record import Record

TEXT, FLAG, LIST = "text", "flag", "list"


class Option(Record):
    """One option. `name` is also its keyword in the library."""

    name: str
    flags: tuple[str, ...]
    help: str
    kind: str = TEXT
    metavar: str = ""
    values: tuple[str, ...] = ()
    complete: str = ""


class Argument(Record):
    name: str
    help: str
    required: bool = False
    complete: str = ""


class Command(Record):
    name: str
    help: str
    module: str
    options: tuple[Option, ...]
    arguments: tuple[Argument, ...] = ()
    examples: tuple[str, ...] = ()


ROOT = Option(
    "root", ("--root",), "The project, instead of the nearest folder above with .director/ in it.", metavar="DIR"
)
JSON = Option("json", ("--json",), "Print JSON for a script.", FLAG)

_WHICH = (
    Option(
        "task",
        ("--task", "-t"),
        "The task: 3, 2/3, 1/2/3, 'Goal 1 > Step 2 > Task 3', a slug, part of a title, a path. Default: the next task.",
        metavar="TASK",
        complete="task",
    ),
    Option("step", ("--step", "-s"), "The step, by number, slug or part of its title.", metavar="STEP"),
    Option("goal", ("--goal", "-g"), "The goal, by number, slug or part of its title.", metavar="GOAL"),
)
_SHAPE = (
    Option(
        "type",
        ("--type",),
        "The kind of task (UI, API, Testing, General), instead of judging by its words.",
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
    Option("with_", ("--with",), "Add a tag that the profile leaves out.", LIST, "TAG", complete="tag"),
    Option("without", ("--without",), "Leave out a tag that the profile has.", LIST, "TAG", complete="tag"),
    Option("ref", ("--ref",), "Put a reference document into the context; may be given several times.", LIST, "FILE"),
    Option("note", ("--note",), "A note to the agent, at the end of its instructions.", metavar="TEXT"),
    Option("quick", ("--quick",), "A small task that has no file: the request itself.", metavar="TEXT"),
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
        "changes", ("--changes",), "Commit subjects and changed files since a revision; never the diff.", metavar="REV"
    ),
    Option(
        "compat",
        ("--compat",),
        "upstream: also the tags that the Director plugin's own agents expect.",
        metavar="NAME",
        values=("upstream",),
    ),
    Option("all_commits", ("--all-commits",), "Recent changes with bookkeeping commits too.", FLAG),
    Option("raw", ("--raw",), "Leave our own tags in documents as they are.", FLAG),
)
_BUDGET = (
    Option("model", ("--model", "-m"), "The model whose window counts.", metavar="MODEL", complete="model"),
    Option("window", ("--window",), "The window in tokens, such as 200000 or 200k.", metavar="N"),
    Option(
        "budget",
        ("--budget", "-b"),
        "A share of the window (30%, 0.3) or tokens (12000, 12k). Default: 30%.",
        metavar="BUDGET",
    ),
)
_LAYOUT = (
    Option("layout", ("--layout",), "How sections are laid out.", metavar="NAME", values=("tags",)),
    Option(
        "order",
        ("--order",),
        "seed: as the agent reads best; cache: what changes least first.",
        metavar="NAME",
        values=("seed", "cache"),
    ),
)
_AGENT = Argument("agent", "The agent: builder, planner, verifier ... (`dctx profiles` lists them).", complete="agent")

COMMANDS: tuple[Command, ...] = (
    Command(
        "init", "Make a .director/ folder, or complete one. Never overwrites.", "init",
        (
            Option("greenfield", ("--greenfield",), "A new project.", FLAG),
            Option("brownfield", ("--brownfield",), "A project that has code already.", FLAG),
            Option("here", ("--here",), "Here, although a folder above has a .director/ already.", FLAG),
            ROOT,
        ),
        examples=("dctx init", "dctx init --brownfield"),
    ),
    Command(
        "status", "Show where the project stands, counted from the files.", "status",
        (Option("goal", ("--goal", "-g"), "One goal in detail, down to its tasks.", metavar="GOAL"), JSON, ROOT),
        examples=("dctx status", "dctx status --goal 2", "dctx status --json | jq .current"),
    ),
    Command(
        "next", "Show the task to do now, and why. Exit 5: all done; 6: nothing ready or planned.", "next",
        (JSON, ROOT),
        examples=("dctx next", "dctx next --json | jq -r .task.path"),
    ),
    Command(
        "assemble", "Print the context for a fresh agent.", "assemble",
        (
            *_WHICH, *_SHAPE, *_BUDGET, *_LAYOUT,
            Option("format", ("--format", "-f"), "xml, json or markdown.", metavar="FORMAT", values=("xml", "json", "markdown")),
            Option("output", ("--output", "-o"), "Write to a file instead.", metavar="FILE"),
            Option("copy", ("--copy",), "Put the text on the clipboard instead.", FLAG),
            Option("explain", ("--explain",), "Say on stderr what is in, what was cut or left out, and why.", FLAG),
            Option("strict", ("--strict",), "Print nothing and exit 4 if the budget cannot be kept.", FLAG),
            ROOT,
        ),
        (_AGENT.replace(required=True),),
        ("dctx assemble builder --task 3 | claude -p", "dctx assemble planner --explain",
         "dctx assemble debugger --issues report.md --changes HEAD~3", "dctx assemble builder --quick 'Fix the footer link'",
         "dctx assemble builder --model gpt-5 --budget 12k --format json"),
    ),
    Command(
        "budget", "Show where the tokens of a context go.", "budget",
        (
            *_WHICH, *_SHAPE, *_BUDGET, *_LAYOUT,
            Option("all", ("--all",), "Every agent at once.", FLAG),
            Option("what_if", ("--what-if",), "The smallest window in which nothing is cut, and what goes at other windows.", FLAG),
            JSON, ROOT,
        ),
        (_AGENT,),
        ("dctx budget builder --task 3", "dctx budget --all", "dctx budget planner --what-if --json"),
    ),
    Command(
        "profiles", "Show which agent gets what, as dctx.yaml takes it.", "profiles",
        (
            Option("types", ("--types",), "The kinds of task: their words and the notes they need.", FLAG),
            Option("ladder", ("--ladder",), "What is shortened first when a context is too large.", FLAG),
            Option("models", ("--models",), "The models that are known, with their windows.", FLAG),
            JSON, ROOT,
        ),
        (_AGENT,),
        ("dctx profiles", "dctx profiles builder", "dctx profiles --ladder"),
    ),
)  # fmt: skip


def defaults(command: Command) -> dict[str, object]:
    """Every value of a command as it is when nothing is given."""
    values: dict[str, object] = {argument.name: None for argument in command.arguments}
    for option in command.options:
        values[option.name] = {FLAG: False, LIST: ()}.get(option.kind)
    return values
