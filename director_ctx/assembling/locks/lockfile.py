"""The lock of a context: what is needed to make it again. Untrusted when it is read: every mistake
is named.
"""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record, as_dict
from director_ctx.base.text import plain
from director_ctx.context.settings.request import Request
from director_ctx.memory.runs.run import Told

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

VERSION = 1
SEVERAL = ("type", "codebase", "research", "with_", "without", "ref")
FLAGS = ("raw", "all_commits")
MOST_ITEMS, LONGEST_NAME, LONGEST_TEXT = 20_000, 4_000, 4_000_000
_HEX = frozenset("0123456789abcdef")


class Origin(Record):
    """Where in a repository the project was. Paths have forward slashes; an empty one is the top."""

    commit: str
    project: str
    folder: str
    changes: str = ""
    """The commit that `--changes` meant."""


class Reference(Record):
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


class Locked(Told):
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
    references: tuple[Reference, ...]
    sha256: str
    sections: tuple[Locked, ...]
    files: Mapping[str, str]
    """Every file that was read for it, and the hash of its text."""
    instructions: Mapping[str, str]
    stale: Mapping[str, str]
    unreproducible: tuple[Unlike, ...]


def lock_json(lock: Lock) -> dict[str, Any]:
    return {
        "dctx_lock": VERSION,
        **as_dict(lock),
        "git": lock.git and as_dict(lock.git),
        "references": [as_dict(one) for one in lock.references],
        "sections": [as_dict(one) for one in lock.sections],
        "unreproducible": [as_dict(one) for one in lock.unreproducible],
    }


class _Shape:
    """Looks at data and collects what is wrong with it, by key path."""

    def __init__(self) -> None:
        self.mistakes: list[str] = []

    def wrong(self, path: str, message: str) -> None:
        self.mistakes.append(f"{plain(path[:120])}: {message}")

    def text(self, path: str, value: object, longest: int = LONGEST_NAME) -> str:
        if isinstance(value, str) and len(value) <= longest:
            return value
        self.wrong(path, "must be text" if not isinstance(value, str) else "is too long")
        return ""

    def number(self, path: str, value: object) -> int:
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**12:
            return value
        self.wrong(path, "must be a whole number")
        return 0

    def flag(self, path: str, value: object) -> bool:
        if not isinstance(value, bool):
            self.wrong(path, "must be true or false")
        return value is True

    def hash(self, path: str, value: object, lengths: tuple[int, ...] = (64,)) -> str:
        text = self.text(path, value)
        if text and (len(text) not in lengths or not _HEX.issuperset(text)):
            self.wrong(path, "must be a hash in small hex digits")
        return text

    def way(self, path: str, value: object) -> str:
        """A path that goes straight down from the top of a repository, or nothing."""
        text = self.text(path, value)
        if text and (
            "\0" in text or any(not part or part in (".", "..") for part in text.split("/"))
        ):
            self.wrong(path, "must be a path inside the repository")
        return text

    def mapping(self, path: str, value: object, known: tuple[str, ...] = ()) -> dict[str, Any]:
        if not isinstance(value, dict) or len(value) > MOST_ITEMS:
            self.wrong(path, "must be an object")
            return dict.fromkeys(known)
        for key in [key for key in value if known and key not in known]:
            self.wrong(f"{path}.{key}", "is unknown")
        for key in [key for key in known if key not in value]:
            self.wrong(f"{path}.{key}", "is missing")
        return {key: value.get(key) for key in known} if known else value

    def items(self, path: str, value: object, read: Callable[[str, Any], Any]) -> tuple[Any, ...]:
        if not isinstance(value, list) or len(value) > MOST_ITEMS:
            self.wrong(path, "must be a list")
            return ()
        return tuple(read(f"{path}[{place}]", item) for place, item in enumerate(value))


def parse_lock(data: object) -> Lock:
    """The lock, or DctxError with every mistake."""
    if not isinstance(data, dict) or "dctx_lock" not in data:
        raise DctxError(
            "This is not a lock that `dctx lock` wrote.", "Give it the file that it wrote."
        )
    if data["dctx_lock"] != VERSION:
        raise DctxError("This lock has a form that this dctx does not know.", "Try a newer dctx.")
    shape = _Shape()
    lock = _lock(shape, {key: value for key, value in data.items() if key != "dctx_lock"})
    if shape.mistakes:
        shown = "; ".join(shape.mistakes[:20]) + ("; and more" if len(shape.mistakes) > 20 else "")
        raise DctxError(f"The lock is damaged: {shown}.", "Write a new one with `dctx lock`.")
    return lock


