"""A project's `dctx.yaml`: untrusted data in, frozen settings out, every mistake reported at once."""

from __future__ import annotations

from director_ctx.context.budget import COUNTERS, parse_budget, parse_window
from director_ctx.context.keywords import Kind
from director_ctx.context.models import Model
from director_ctx.context.profiles import PROFILES, SKILLS, Profile
from director_ctx.context.request import Settings
from director_ctx.errors import DctxError, UsageProblem
from director_ctx.folder.text import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

FILE = "dctx.yaml"
LARGEST_NUMBER = 1_000_000_000
LONGEST_NUMBER = 40
_KEYS = (
    "profiles",
    "task_types",
    "research_types",
    "models",
    "model",
    "window",
    "budget",
    "counter",
    "record",
    "compress",
    "hooks",
    "store",
    "workflow_id",
)
_HEX = frozenset("0123456789abcdef-")


class Checker:
    """Walks the data and collects mistakes with their key paths."""

    def __init__(self) -> None:
        self.mistakes: list[str] = []

    def wrong(self, path: str, message: str) -> None:
        self.mistakes.append(f"{plain(path[:120])}: {message}" if path else message)

    def mapping(self, path: str, value: object, known: tuple[str, ...] = ()) -> dict[str, Any]:
        if value is None:
            return {}
        if not isinstance(value, dict):
            self.wrong(path, "must be a mapping of keys to values")
            return {}
        for key in value:
            if not isinstance(key, str):
                self.wrong(path, f"the key {shown(key)!r} must be text")
            elif known and key not in known:
                self.wrong(f"{path}.{key}" if path else key, unknown(key, known))
        return {key: value[key] for key in value if isinstance(key, str) and (not known or key in known)}

    def texts(self, path: str, value: object) -> tuple[str, ...]:
        """A list of words; one word alone is a list of one."""
        items = [value] if isinstance(value, str) else value
        if not isinstance(items, list) or not all(isinstance(item, str) and item.strip() for item in items):
            self.wrong(path, "must be a list of words")
            return ()
        return tuple(item.strip() for item in items)

    def text(self, path: str, value: object, empty: bool = False) -> str:
        if not isinstance(value, str) or not (empty or value.strip()):
            self.wrong(path, "must be text")
            return ""
        return value.strip()

    def number(self, path: str, value: object) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= LARGEST_NUMBER:
            self.wrong(path, "must be a whole number")
            return 0
        return value

    def flag(self, path: str, value: object) -> bool:
        if not isinstance(value, bool):
            self.wrong(path, "must be true or false")
        return value is True

    def known(self, path: str, values: tuple[str, ...], known: tuple[str, ...]) -> None:
        for value in values:
            if value not in known:
                self.wrong(path, f"{shown(value)!r} is {unknown(value, known)}")


def shown(value: object) -> str:
    """A value as it can stand in a message: short, and not made in full if it is huge."""
    if isinstance(value, int) and abs(value) > LARGEST_NUMBER:
        return "a huge number"
    return str(value)[:60] if isinstance(value, str | int | float) else type(value).__name__


def unknown(name: str, known: tuple[str, ...]) -> str:
    import difflib

    near = difflib.get_close_matches(name, known, 1)
    return f"unknown; did you mean {near[0]}?" if near else f"unknown; known are {', '.join(known)}"


def parse_config(data: object) -> Settings:
    """The shipped settings with the project's own on top. Raises DctxError with every mistake."""
    if data is None:
        return Settings()
    check = Checker()
    top = check.mapping("", data, _KEYS)
    changes: dict[str, Any] = {}
    readers: dict[str, Callable[[Checker, Any], Any]] = {
        "profiles": _profiles, "task_types": _task_types, "research_types": _research_types,
        "models": _models, "model": lambda c, v: c.text("model", v), "window": _window, "budget": budget,
        "counter": _counter,
        "record": lambda c, v: c.flag("record", v), "compress": lambda c, v: c.flag("compress", v),
        "hooks": lambda _, v: v, "store": _store, "workflow_id": _workflow,
    }  # fmt: skip
    for key, value in top.items():
        changes[key] = readers[key](check, value)
    if "profiles" in changes:
        both = changes["profiles"].items()
        changes["profiles"] = {name: profile for name, profile in both if not profile.skill}
        changes["skills"] = {name: profile for name, profile in both if profile.skill}
    if "hooks" in changes:
        agents, skills = changes.get("profiles", PROFILES), changes.get("skills", SKILLS)
        changes["hooks"] = _hooks(check, changes["hooks"], agents, skills)
    if check.mistakes:
        raise DctxError(
            f".director/{FILE} has {_count(check.mistakes)}",
            "Run `dctx profiles` to see the shipped tables in this form.",
            tuple(check.mistakes),
        )
    return Settings().replace(**changes)


