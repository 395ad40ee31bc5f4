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
KEYS = (
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
    "chat",
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
    top = check.mapping("", data, KEYS)
    changes: dict[str, Any] = {}
    for key, value in top.items():
        if key == "hooks":
            # Last, because it names profiles of the project's own.
            changes[key] = value
        elif key in _FLAGS:
            changes[key] = check.flag(key, value)
        elif key == "model":
            changes[key] = check.text(key, value)
        else:
            changes[key] = _READERS[key](check, value)

    if "profiles" in changes:
        changes.update(_divided(changes["profiles"]))
    if "hooks" in changes:
        agents = changes.get("profiles", PROFILES)
        skills = changes.get("skills", SKILLS)
        changes["hooks"] = _hooks(check, changes["hooks"], agents, skills)
    if check.mistakes:
        raise DctxError(
            f".director/{FILE} has {_count(check.mistakes)}",
            "Run `dctx profiles` to see the shipped tables in this form.",
            tuple(check.mistakes),
        )
    return Settings().replace(**changes)


def _count(mistakes: list[str]) -> str:
    if len(mistakes) == 1:
        return "a mistake"
    return f"{len(mistakes)} mistakes"


def _divided(profiles: Mapping[str, Profile]) -> dict[str, dict[str, Profile]]:
    """Agents and skills, which stand in one table of the file."""
    divided: dict[str, dict[str, Profile]] = {"profiles": {}, "skills": {}}
    for name, profile in profiles.items():
        table = "profiles"
        if profile.skill:
            table = "skills"
        divided[table][name] = profile
    return divided


def _hooks(
    check: Checker,
    value: object,
    agents: Mapping[str, Profile],
    skills: Mapping[str, Profile],
) -> object:
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
    if name and name != "chars":
        check.known("counter", (name,), COUNTERS)
    return name


def _store(check: Checker, value: object) -> str:
    """No password: this file is committed."""
    url = check.text("store", value)
    if url and not url.startswith(("postgresql://", "postgres://")):
        check.wrong("store", "must be a URL that begins with postgresql://")

    # Up to the last @: a password may hold one itself.
    _, _, address = url.partition("://")
    user, _, _ = address.rpartition("@")
    if ":" in user or "password=" in url.casefold():
        check.wrong("store", "must not hold a password; PGPASSWORD, ~/.pgpass or DCTX_STORE may")
    return url


def _chat(check: Checker, value: object) -> object:
    from director_ctx.context.settings.chat import read_chat

    return read_chat(check, value)


def _workflow(check: Checker, value: object) -> str:
    name = check.text("workflow_id", value).casefold()
    lengths = [len(part) for part in name.split("-")]
    is_uuid = lengths == [8, 4, 4, 4, 12] and _HEX.issuperset(name)
    if name and not is_uuid:
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


def _kinds(
    check: Checker,
    path: str,
    value: object,
    shipped: tuple[Kind, ...],
) -> tuple[Kind, ...]:
    """Rows by name: a known name replaces what it gives, a new one is added, an empty one is
    removed.
    """
    kinds = {kind.name: kind for kind in shipped}
    shipped_names = {name.casefold(): name for name in kinds}
    for written, data in check.mapping(path, value).items():
        own_path = f"{path}.{written}"
        shipped_name = shipped_names.get(written.casefold())
        name = shipped_name or written
        if data is None:
            kinds.pop(name, None)
            continue

        before = kinds.get(name) or Kind(name, (), ())
        kind = _changed_kind(check, own_path, before, data)
        kinds[name] = kind
        is_whole = kind.keywords and kind.files
        if not is_whole and name not in shipped_names.values():
            check.wrong(own_path, "a new kind needs `keywords` and `files`")
    return tuple(map(_without_endings, kinds.values()))


def _changed_kind(
    check: Checker,
    path: str,
    kind: Kind,
    data: object,
) -> Kind:
    fields = check.mapping(path, data, ("keywords", "files"))
    changes = {}
    for key, value in fields.items():
        changes[key] = check.texts(f"{path}.{key}", value)
    return kind.replace(**changes)


def _without_endings(kind: Kind) -> Kind:
    files = [file.removesuffix(".md") for file in kind.files]
    return kind.replace(files=tuple(files))


def _models(check: Checker, value: object) -> Mapping[str, Model]:
    models = {}
    for name, data in check.mapping("models", value).items():
        path = f"models.{name}"
        fields = check.mapping(path, data, ("window", "tokenizer"))
        window = check.number(f"{path}.window", fields.get("window"))
        if fields and not window:
            check.wrong(f"{path}.window", "must be larger than zero")
        tokenizer = ""
        if "tokenizer" in fields:
            tokenizer = check.text(f"{path}.tokenizer", fields["tokenizer"])
        models[name] = Model(window or 1, tokenizer)
    return models


_FLAGS = ("record", "compress")
# At the end, because it names the functions above.
_READERS: Mapping[str, Callable[[Checker, object], object]] = {
    "profiles": _profiles,
    "task_types": _task_types,
    "research_types": _research_types,
    "models": _models,
    "window": _window,
    "budget": budget,
    "counter": _counter,
    "chat": _chat,
    "store": _store,
    "workflow_id": _workflow,
}