def _lock(shape: _Shape, data: dict[str, Any]) -> Lock:
    top = shape.mapping("lock", data, Lock._fields)
    texts = {name: shape.text(name, top[name]) for name in ("dctx", "agent", "task", "counter")}
    instructions = shape.mapping("instructions", top["instructions"], ("source", "sha256"))
    return Lock(
        **texts,
        options=_options(shape, top["options"]),
        budget=_budget(shape, top["budget"]),
        git=None if top["git"] is None else _origin(shape, top["git"]),
        references=shape.items(
            "references", top["references"], lambda path, item: _reference(shape, path, item)
        ),
        sha256=shape.hash("sha256", top["sha256"]),
        sections=shape.items(
            "sections", top["sections"], lambda path, item: _section(shape, path, item)
        ),
        files={
            path: shape.hash(f"files.{path}", sha)
            for path, sha in shape.mapping("files", top["files"]).items()
        },
        instructions={
            name: shape.text(f"instructions.{name}", value) for name, value in instructions.items()
        },
        stale={
            path: shape.text(f"stale.{path}", line)
            for path, line in shape.mapping("stale", top["stale"]).items()
        },
        unreproducible=shape.items(
            "unreproducible", top["unreproducible"], lambda path, it: _unlike(shape, path, it)
        ),
    )


def _options(shape: _Shape, value: object) -> dict[str, Any]:
    """Options of `dctx assemble` and nothing else."""
    options: dict[str, Any] = {}
    for name, given in shape.mapping("options", value).items():
        path = f"options.{name}"
        if name not in Request._fields or name == "agent":
            shape.wrong(path, "is no option of this dctx")
        elif name in FLAGS:
            options[name] = shape.flag(path, given)
        elif name in SEVERAL:
            options[name] = shape.items(path, given, shape.text)
        else:
            options[name] = shape.text(path, given, LONGEST_TEXT)
    return options


def _budget(shape: _Shape, value: object) -> dict[str, Any]:
    budget = shape.mapping("budget", value, ("window", "limit", "used", "status"))
    numbers = {
        name: shape.number(f"budget.{name}", budget[name]) for name in ("window", "limit", "used")
    }
    return {**numbers, "status": shape.text("budget.status", budget["status"])}


def _origin(shape: _Shape, value: object) -> Origin:
    git = shape.mapping("git", value, Origin._fields)
    ids = {name: shape.hash(f"git.{name}", git[name], (40, 64)) for name in ("commit", "changes")}
    ways = {name: shape.way(f"git.{name}", git[name]) for name in ("project", "folder")}
    if not ids["commit"] or not ways["folder"]:
        shape.wrong("git", "must name a commit and a folder")
    return Origin(**ids, **ways)


def _section(shape: _Shape, path: str, value: object) -> Locked:
    item = shape.mapping(path, value, ("tag", "tokens", "sha256", "sources"))
    tag, tokens = (
        shape.text(f"{path}.tag", item["tag"]),
        shape.number(f"{path}.tokens", item["tokens"]),
    )
    sources = shape.items(f"{path}.sources", item["sources"], shape.text)
    return Locked(tag, tokens, shape.hash(f"{path}.sha256", item["sha256"]), sources)


def _reference(shape: _Shape, path: str, value: object) -> Reference:
    item = shape.mapping(path, value, Reference._fields)
    shown, where = (
        shape.way(f"{path}.shown", item["shown"]),
        shape.way(f"{path}.path", item["path"]),
    )
    if not shown:
        shape.wrong(f"{path}.shown", "must name a file")
    return Reference(shape.text(f"{path}.name", item["name"]), shown, where)


def _unlike(shape: _Shape, path: str, value: object) -> Unlike:
    item = shape.mapping(path, value, Unlike._fields)
    where, how = (shape.text(f"{path}.{name}", item[name]) for name in ("path", "how"))
    return Unlike(where, how, shape.flag(f"{path}.used", item["used"]))
