"""The lock of a context: what is needed to make it again. Untrusted when it is read: every mistake
is named.
"""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record, as_dict
from director_ctx.base.text import plain
from director_ctx.context.settings.request import Request
from director_ctx.memory.runs.run import RunSection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

VERSION = 1
MOST_SHOWN = 20
SEVERAL = ("type", "codebase", "research", "with_", "without", "ref")
FLAGS = ("raw", "all_commits")
MOST_ITEMS = 20_000
LONGEST_NAME = 4_000
LONGEST_TEXT = 4_000_000
LARGEST_NUMBER = 10**12
GIT_HASHES = (40, 64)
"""Digits of a commit's name: by SHA-1, or by SHA-256."""
_HEX = frozenset("0123456789abcdef")


class Origin(Record):
    """Where in a repository the project was. Paths have forward slashes; an empty one is the top."""

    commit: str
    project: str
    folder: str
    changes: str = ""
    """The commit that `--changes` meant."""


class LockedReference(Record):
    """A document that was named with `--ref` and lies outside `.director/`."""

    name: str
    shown: str
    path: str
    """In the repository; empty if it was not in it."""


class Unlike(Record):
    """A file that was not as the revision has it."""

    path: str
    how: str
    used: bool


class LockedSection(RunSection):
    """One section, and the files it was made of."""

    sources: tuple[str, ...] = ()


class Lock(Record):
    dctx: str
    agent: str
    task: str
    options: Mapping[str, Any]
    counter: str
    budget: Mapping[str, Any]
    git: Origin | None
    references: tuple[LockedReference, ...]
    sha256: str
    sections: tuple[LockedSection, ...]
    files: Mapping[str, str]
    """Every file that was read for it, and the hash of its text."""
    instructions: Mapping[str, str]
    stale: Mapping[str, str]
    agents: Mapping[str, str]
    """The sub-agents that the instructions name, by their roles."""
    unreproducible: tuple[Unlike, ...]


def lock_json(lock: Lock) -> dict[str, Any]:
    git = None
    if lock.git:
        git = as_dict(lock.git)
    return {
        "dctx_lock": VERSION,
        **as_dict(lock),
        "git": git,
        "references": list(map(as_dict, lock.references)),
        "sections": list(map(as_dict, lock.sections)),
        "unreproducible": list(map(as_dict, lock.unreproducible)),
    }


class _Shape:
    """Looks at data and collects what is wrong with it, by key path."""

    def __init__(self) -> None:
        self.mistakes: list[str] = []

    def wrong(self, path: str, message: str) -> None:
        self.mistakes.append(f"{plain(path[:120])}: {message}")

    def text(self, path: str, value: object, longest: int = LONGEST_NAME) -> str:
        if not isinstance(value, str):
            self.wrong(path, "must be text")
            return ""
        if len(value) > longest:
            self.wrong(path, "is too long")
            return ""
        return value

    def number(self, path: str, value: object) -> int:
        # To Python, true and false are numbers.
        if not isinstance(value, int) or isinstance(value, bool):
            self.wrong(path, "must be a whole number")
            return 0
        if not 0 <= value < LARGEST_NUMBER:
            self.wrong(path, "must be a whole number")
            return 0
        return value

    def flag(self, path: str, value: object) -> bool:
        if not isinstance(value, bool):
            self.wrong(path, "must be true or false")
        return value is True

    def hash(
        self,
        path: str,
        value: object,
        lengths: tuple[int, ...] = (64,),
    ) -> str:
        text = self.text(path, value)
        if text and (len(text) not in lengths or not _HEX.issuperset(text)):
            self.wrong(path, "must be a hash in small hex digits")
        return text

    def way(self, path: str, value: object) -> str:
        """A path that goes straight down from the top of a repository, or nothing."""
        text = self.text(path, value)
        if not text:
            return text
        leads_elsewhere = {"", ".", ".."}.intersection(text.split("/"))
        if leads_elsewhere or "\0" in text:
            self.wrong(path, "must be a path inside the repository")
        return text

    def mapping(
        self,
        path: str,
        value: object,
        known: tuple[str, ...] = (),
    ) -> dict[str, Any]:
        """All of it; or exactly the known keys, if there are any."""
        if not isinstance(value, dict) or len(value) > MOST_ITEMS:
            self.wrong(path, "must be an object")
            return dict.fromkeys(known)
        if not known:
            return value

        for key in value:
            if key not in known:
                self.wrong(f"{path}.{key}", "is unknown")
        for key in known:
            if key not in value:
                self.wrong(f"{path}.{key}", "is missing")
        return {key: value.get(key) for key in known}

    def items(
        self,
        path: str,
        value: object,
        read: Callable[[str, Any], Any],
    ) -> tuple[Any, ...]:
        if not isinstance(value, list) or len(value) > MOST_ITEMS:
            self.wrong(path, "must be a list")
            return ()
        items = []
        for index, item in enumerate(value):
            items.append(read(f"{path}[{index}]", item))
        return tuple(items)

    def section(self, path: str, value: object) -> LockedSection:
        item = self.mapping(path, value, ("tag", "tokens", "sha256", "sources"))
        return LockedSection(
            tag=self.text(f"{path}.tag", item["tag"]),
            tokens=self.number(f"{path}.tokens", item["tokens"]),
            sources=self.items(f"{path}.sources", item["sources"], self.text),
            sha256=self.hash(f"{path}.sha256", item["sha256"]),
        )

    def reference(self, path: str, value: object) -> LockedReference:
        item = self.mapping(path, value, LockedReference._fields)
        shown = self.way(f"{path}.shown", item["shown"])
        in_repository = self.way(f"{path}.path", item["path"])
        if not shown:
            self.wrong(f"{path}.shown", "must name a file")
        name = self.text(f"{path}.name", item["name"])
        return LockedReference(name, shown, in_repository)

    def unlike(self, path: str, value: object) -> Unlike:
        item = self.mapping(path, value, Unlike._fields)
        file = self.text(f"{path}.path", item["path"])
        how = self.text(f"{path}.how", item["how"])
        used = self.flag(f"{path}.used", item["used"])
        return Unlike(file, how, used)


