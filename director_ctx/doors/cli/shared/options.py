"""What commands and options are, and the options that several commands share. The commands are in
`menu/`.
"""

from __future__ import annotations

from director_ctx.base.record import Record

TYPE_CHECKING = False

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

_UNGIVEN: dict[str, object] = {FLAG: False, LIST: ()}
"""Any other option is None."""


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