def _count(mistakes: list[str]) -> str:
    return "a mistake" if len(mistakes) == 1 else f"{len(mistakes)} mistakes"


def _hooks(check: Checker, value: object, agents: Mapping[str, Profile], skills: Mapping[str, Profile]) -> object:
    """Last, because it names profiles of the project's own."""
    from director_ctx.context.config_hooks import read_hooks

    return read_hooks(check, value, agents, skills)


def _window(check: Checker, value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | str):
        check.wrong("window", "must be a number of tokens")
        return None
    try:
        return parse_window(_number_text(value))
    except UsageProblem as problem:
        check.wrong("window", problem.message)
        return None


def budget(check: Checker, value: object, path: str = "budget") -> str:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        check.wrong(path, "must be a share or a number of tokens")
        return ""
    try:
        parse_budget(_number_text(value), 200_000)
    except UsageProblem as problem:
        check.wrong(path, f"{problem.message} {problem.hint}")
    return _number_text(value)


def _counter(check: Checker, value: object) -> str:
    name = check.text("counter", value).casefold()
    check.known("counter", (name,) if name and name != "chars" else (), COUNTERS)
    return name


def _store(check: Checker, value: object) -> str:
    """No password: this file is committed."""
    url = check.text("store", value)
    if url and not url.startswith(("postgresql://", "postgres://")):
        check.wrong("store", "must be a URL that begins with postgresql://")
    if ":" in url.partition("://")[2].rpartition("@")[0] or "password=" in url.casefold():
        check.wrong("store", "must not hold a password; PGPASSWORD, ~/.pgpass or DCTX_STORE may")
    return url


def _workflow(check: Checker, value: object) -> str:
    name = check.text("workflow_id", value).casefold()
    if name and ([len(part) for part in name.split("-")] != [8, 4, 4, 4, 12] or not _HEX.issuperset(name)):
        check.wrong("workflow_id", "must be a UUID")
    return name


def _number_text(value: int | float | str) -> str:
    """A number as a person would type it; nothing where it is longer than any number that makes sense."""
    text = shown(value) if isinstance(value, int) else str(value)
    return text if len(text) <= LONGEST_NUMBER else ""


def _profiles(check: Checker, value: object) -> Mapping[str, Profile]:
    """In a module of its own, because most projects change none."""
    from director_ctx.context.config_profiles import read_profiles

    return read_profiles(check, value)


def _task_types(check: Checker, value: object) -> tuple[Kind, ...]:
    return _kinds(check, "task_types", value, Settings().task_types)


def _research_types(check: Checker, value: object) -> tuple[Kind, ...]:
    return _kinds(check, "research_types", value, Settings().research_types)


def _kinds(check: Checker, path: str, value: object, shipped: tuple[Kind, ...]) -> tuple[Kind, ...]:
    """Rows by name: a known name replaces what it gives, a new one is added, an empty one is removed."""
    kinds = {kind.name: kind for kind in shipped}
    names = {kind.name.casefold(): kind.name for kind in shipped}
    for given, data in check.mapping(path, value).items():
        name = names.get(given.casefold(), given)
        if data is None:
            kinds.pop(name, None)
            continue
        fields = check.mapping(f"{path}.{given}", data, ("keywords", "files"))
        base = kinds.get(name, Kind(name, (), ()))
        kinds[name] = base.replace(**{key: check.texts(f"{path}.{given}.{key}", fields[key]) for key in fields})
        if name not in names.values() and not (kinds[name].keywords and kinds[name].files):
            check.wrong(f"{path}.{given}", "a new kind needs `keywords` and `files`")
    return tuple(kind.replace(files=tuple(file.removesuffix(".md") for file in kind.files)) for kind in kinds.values())


def _models(check: Checker, value: object) -> Mapping[str, Model]:
    models = {}
    for name, data in check.mapping("models", value).items():
        path = f"models.{name}"
        fields = check.mapping(path, data, ("window", "tokenizer"))
        window = check.number(f"{path}.window", fields.get("window"))
        if fields and not window:
            check.wrong(f"{path}.window", "must be larger than zero")
        tokenizer = check.text(f"{path}.tokenizer", fields["tokenizer"]) if "tokenizer" in fields else ""
        models[name] = Model(window or 1, tokenizer)
    return models
