"""A project's `dctx.yaml`: untrusted data in, frozen settings out, every mistake reported at once."""

from __future__ import annotations

from director_ctx.base.errors import DctxError, UsageProblem
from director_ctx.context.settings.budget import COUNTERS, Model, parse_window
from director_ctx.context.settings.config_check import Checker, budget, number_text
from director_ctx.context.settings.keywords import Kind
from director_ctx.context.settings.profiles import PROFILES, SKILLS, Profile
from director_ctx.context.settings.request import Settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

FILE = "dctx.yaml"
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


def _hooks(
    check: Checker, value: object, agents: Mapping[str, Profile], skills: Mapping[str, Profile]
) -> object:
    """Last, because it names profiles of the project's own."""
    from director_ctx.context.settings.hooks import read_hooks

    return read_hooks(check, value, agents, skills)


def _window(check: Checker, value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | str):
        check.wrong("window", "must be a number of tokens")
        return None
    try:
        return parse_window(number_text(value))
    except UsageProblem as problem:
        check.wrong("window", problem.message)
        return None


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
    if name and (
        [len(part) for part in name.split("-")] != [8, 4, 4, 4, 12] or not _HEX.issuperset(name)
    ):
        check.wrong("workflow_id", "must be a UUID")
    return name


def _profiles(check: Checker, value: object) -> Mapping[str, Profile]:
    """In a module of its own, because most projects change none."""
    from director_ctx.context.settings.config_profiles import read_profiles

    return read_profiles(check, value)


def _task_types(check: Checker, value: object) -> tuple[Kind, ...]:
    return _kinds(check, "task_types", value, Settings().task_types)


def _research_types(check: Checker, value: object) -> tuple[Kind, ...]:
    return _kinds(check, "research_types", value, Settings().research_types)


def _kinds(check: Checker, path: str, value: object, shipped: tuple[Kind, ...]) -> tuple[Kind, ...]:
    """Rows by name: a known name replaces what it gives, a new one is added, an empty one is
    removed.
    """
    kinds = {kind.name: kind for kind in shipped}
    names = {kind.name.casefold(): kind.name for kind in shipped}
    for given, data in check.mapping(path, value).items():
        name = names.get(given.casefold(), given)
        if data is None:
            kinds.pop(name, None)
            continue
        fields = check.mapping(f"{path}.{given}", data, ("keywords", "files"))
        base = kinds.get(name, Kind(name, (), ()))
        kinds[name] = base.replace(
            **{key: check.texts(f"{path}.{given}.{key}", fields[key]) for key in fields}
        )
        if name not in names.values() and not (kinds[name].keywords and kinds[name].files):
            check.wrong(f"{path}.{given}", "a new kind needs `keywords` and `files`")
    return tuple(
        kind.replace(files=tuple(file.removesuffix(".md") for file in kind.files))
        for kind in kinds.values()
    )


def _models(check: Checker, value: object) -> Mapping[str, Model]:
    models = {}
    for name, data in check.mapping("models", value).items():
        path = f"models.{name}"
        fields = check.mapping(path, data, ("window", "tokenizer"))
        window = check.number(f"{path}.window", fields.get("window"))
        if fields and not window:
            check.wrong(f"{path}.window", "must be larger than zero")
        tokenizer = (
            check.text(f"{path}.tokenizer", fields["tokenizer"]) if "tokenizer" in fields else ""
        )
        models[name] = Model(window or 1, tokenizer)
    return models