def parse_lock(data: object) -> Lock:
    """The lock, or DctxError with every mistake."""
    if not isinstance(data, dict) or "dctx_lock" not in data:
        raise DctxError(
            "This is not a lock that `dctx lock` wrote.",
            "Give it the file that it wrote.",
        )
    if data["dctx_lock"] != VERSION:
        raise DctxError(
            "This lock has a form that this dctx does not know.",
            "Try a newer dctx.",
        )

    fields = dict(data)
    del fields["dctx_lock"]
    shape = _Shape()
    lock = _lock(shape, fields)
    if shape.mistakes:
        shown = "; ".join(shape.mistakes[:MOST_SHOWN])
        if len(shape.mistakes) > MOST_SHOWN:
            shown += "; and more"
        raise DctxError(f"The lock is damaged: {shown}.", "Write a new one with `dctx lock`.")
    return lock


def _lock(shape: _Shape, data: dict[str, Any]) -> Lock:
    # A lock comes from somebody else: all of it is checked before anything is done with it.
    top = shape.mapping("lock", data, Lock._fields)
    dctx = shape.text("dctx", top["dctx"])
    agent = shape.text("agent", top["agent"])
    task = shape.text("task", top["task"])
    counter = shape.text("counter", top["counter"])
    instructions = shape.mapping("instructions", top["instructions"], ("source", "sha256"))
    return Lock(
        dctx=dctx,
        agent=agent,
        task=task,
        counter=counter,
        options=_options(shape, top["options"]),
        budget=_budget(shape, top["budget"]),
        git=_origin(shape, top["git"]),
        references=shape.items("references", top["references"], shape.reference),
        sha256=shape.hash("sha256", top["sha256"]),
        sections=shape.items("sections", top["sections"], shape.section),
        files=_files(shape, top["files"]),
        instructions=_texts(shape, "instructions", instructions),
        stale=_texts(shape, "stale", shape.mapping("stale", top["stale"])),
        agents=_texts(shape, "agents", shape.mapping("agents", top["agents"])),
        unreproducible=shape.items("unreproducible", top["unreproducible"], shape.unlike),
    )


def _texts(shape: _Shape, path: str, values: dict[str, Any]) -> dict[str, str]:
    return {name: shape.text(f"{path}.{name}", value) for name, value in values.items()}


def _files(shape: _Shape, value: object) -> dict[str, str]:
    hashes = shape.mapping("files", value)
    return {path: shape.hash(f"files.{path}", sha256) for path, sha256 in hashes.items()}


def _options(shape: _Shape, value: object) -> dict[str, Any]:
    """Options of `dctx assemble` and nothing else."""
    options: dict[str, Any] = {}
    for name, written in shape.mapping("options", value).items():
        path = f"options.{name}"
        # The agent stands beside the options.
        if name not in Request._fields or name == "agent":
            shape.wrong(path, "is no option of this dctx")
        elif name in FLAGS:
            options[name] = shape.flag(path, written)
        elif name in SEVERAL:
            options[name] = shape.items(path, written, shape.text)
        else:
            options[name] = shape.text(path, written, LONGEST_TEXT)
    return options


def _budget(shape: _Shape, value: object) -> dict[str, Any]:
    fields = shape.mapping("budget", value, ("window", "limit", "used", "status"))
    budget: dict[str, Any] = {}
    for name in ("window", "limit", "used"):
        budget[name] = shape.number(f"budget.{name}", fields[name])
    budget["status"] = shape.text("budget.status", fields["status"])
    return budget


def _origin(shape: _Shape, value: object) -> Origin | None:
    if value is None:
        return None
    git = shape.mapping("git", value, Origin._fields)
    commit = shape.hash("git.commit", git["commit"], GIT_HASHES)
    changes = shape.hash("git.changes", git["changes"], GIT_HASHES)
    project = shape.way("git.project", git["project"])
    folder = shape.way("git.folder", git["folder"])
    if not commit or not folder:
        shape.wrong("git", "must name a commit and a folder")
    return Origin(commit, project, folder, changes)
