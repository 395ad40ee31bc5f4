"""The sessions that agents' clients keep on this machine: where their files are, and what their
ends say.
"""

from __future__ import annotations

import os

from director_ctx.base.record import Record, as_dict
from director_ctx.context.tokens.transcripts import default_folder, transcripts
from director_ctx.history.sessions.lines import OPENING, about, opens
from director_ctx.history.sessions.past import folders_of
from director_ctx.history.sessions.usage import said_last

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any


END = 64 * 1024
"""Bytes that are read at either end."""
LARGEST_VALUE = 64 * 1024 * 1024
"""Bytes of a file that is one value: its end says nothing without its beginning."""


class FileEnds(Record):
    """The objects at both ends of a file. Of one that is short enough, all of them are in `first`."""

    first: list[dict[str, Any]]
    last: list[dict[str, Any]]
    begin: list[bytes]
    """The first lines as they are; none where these are all of them."""
    lines: list[bytes]
    """The last lines as they are."""
    half: bytes
    """As much of the next line as was read at the beginning."""
    share: float
    """How much of the file this is."""
    whole: bool

    def tokens(self) -> int | None:
        """Tokens in use, where an answer near the end says it."""
        return said_last(self.lines)


def read_ends(path: str, size: int) -> FileEnds | None:
    """None for a file that cannot be read."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)
    try:
        descriptor = os.open(path, flags)
    except OSError:
        return None
    most = LARGEST_VALUE if path.endswith(".json") else 2 * END
    try:
        if size <= most:
            return _whole(path, os.read(descriptor, most))
        head = os.read(descriptor, END)
        os.lseek(descriptor, -END, os.SEEK_END)
        tail = os.read(descriptor, END)
    except OSError:
        return None
    finally:
        os.close(descriptor)

    *before, half = head.split(b"\n")
    after = tail.split(b"\n")[1:]
    known = sum(map(len, before)) + sum(map(len, after))
    return FileEnds(objects(before), objects(after), before, after, half, known / size, False)


def _whole(path: str, data: bytes) -> FileEnds:
    lines = [data] if path.endswith(".json") else data.split(b"\n")
    return FileEnds(objects(lines), [], [], lines, b"", 1.0, True)


def objects(lines: Sequence[bytes]) -> list[dict[str, Any]]:
    """What is an object; half a line is none."""
    from json import loads

    values: list[dict[str, Any]] = []
    for line in lines:
        if not line:
            continue
        try:
            value = loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            values.append(value)
    return values


CLAUDE, CODEX, GEMINI, COPILOT, STORE = "claude", "codex", "gemini", "copilot", "store"
_COMPACTION = "agent-acompact"
_SHORT, _TIMED = 8, 13
BYTES_A_TOKEN = 8
"""Of a transcript of which nothing more is known."""


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

    @property
    def own(self) -> bool:
        """Whether a client only wrote a summary for us in it."""
        return self.title.startswith(OPENING)

    def as_json(self) -> dict[str, Any]:
        """The shape of `dctx history list --json`."""
        return {**as_dict(self), "parent": self.parent or None}


def short_id(identity: str) -> str:
    """Enough of an id to know a session by it. Where an id begins with its time, that is more."""
    bare = identity.removeprefix("agent-")
    begins_with_time = bare[14:15] == "7"
    return bare[: _TIMED if begins_with_time else _SHORT]


def files(root: str, client: str | None = None) -> list[File]:
    """Every file that may be a session of a project, or of any for an empty root; oldest first."""
    every: list[File] = []
    for name, find in _FIND.items():
        if client in (None, name):
            every += find(root)
    return sorted(every, key=lambda file: (file.changed, file.path))


def look(
    file: File, root: str, estimate: Callable[[File, FileEnds], int] | None = None
) -> Session | None:
    """What the ends of a file say, if it is one of this project. Tokens that its client does not
    say are estimated.
    """
    ends = read_ends(file.path, file.size)
    if ends is None:
        return None
    said = about(file.client, file.path, ends.first, ends.last)
    if said is None or not _is_of(file, said.folder, said.hash, root):
        return None

    tokens = ends.tokens()
    if tokens is None:
        tokens = estimate(file, ends) if estimate else file.size // BYTES_A_TOKEN
    title = said.title
    if opens(file.client, ends.first, ends.half):
        title = OPENING
    folder = said.folder
    if not folder and file.client == GEMINI:
        folder = _project_of(file.path)
    return Session(
        said.id,
        file.client,
        file.path,
        said.started,
        said.ended or _moment(file.changed),
        _scaled(said.messages, ends),
        tokens,
        ends.whole,
        title,
        said.parent,
        folder,
    )


def _scaled(count: int, ends: FileEnds) -> int:
    """As many as there will be in all of the file, if it is like its ends."""
    if ends.whole:
        return count
    return max(1, round(count / max(ends.share, 1e-9)))


def _is_of(file: File, folder: str, digest: str, root: str) -> bool:
    if not root:
        return True
    if file.client == GEMINI:
        return digest == _hash(root) or _project_of(file.path) == root
    return folder == root or folder.startswith(os.path.join(root, ""))


def _claude(root: str) -> Iterator[File]:
    base = default_folder()
    folders = folders_of(base, root) if root else [base]
    for folder in folders:
        for path in transcripts(folder):
            if not os.path.basename(path).startswith(_COMPACTION):
                yield from _file(CLAUDE, path)


def _codex(_: str) -> Iterator[File]:
    base = os.environ.get("CODEX_HOME") or os.path.join(os.path.expanduser("~"), ".codex")
    for name in ("archived_sessions", "sessions"):
        for path in transcripts(os.path.join(base, name)):
            if os.path.basename(path).startswith("rollout-"):
                yield from _file(CODEX, path)


def _gemini(_: str) -> Iterator[File]:
    base = os.path.join(os.path.expanduser("~"), ".gemini", "tmp")
    for around, folders, names in os.walk(base):
        folders.sort()
        if f"{os.sep}chats" not in around[len(base) :]:
            continue
        for name in sorted(names):
            path = os.path.join(around, name)
            is_session = name.endswith((".jsonl", ".json"))
            if is_session and os.path.isfile(path) and not os.path.islink(path):
                yield from _file(GEMINI, path)


def copilot_transcript(session: str) -> str:
    """Where Copilot CLI writes a session; events of it do not say."""
    home = os.environ.get("COPILOT_HOME") or os.path.join(os.path.expanduser("~"), ".copilot")
    return os.path.join(home, "session-state", session, "events.jsonl")


def _copilot(_: str) -> Iterator[File]:
    sessions = os.path.dirname(os.path.dirname(copilot_transcript("any")))
    try:
        names = sorted(os.listdir(sessions))
    except OSError:
        return
    for name in names:
        yield from _file(COPILOT, copilot_transcript(name))


_FIND: dict[str, Callable[[str], Iterator[File]]] = {
    CODEX: _codex,
    GEMINI: _gemini,
    COPILOT: _copilot,
    CLAUDE: _claude,
}


def _file(client: str, path: str) -> Iterator[File]:
    """The file, if it is there."""
    try:
        status = os.stat(path)
    except OSError:
        return
    yield File(client, path, status.st_mtime, status.st_size)


def _hash(root: str) -> str:
    from hashlib import sha256

    return sha256(root.encode("utf-8", "surrogateescape")).hexdigest()


def _project_of(path: str) -> str:
    """The project of a folder of Gemini CLI, which names it in a file beside the folder of its
    sessions.
    """
    around = path
    while os.path.basename(around) not in ("chats", ""):
        around = os.path.dirname(around)
    told_in = os.path.join(os.path.dirname(around), ".project_root")
    try:
        with open(told_in, encoding="utf-8") as file:
            return file.read(10_000).strip()
    except (OSError, ValueError):
        return ""


def _moment(seconds: float) -> str:
    from time import gmtime, strftime

    return strftime("%Y-%m-%dT%H:%M:%SZ", gmtime(seconds))
