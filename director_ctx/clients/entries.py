"""The entries that call `dctx hook`, in the shape that each client wants, and how ours are told from others'."""

from __future__ import annotations

from director_ctx.clients.table import COMPACT, END, PROMPT, SESSION, SESSION_PARTS, SPAWN, START

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from director_ctx.clients.table import Client

    Entry = dict[str, Any]
    Entries = dict[str, list[Entry]]

SECONDS, AT_THE_END = 10, 3
"""After how long a client gives up on a hook. It stops by itself long before; a session that ends waits for no one."""
NOT_INSTALLED = (("gemini", COMPACT),)
"""It comes before every turn there, and has no answer yet: that would be a process for nothing each time."""
PROGRAM = "dctx"
MODULE = ("-P", "-m", "director_ctx")
"""What follows a Python that calls us. Without `-P` it would take a module of that name from the current folder."""
FRAMES: dict[str, Entry] = {"cursor": {"version": 1}}
"""What else a client wants in the file that hooks are in."""
FLAT = ("cursor",)
"""Clients that list handlers without groups around them."""


def hook_entries(client: Client, program: tuple[str, ...], at: str = SPAWN, prompts: bool = False) -> Entries:
    """The client's hooks: by event, the groups or handlers that call `program`. Never both at spawn and at start."""
    kinds = set(client.events.values())
    told = at if at in kinds else next(kind for kind in (SPAWN, START) if kind in kinds)
    wanted = {told, SESSION, COMPACT, END} | ({PROMPT} if prompts else set())
    return {
        event: [_group(client, program, kind, *row) for row in _rows(client, kind)]
        for event, kind in client.events.items()
        if kind in wanted and (client.name, kind) not in NOT_INSTALLED
    }


def _rows(client: Client, kind: str) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Matchers, and the parts of an answer that each of them calls for; 0 is an answer that has no parts."""
    if kind == SPAWN:
        yield "|".join(client.spawn_tools), (0,)
    elif kind == START:
        yield "", tuple(range(1, client.parts + 1))
    else:
        yield "", (0,)
        if kind == SESSION and client.parts > 1:
            yield "compact", tuple(range(2, SESSION_PARTS + 1))


def _group(client: Client, program: tuple[str, ...], kind: str, matcher: str, parts: tuple[int, ...]) -> Entry:
    matching = {"matcher": matcher} if matcher else {}
    timeout = (AT_THE_END if kind == END else SECONDS) * client.timeout_unit
    make = _HANDLERS[client.name]
    handlers = [make((*program, *_words(client, part)), timeout) for part in parts]
    return {**handlers[0], **matching} if client.name in FLAT else {**matching, "hooks": handlers}


def _words(client: Client, part: int) -> tuple[str, ...]:
    return ("hook", "--client", client.name, *(("--part", str(part)) if part else ()))


def _claude(words: tuple[str, ...], timeout: int) -> Entry:
    """Run without a shell: no quoting, and blanks in a path are nothing special."""
    return {"type": "command", "command": words[0], "args": list(words[1:]), "timeout": timeout}


def _codex(words: tuple[str, ...], timeout: int) -> Entry:
    return {"type": "command", "command": shell_line(words), "timeout": timeout}


def _gemini(words: tuple[str, ...], timeout: int) -> Entry:
    return {"type": "command", "name": PROGRAM, "command": shell_line(words), "timeout": timeout}


def _cursor(words: tuple[str, ...], timeout: int) -> Entry:
    return {"command": shell_line(words), "timeout": timeout}


_HANDLERS: dict[str, Callable[[tuple[str, ...], int], Entry]] = {
    "claude": _claude,
    "codex": _codex,
    "gemini": _gemini,
    "cursor": _cursor,
}


def shell_line(words: tuple[str, ...]) -> str:
    """Words as a shell takes them; a Windows path in the quotes that Windows knows."""
    import shlex

    return " ".join(f'"{word}"' if word[1:3] == ":\\" else shlex.quote(word) for word in words)


def handler_words(handler: object) -> list[str]:
    """The words of a handler's command, in either form; none where it is something else."""
    import shlex

    if not isinstance(handler, dict) or not isinstance(handler.get("command"), str):
        return []
    command, arguments = handler["command"], handler.get("args")
    if isinstance(arguments, list):
        return [command, *map(str, arguments)]
    try:
        words = shlex.split(command, posix=":\\" not in command)
    except ValueError:
        return []
    return [word.strip('"') for word in words] if ":\\" in command else words


def is_ours(handler: object) -> bool:
    """Whether a handler calls `dctx hook`, whichever dctx that is."""
    words = handler_words(handler)
    return any(word == "hook" and _names_us(words[:place]) for place, word in enumerate(words[:6]))


def _names_us(program: list[str]) -> bool:
    if program[-2:] == ["-m", "director_ctx"]:
        return True
    name = program[0].replace("\\", "/").rsplit("/", 1)[-1].casefold() if len(program) == 1 else ""
    return name in (PROGRAM, f"{PROGRAM}.exe")
