"""The entries that call `dctx hook`, or the tool of a server that answers the same, in the shape that
each client wants, and how ours are told from others'.
"""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.clients.by_server import (
    BESIDE,
    SERVER,
    calls_server,
    if_nobody_serves,
    tool_handler,
    without_test,
)
from director_ctx.clients.table import (
    CLIENTS,
    END,
    ENDED,
    PROMPT,
    SESSION,
    SESSION_PARTS,
    SPAWN,
    START,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from director_ctx.clients.table import Client

    Entry = dict[str, Any]
    Entries = dict[str, list[Entry]]

SECONDS = 10
AT_THE_END = 3
"""After how long a client gives up on a hook. It stops by itself long before; a session that ends
waits for no one.
"""
PROGRAM = "dctx"
MODULE = ("-P", "-m", "director_ctx")
"""What follows a Python that calls us. Without `-P` it would take a module of that name from the
current folder.
"""
COMMAND, FALLBACK, TOOL = "command", "fallback", "tool"
"""The ways of asking: a program; one that stays silent as long as a server answers; that server."""
_NAMES = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_")
"""What the name of a client, or the number of a part, is made of."""


class Asking(Record):
    """In which ways hooks ask, and which server."""

    ways: tuple[str, ...] = (COMMAND,)
    server: str = SERVER


BY_COMMAND = Asking()


def hook_entries(
    client: Client,
    program: tuple[str, ...],
    at: str = SPAWN,
    prompts: bool = False,
    asking: Asking = BY_COMMAND,
) -> Entries:
    """The client's hooks: by event, the groups or handlers that call `program`, or ask a server.

    Where several clients read one file, it has the hooks of them all.
    """
    entries: Entries = {}
    for reader in readers(client):
        wanted = _wanted_kinds(reader, prompts)
        for event, kind in reader.events.items():
            if kind not in wanted:
                continue
            groups: list[Entry] = []
            for way in _ways_for(reader, kind, asking.ways):
                call = HookCall(reader, kind, way, program, asking.server)
                for matcher, parts in _rows(reader, event, kind):
                    groups.append(_group(call, matcher, parts))
            if groups:
                entries[event] = groups
    return entries


def _ways_for(client: Client, kind: str, ways: Sequence[str]) -> Iterator[str]:
    """A server cannot be asked about everything; what is left is asked of the program, always."""
    for way in ways:
        if kind in client.by_tool:
            yield way
        elif way != TOOL:
            yield COMMAND


def readers(client: Client) -> list[Client]:
    """The clients that read the same file of hooks; the first of them gives the hooks its name."""
    return [reader for reader in CLIENTS.values() if reader.settings == client.settings]


def _wanted_kinds(client: Client, prompts: bool) -> set[str]:
    kinds = set(client.events.values()) - set(client.unanswered)
    if not prompts and not client.prompts_of_agents:
        kinds.discard(PROMPT)
    return kinds


def _rows(client: Client, event: str, kind: str) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Matchers, and the parts of an answer that each of them calls for; 0 is an answer that has no
    parts.
    """
    has_parts = client.parts > 1
    if kind == SPAWN or (kind == ENDED and "Tool" in event):
        yield "|".join(client.spawn_tools), (0,)
    elif kind == START and has_parts:
        yield "", tuple(range(1, client.parts + 1))
    else:
        yield "", (0,)

    if kind == SESSION and has_parts:
        # The first part is that of the entry without a matcher.
        yield "compact", tuple(range(2, SESSION_PARTS + 1))


class HookCall(Record):
    """What is asked about a kind of events, and in which way."""

    client: Client
    kind: str
    way: str
    program: tuple[str, ...]
    server: str


def _group(call: HookCall, matcher: str, parts: tuple[int, ...]) -> Entry:
    seconds = SECONDS
    if call.kind == END:
        seconds = AT_THE_END
    timeout = seconds * call.client.timeout_unit

    handlers: list[Entry] = []
    for part in parts:
        if call.way == TOOL:
            handlers.append(tool_handler(call.client, call.kind, part, timeout, call.server))
        else:
            handlers.append(_command_handler(call, part, timeout))

    matching: Entry = {}
    if matcher:
        matching["matcher"] = matcher
    if call.client.flat:
        return {**handlers[0], **matching}
    return {**matching, "hooks": handlers}


def _command_handler(call: HookCall, part: int, timeout: int) -> Entry:
    owner = readers(call.client)[0]
    make_handler = _HANDLERS.get(owner.name, _plain)
    words = (*call.program, *_words(owner, part))
    if call.way == FALLBACK:
        words += BESIDE
    handler = make_handler(words, timeout)
    if call.client.name == "codex":
        # Otherwise it cuts what is longer than 10,000 bytes in the middle.
        handler["additionalContextLimit"] = 0
    if call.way == FALLBACK:
        handler["command"] = if_nobody_serves(handler["command"], owner.name, call.server)
    return handler


def _words(client: Client, part: int) -> tuple[str, ...]:
    words = ("hook", "--client", client.name)
    if not part:
        return words
    return (*words, "--part", str(part))


def _plain(words: tuple[str, ...], timeout: int) -> Entry:
    """One line for a shell, in `command` alone: clients that take the hooks of others pass over
    `args`, and `dctx` without its words would answer an event like a mistyped command line.
    """
    return {"type": "command", "command": shell_line(words), "timeout": timeout}


def _gemini(words: tuple[str, ...], timeout: int) -> Entry:
    return {"type": "command", "name": PROGRAM, "command": shell_line(words), "timeout": timeout}


def _cursor(words: tuple[str, ...], timeout: int) -> Entry:
    return {"command": shell_line(words), "timeout": timeout}


def _copilot(words: tuple[str, ...], timeout: int) -> Entry:
    """On Windows it asks PowerShell, which takes a quoted path for a text unless `&` stands before
    it.
    """
    entry = _plain(words, timeout)
    if _is_windows_path(words[0]):
        quoted = words[0].replace("'", "''")
        entry["powershell"] = " ".join((f"& '{quoted}'", *words[1:]))
    return entry


_HANDLERS: dict[str, Callable[[tuple[str, ...], int], Entry]] = {
    "gemini": _gemini,
    "cursor": _cursor,
    "copilot": _copilot,
}


def shell_line(words: tuple[str, ...]) -> str:
    """Words as a shell takes them; a Windows path in the quotes that both its shell and a POSIX one
    know.
    """
    import shlex

    quoted = []
    for word in words:
        if _is_windows_path(word):
            quoted.append(f'"{word}"')
        else:
            quoted.append(shlex.quote(word))
    return " ".join(quoted)


def _is_windows_path(word: str) -> bool:
    return word[1:3] == ":\\"


def handler_words(handler: object) -> list[str]:
    """The words of a handler's command, in either form; none where it is something else."""
    import shlex

    if not isinstance(handler, dict):
        return []
    command = handler.get("command")
    if not isinstance(command, str):
        return []
    arguments = handler.get("args")
    if isinstance(arguments, list):
        return [command, *map(str, arguments)]

    command = without_test(command)
    has_windows_path = ":\\" in command
    # What a shell takes for more than a word is a word of its own: another command may follow it.
    reader = shlex.shlex(command, posix=not has_windows_path, punctuation_chars=True)
    reader.whitespace_split = True
    reader.commenters = ""
    try:
        words = list(reader)
    except ValueError:
        return []
    if has_windows_path:
        return [word.strip('"') for word in words]
    return words


def asking_of(entries: Entries) -> Asking:
    """The ways in which entries of ours ask."""
    ways: list[str] = []
    for handler in handlers_in(entries):
        command = str(handler.get("command"))
        if calls_server(handler):
            ways.append(TOOL)
        elif without_test(command) != command:
            ways.append(FALLBACK)
    if not ways:
        return BY_COMMAND
    return Asking(tuple(way for way in (TOOL, FALLBACK) if way in ways))


def handlers_in(entries: Entries) -> Iterator[Entry]:
    for groups in entries.values():
        for group in groups:
            # A client without groups lists the handlers themselves.
            yield from group.get("hooks", [group])


def is_ours(handler: object) -> bool:
    """Whether a handler calls `dctx hook`, whichever dctx that is, and nothing else; or asks a
    server of ours.
    """
    if calls_server(handler):
        return True
    words = handler_words(handler)
    if "hook" not in words:
        return False
    index = words.index("hook")
    program = words[:index]
    arguments = words[index + 1 :]
    return names_us(program) and _is_said_by_us(arguments)


def _is_said_by_us(words: list[str]) -> bool:
    """Whether these are only `--client NAME`, `--part N` and `--beside mcp`, which may have a `=` between them."""
    split: list[str] = []
    for word in words:
        if word.startswith("--"):
            split += word.split("=", 1)
        else:
            split.append(word)

    names = split[::2]
    values = split[1::2]
    options = dict(zip(names, values, strict=False))
    # An option without a value, or one that is there twice, is not as we write it.
    is_in_pairs = len(split) == 2 * len(options)
    if not is_in_pairs:
        return False
    for option, value in options.items():
        if option not in ("--client", "--part", BESIDE[0]):
            return False
        if not value or not _NAMES.issuperset(value):
            return False
    return True


def names_us(program: list[str]) -> bool:
    if tuple(program[-2:]) == MODULE[1:]:
        has_python = len(program) > 2
        options = program[1:-2]
        return has_python and all(word.startswith("-") for word in options)
    if len(program) != 1:
        return False
    # Settings that people share have paths of Windows and of others.
    path = program[0].replace("\\", "/")
    name = path.rsplit("/", 1)[-1].casefold()
    return name in (PROGRAM, f"{PROGRAM}.exe")
