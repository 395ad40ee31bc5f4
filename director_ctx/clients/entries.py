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
        for event, kind in reader.events.items():
            is_wanted = kind != PROMPT or prompts or reader.prompts_of_agents
            if is_wanted and event not in reader.unasked:
                rows = _rows(reader, event, kind)
                entries[event] = [_group(reader, kind, program, *row) for row in rows]
    return entries


def readers(client: Client) -> list[Client]:
    """The clients that read the same file of hooks; the first of them gives the hooks its name."""
    return [reader for reader in CLIENTS.values() if reader.settings == client.settings]


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
    owner = readers(client)[0]
    make_handler = _HANDLERS.get(owner.name, _plain)
    timeout = (AT_THE_END if kind == END else SECONDS) * client.timeout_unit
    handlers: list[Entry] = []
    for part in parts:
        more = ("--part", str(part)) if part else ()
        handler = make_handler((*program, "hook", "--client", owner.name, *more), timeout)
        if client.name == "codex":
            # Otherwise it cuts what is longer than 10,000 bytes in the middle.
            handler["additionalContextLimit"] = 0
        handlers.append(handler)
    matching: Entry = {"matcher": matcher} if matcher else {}
    if client.flat:
        return {**handlers[0], **matching}
    return {**matching, "hooks": handlers}


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

    return " ".join(f'"{word}"' if _is_windows_path(word) else shlex.quote(word) for word in words)


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
    options = paired_options(words[index + 1 :])
    if options is None or not names_us(words[:index]):
        return False
    return options.keys() <= {"--client", "--part"} and all(
        value and _NAMES.issuperset(value) for value in options.values()
    )


def paired_options(words: Sequence[str]) -> dict[str, str] | None:
    """Options with a value, which may have a `=` before it; None where a word is left over, or an
    option is there twice: so we write none.
    """
    split: list[str] = []
    for word in words:
        split += word.split("=", 1) if word.startswith("--") else [word]
    options = dict(zip(split[::2], split[1::2], strict=False))
    return options if len(split) == 2 * len(options) else None


def names_us(program: Sequence[str]) -> bool:
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
