"""The sessions that agents' clients keep on this machine: where their files are, and what is known
of a session without reading all of it. Known lines are read, all others passed over.
"""

from __future__ import annotations

import os

from director_ctx.base.claude_code_lines import (
    FROM_USER,
    SAID,
    UUID,
    agent_of,
    is_meta,
    is_sidechain,
    is_summary,
    kind_of,
    message_of,
    session_of,
)
from director_ctx.base.one_line import begun
from director_ctx.base.record import Record, as_dict
from director_ctx.history.messages.client_words import typed_command, typed_text
from director_ctx.history.sessions.usage import last_tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    Json = dict[str, Any]
    FileEnds = tuple[list[bytes], bytes, list[bytes], float]
    """The first lines, as much of the next one as was read, the last lines, and how much of the file
    this is.
    """

CLAUDE, CODEX, STORE = "claude", "codex", "store"
OPENING = "You are the Director and your context window is getting full. Your job is to compress ONLY the conversation"
"""How the prompt for a summary begins. A client that was given it leaves a session that nobody had
with it.
"""
END = 64 * 1024
"""Bytes that are read at either end of a file."""
LONGEST_TITLE = 200
BYTES_A_TOKEN = 8
"""Of a session of which nothing more is known."""
_COMPACTION = "agent-acompact"
"""How Claude Code names the file of an agent that sums up a session for it."""
_SLUG = 200
"""Longer names of folders are cut, and end in something else."""
_SHORT, _TIMED = 8, 13


class File(Record):
    """One file of a client."""

    client: str
    path: str
    changed: float
    size: int


class Session(Record):
    """What is known of a session without reading all of it."""

    id: str
    client: str
    path: str
    started: str
    last: str
    messages: int
    tokens: int
    exact: bool
    """Whether the messages were counted; else they are estimated, as tokens are where no answer
    says how many.
    """
    title: str
    parent: str = ""
    """The session that this one is a sub-agent of."""
    folder: str = ""
    """Where its client was started, if it says so."""
    said_tokens: bool = False
    """Whether its client says how many tokens are in its window."""

    @property
    def own(self) -> bool:
        """Whether a client only wrote a summary for us in it."""
        return self.title.startswith(OPENING)

    def as_json(self) -> Json:
        """The shape of `dctx history list --json`."""
        return {**as_dict(self), "parent": self.parent or None}


def short_id(identity: str) -> str:
    """Enough of an id to know a session by it."""
    bare = identity.removeprefix("agent-")
    # A UUID of version 7 begins with its time: of sessions of one minute eight digits are the same.
    return bare[:_TIMED] if bare[14:15] == "7" else bare[:_SHORT]


def files(root: str, client: str | None = None) -> list[File]:
    """Every file that may be a session of a project, or of any for an empty root; oldest first."""
    every: list[File] = []
    for name, find in ((CODEX, _codex_paths), (CLAUDE, _claude_paths)):
        if client in (None, name):
            for path in find(root):
                every += file_at(name, path)
    return sorted(every, key=lambda file: (file.changed, file.path))


def file_at(client: str, path: str) -> Iterator[File]:
    """The file, if it is there."""
    try:
        status = os.stat(path)
    except OSError:
        return
    yield File(client, path, status.st_mtime, status.st_size)


def _claude_paths(root: str) -> Iterator[str]:
    base = default_folder()
    for folder in folders_of(base, root) if root else [base]:
        for path in transcripts(folder):
            if not os.path.basename(path).startswith(_COMPACTION):
                yield path


def _codex_paths(_: str) -> Iterator[str]:
    base = os.environ.get("CODEX_HOME") or os.path.join(os.path.expanduser("~"), ".codex")
    for folder in ("archived_sessions", "sessions"):
        for path in transcripts(os.path.join(base, folder)):
            if os.path.basename(path).startswith("rollout-"):
                yield path


