"""The sessions that agents' clients keep on this machine: where their files are, and what is known
of a session without reading all of it.
"""

from __future__ import annotations

import os

from director_ctx.base.record import Record, as_dict
from director_ctx.history.sessions.ends import read_ends
from director_ctx.history.sessions.lines import OPENING, about, begins_with_our_prompt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from director_ctx.history.sessions.ends import FileEnds
    from director_ctx.history.sessions.lines import SessionAbout


CLAUDE, CODEX, STORE = "claude", "codex", "store"
_COMPACTION = "agent-acompact"
"""How Claude Code names the file of an agent that sums up a session for it."""
_SLUG = 200
"""Longer names of folders are cut, and end in something else."""
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
    said_tokens: bool = False
    """Whether its client says how many tokens are in its window."""

    @property
    def own(self) -> bool:
        """Whether a client only wrote a summary for us in it."""
        return self.title.startswith(OPENING)

    def as_json(self) -> dict[str, Any]:
        """The shape of `dctx history list --json`."""
        return {**as_dict(self), "parent": self.parent or None}


def default_folder() -> str:
    """Where Claude Code keeps its transcripts."""
    base = os.environ.get("CLAUDE_CONFIG_DIR")
    if not base:
        base = os.path.join(os.path.expanduser("~"), ".claude")
    return os.path.join(base, "projects")


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


def short_id(identity: str) -> str:
    """Enough of an id to know a session by it."""
    bare = identity.removeprefix("agent-")
    # A UUID of version 7 begins with its time: of sessions of one minute eight digits are the same.
    begins_with_time = bare[14:15] == "7"
    if begins_with_time:
        return bare[:_TIMED]
    return bare[:_SHORT]


def files(root: str, client: str | None = None) -> list[File]:
    """Every file that may be a session of a project, or of any for an empty root; oldest first."""
    every: list[File] = []
    for name, find in _FIND.items():
        if client is None or client == name:
            every += find(root)
    every.sort(key=lambda file: (file.changed, file.path))
    return every


def look(
    file: File,
    root: str,
    estimate: Callable[[File, FileEnds], int] | None = None,
) -> Session | None:
    """What the ends of a file say, if it is one of this project. Tokens that its client does not
    say are estimated.
    """
    ends = read_ends(file.path, file.size)
    if ends is None:
        return None
    said = about(file.client, file.path, ends.first, ends.last)
    if said is None or not _is_of_project(said, root):
        return None

    tokens = ends.tokens(of_agent=bool(said.parent))
    said_tokens = tokens is not None
    if tokens is None and estimate:
        tokens = estimate(file, ends)
    elif tokens is None:
        tokens = file.size // BYTES_A_TOKEN
    title = said.title
    if begins_with_our_prompt(file.client, ends.first, ends.half):
        title = OPENING
    return Session(
        id=said.id,
        client=file.client,
        path=file.path,
        started=said.started,
        last=said.ended or _moment(file.changed),
        messages=_scaled(said.messages, ends),
        tokens=tokens,
        exact=ends.whole,
        title=title,
        parent=said.parent,
        folder=said.folder,
        said_tokens=said_tokens,
    )


def _scaled(count: int, ends: FileEnds) -> int:
    """As many as there will be in all of the file, if it is like its ends."""
    if ends.whole:
        return count
    share = max(ends.share, 1e-9)  # Of one line that is longer than both ends nothing is known.
    return max(1, round(count / share))


def _is_of_project(said: SessionAbout, root: str) -> bool:
    if not root:
        return True
    below = os.path.join(root, "")
    return said.folder == root or said.folder.startswith(below)


def _claude(root: str) -> Iterator[File]:
    base = default_folder()
    folders = [base]
    if root:
        folders = folders_of(base, root)
    for folder in folders:
        for path in transcripts(folder):
            name = os.path.basename(path)
            if not name.startswith(_COMPACTION):
                yield from file_at(CLAUDE, path)


def folders_of(base: str, root: str) -> list[str]:
    """The folders of a project's sessions, those that were started further down in it too."""
    slug = ""
    for char in root[:_SLUG]:
        # As Claude Code writes a path: whatever is no letter or digit of ASCII is a dash.
        if char.isascii() and char.isalnum():
            slug += char
        else:
            slug += "-"
    try:
        names = sorted(os.listdir(base))
    except OSError:
        return []
    return [os.path.join(base, name) for name in names if name.startswith(slug)]


def _codex(_: str) -> Iterator[File]:
    base = os.environ.get("CODEX_HOME") or _in_home(".codex")
    for folder in ("archived_sessions", "sessions"):
        for path in transcripts(os.path.join(base, folder)):
            name = os.path.basename(path)
            if name.startswith("rollout-"):
                yield from file_at(CODEX, path)


_FIND: dict[str, Callable[[str], Iterator[File]]] = {
    CODEX: _codex,
    CLAUDE: _claude,
}


def _in_home(*names: str) -> str:
    return os.path.join(os.path.expanduser("~"), *names)


def file_at(client: str, path: str) -> Iterator[File]:
    """The file, if it is there."""
    try:
        status = os.stat(path)
    except OSError:
        return
    yield File(client, path, status.st_mtime, status.st_size)


def _moment(seconds: float) -> str:
    from time import gmtime, strftime

    return strftime("%Y-%m-%dT%H:%M:%SZ", gmtime(seconds))
