"""The entries that call `dctx hook`, in the shape that each client wants, and how ours are told from
others'.
"""

from __future__ import annotations

from director_ctx.clients.table import (
    CLIENTS,
    END,
    ENDED,
    PROMPT,
    SESSION,
    SPAWN,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
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
SERVER = "dctx"
"""What clients call the server of tools."""
MODULE = ("-P", "-m", "director_ctx")
"""What follows a Python that calls us. Without `-P` it would take a module of that name from the
current folder.
"""
_NAMES = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_")
"""What the name of a client, or the number of a part, is made of."""


def hook_entries(
    client: Client,
    program: tuple[str, ...],
    prompts: bool = False,
) -> Entries:
    """The client's hooks: by event, the groups or handlers that call `program`.

    Where several clients read one file, it has the hooks of them all.
    """
    entries: Entries = {}
    for reader in readers(client):
        wanted = _wanted_kinds(reader, prompts)
        for event, kind in reader.events.items():
            if kind not in wanted or event in reader.unasked:
                continue
            groups: list[Entry] = []
            for matcher, parts in _rows(reader, event, kind):
                groups.append(_group(reader, kind, program, matcher, parts))
            entries[event] = groups
    return entries


def readers(client: Client) -> list[Client]:
    """The clients that read the same file of hooks; the first of them gives the hooks its name."""
    return [reader for reader in CLIENTS.values() if reader.settings == client.settings]


def _wanted_kinds(client: Client, prompts: bool) -> set[str]:
    kinds = set(client.events.values())
    if not prompts and not client.prompts_of_agents:
        kinds.discard(PROMPT)
    return kinds


def _rows(client: Client, event: str, kind: str) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Matchers, and the parts of an answer that each of them calls for; 0 is an answer that has no
    parts.
    """
    if kind == SPAWN or (kind == ENDED and "Tool" in event):
        yield "|".join(client.spawn_tools), (0,)
    else:
        yield "", (0,)

    if kind == SESSION and client.parts > 1:
        # The first part is that of the entry without a matcher.
        yield "compact", tuple(range(2, client.parts + 1))


def _group(
    client: Client, kind: str, program: tuple[str, ...], matcher: str, parts: tuple[int, ...]
) -> Entry:
    seconds = SECONDS
    if kind == END:
        seconds = AT_THE_END
    timeout = seconds * client.timeout_unit
    owner = readers(client)[0]
    make_handler = _HANDLERS.get(owner.name, _plain)

    handlers: list[Entry] = []
    for part in parts:
        handler = make_handler((*program, *_words(owner, part)), timeout)
        if client.name == "codex":
            # Otherwise it cuts what is longer than 10,000 bytes in the middle.
            handler["additionalContextLimit"] = 0
        handlers.append(handler)

    matching: Entry = {}
    if matcher:
        matching["matcher"] = matcher
    if client.flat:
        return {**handlers[0], **matching}
    return {**matching, "hooks": handlers}


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


def is_ours(handler: object) -> bool:
    """Whether a handler calls `dctx hook`, whichever dctx that is, and nothing else."""
    words = handler_words(handler)
    if "hook" not in words:
        return False
    index = words.index("hook")
    program = words[:index]
    arguments = words[index + 1 :]
    return names_us(program) and _is_said_by_us(arguments)


def _is_said_by_us(words: list[str]) -> bool:
    """Whether these are only `--client NAME` and `--part N`, which may have a `=` between them."""
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
        if option not in ("--client", "--part"):
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