def default_folder() -> str:
    """Where Claude Code keeps its transcripts."""
    base = os.environ.get("CLAUDE_CONFIG_DIR")
    return os.path.join(base or os.path.join(os.path.expanduser("~"), ".claude"), "projects")


def folders_of(base: str, root: str) -> list[str]:
    """The folders of a project's sessions, those that were started further down in it too."""
    # As Claude Code writes a path: whatever is no letter or digit of ASCII is a dash.
    slug = "".join(char if char.isascii() and char.isalnum() else "-" for char in root[:_SLUG])
    try:
        names = sorted(os.listdir(base))
    except OSError:
        return []
    return [os.path.join(base, name) for name in names if name.startswith(slug)]


def transcripts(folder: str) -> list[str]:
    """Every transcript below a folder, those of sub-agents too; no link is followed, and no pipe
    waited for.
    """
    paths = []
    for parent, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(parent, name)
            if name.endswith(".jsonl") and os.path.isfile(path) and not os.path.islink(path):
                paths.append(path)
    return sorted(paths)


# What a file says of its session


def look(
    file: File, root: str, estimate: Callable[[File, FileEnds], int] | None = None
) -> Session | None:
    """What the ends of a file say, if anything was said in it, in this project. Tokens that its
    client does not say are estimated.
    """
    ends = _read_ends(file.path, file.size)
    if ends is None:
        return None
    begin, half, last, share = ends
    client = _CLIENTS[file.client]
    first = _objects(begin)
    # Of a short file the beginning is all of it.
    lines = [*first, *(_objects(last) if share < 1 else ())]
    # A set, because Claude Code writes each block of an answer as a line with the same id.
    said: set[object] = set()
    for number, name in enumerate(map(client.said, lines)):
        if name is not None:
            said.add(name if isinstance(name, str) else number)
    folder = _first_text(map(client.folder, lines))
    if not said or (root and not os.path.join(folder, "").startswith(os.path.join(root, ""))):
        return None

    # Of one line that is longer than both ends nothing is known.
    count = round(len(said) / max(share, 1e-9))
    times = [time for line in lines for time in _times(line)]
    parent = _folder_of_agent(file.path) or _first_text(map(client.parent, lines))
    tokens = last_tokens(last, of_agent=bool(parent))
    estimated = file.size // BYTES_A_TOKEN
    if tokens is None and estimate:
        estimated = estimate(file, ends)
    opening = _first_words(typed_text, first, client)
    # A prompt of ours is longer than what is read of a file.
    is_own = opening.startswith(OPENING) if opening else b'"' + OPENING.encode() in half
    # What somebody typed, else the first command that was given with words behind it.
    title = _first_words(typed_text, lines, client) or _first_words(typed_command, lines, client)
    name, _ = os.path.splitext(os.path.basename(file.path))
    return Session(
        id=_first_text(map(client.id, lines)) or name,
        client=file.client,
        path=file.path,
        started=times[0] if times else "",
        last=times[-1] if times else _moment(file.changed),
        messages=count if share == 1 else max(1, count),
        tokens=estimated if tokens is None else tokens,
        exact=share == 1,
        title=OPENING if is_own else title,
        parent=parent,
        folder=folder,
        said_tokens=tokens is not None,
    )


def _read_ends(path: str, size: int) -> FileEnds | None:
    """None for a file that cannot be read."""
    # Neither waits for somebody to write into a pipe, nor leaves the folder by a link. Windows has
    # neither of these flags.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)
    try:
        descriptor = os.open(path, flags)
    except OSError:
        return None
    try:
        if size <= 2 * END:
            lines = os.read(descriptor, 2 * END).split(b"\n")
            return lines, b"", lines, 1.0
        *begin, half = os.read(descriptor, END).split(b"\n")
        os.lseek(descriptor, -END, os.SEEK_END)
        # The first of the last is only the end of a line.
        _, *last = os.read(descriptor, END).split(b"\n")
    except OSError:
        return None
    finally:
        os.close(descriptor)
    return begin, half, last, (sum(map(len, begin)) + sum(map(len, last))) / size


def _objects(lines: Iterable[bytes]) -> list[Json]:
    """What is an object; half a line is none."""
    from json import loads

    values = []
    for line in filter(None, lines):
        try:
            value = loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            values.append(value)
    return values


class _ClientLines(Record):
    """How one client writes down what is said in a session."""

    folder: Callable[[Json], object]
    said: Callable[[Json], object]
    """The id of a message, False where it has none; None for a line that is no message."""
    asked: Callable[[Json], object]
    """What the user said there."""
    id: Callable[[Json], object]
    """Of the session; that of Claude Code is the name of its file."""
    parent: Callable[[Json], object]


def _inner(line: Json, *keys: str) -> Json:
    """An object inside a line; an empty one where there is none."""
    value: Any = line
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def _claude_said(line: Json) -> object:
    if kind_of(line) not in SAID or is_meta(line):
        return None
    return (message_of(line) or {}).get("id") or line.get(UUID) or False


def _claude_asked(line: Json) -> object:
    is_asked = kind_of(line) == FROM_USER and not is_meta(line) and not is_summary(line)
    return (message_of(line) or {}).get("content") if is_asked else None


def _codex_said(line: Json) -> object:
    item = _inner(line, "payload")
    if line.get("type") != "response_item" or item.get("type") == "reasoning":
        return None
    return None if item.get("role") in ("developer", "system") else item.get("id") or False


def _codex_asked(line: Json) -> object:
    item = _inner(line, "payload")
    is_asked = line.get("type") == "response_item" and item.get("role") == "user"
    return item.get("content") if is_asked else None


def _codex_meta(line: Json) -> Json:
    """What a rollout says of itself."""
    return _inner(line, "payload") if line.get("type") == "session_meta" else {}


def _codex_parent(line: Json) -> object:
    # Else it stands with how the agent was spawned.
    spawn = _inner(line, "payload", "source", "subagent", "thread_spawn")
    return _codex_meta(line).get("parent_thread_id") or spawn.get("parent_thread_id")


_CLIENTS = {
    CLAUDE: _ClientLines(
        folder=lambda line: line.get("cwd"),
        said=_claude_said,
        asked=_claude_asked,
        id=lambda line: None,
        # The lines of a sub-agent name the session that spawned it, which is not its own.
        parent=lambda line: session_of(line) if is_sidechain(line) and agent_of(line) else None,
    ),
    CODEX: _ClientLines(
        folder=lambda line: _codex_meta(line).get("cwd"),
        said=_codex_said,
        asked=_codex_asked,
        id=lambda line: _codex_meta(line).get("id"),
        parent=_codex_parent,
    ),
}


def _times(line: Json) -> Iterator[str]:
    for key in ("timestamp", "startTime"):
        time = line.get(key)
        if isinstance(time, str):
            yield time


def _folder_of_agent(path: str) -> str:
    """The folder of a sub-agent names the session that it belongs to."""
    above, folder = os.path.split(os.path.dirname(path))
    return os.path.basename(above) if folder == "subagents" else ""


def _first_words(
    words_of: Callable[[str], str], lines: Iterable[Json], client: _ClientLines
) -> str:
    """Of the user, without what a client put before them."""
    texts = (text for line in lines for text in _texts(client.asked(line)))
    return begun(" ".join(_first_text(map(words_of, texts)).split()), LONGEST_TITLE)


def _texts(content: object) -> list[str]:
    if isinstance(content, str):
        return [content]
    parts = content if isinstance(content, list) else ()
    texts = [part.get("text") for part in parts if isinstance(part, dict)]
    return [text for text in texts if isinstance(text, str)]


def _first_text(values: Iterable[object]) -> str:
    return next((value for value in values if isinstance(value, str) and value), "")


def _moment(seconds: float) -> str:
    from time import gmtime, strftime

    return strftime("%Y-%m-%dT%H:%M:%SZ", gmtime(seconds))
