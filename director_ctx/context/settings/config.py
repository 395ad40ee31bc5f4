"""A project's `dctx.yaml`: untrusted data in, frozen settings out, every mistake reported at once.

`KEYS` has a row for each setting: how it is read, what it is for, and its JSON Schema. `Settings` has
its built-in value under the same name.
"""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.context.settings.budget import COUNTERS, Model
from director_ctx.context.settings.chat import DELIVERIES, RESETS, ChatSettings
from director_ctx.context.settings.config_check import (
    BUDGET,
    FLAG,
    MAYBE_EMPTY,
    NUMBER,
    TEXT,
    WINDOW,
    WORDS,
    Checker,
    Form,
    Key,
    mapping_schema,
    one_among,
    shown,
    table_schema,
    unknown,
    words_among,
)
from director_ctx.context.settings.hooks import ALWAYS, BUILDER, NEVER, Hooks
from director_ctx.context.settings.keywords import Kind
from director_ctx.context.settings.profiles import PROFILES, SKILLS, Profile, spelling
from director_ctx.context.settings.request import Settings
from director_ctx.context.settings.tags import GROUPS, INSTRUCTIONS, LAYOUT_NAMES, SYSTEM, TAGS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from director_ctx.context.settings.config_check import Read, Schema

FILE = "dctx.yaml"
SCHEMA_NAME = "dctx.schema.json"
MOST_PROFILES = 200
EVERY = "*"


def parse_config(data: object) -> Settings:
    """The shipped settings with the project's own on top. Raises DctxError with every mistake."""
    if data is None:
        return Settings()
    check = Checker({**PROFILES, **SKILLS})
    changes = check.keys("", data, KEYS)
    if check.mistakes:
        many = f"{len(check.mistakes)} mistakes" if len(check.mistakes) > 1 else "a mistake"
        raise DctxError(
            f".director/{FILE} has {many}",
            "Run `dctx profiles` to see the shipped tables in this form.",
            tuple(check.mistakes),
        )
    if "profiles" in changes:
        # Agents and skills stand in one table of the file.
        every = changes["profiles"].items()
        changes["profiles"] = {name: row for name, row in every if not row.skill}
        changes["skills"] = {name: row for name, row in every if row.skill}
    return Settings().replace(**changes)


def config_schema() -> Schema:
    """A JSON Schema of the file: an editor completes its keys and marks mistakes as they are typed.

    It says less than a check where a rule looks at two places at once.
    """
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": FILE,
        "description": "The settings of dctx for one project. `dctx config show` says what is wrong in them.",
        **mapping_schema(KEYS),
    }


def meanings() -> dict[str, str]:
    """What each setting is for."""
    every = {key.name: key.meaning for key in KEYS}
    for name, keys in (("hooks", HOOK_KEYS), ("chat", CHAT_KEYS)):
        every.update({f"{name}.{key.name}": key.meaning for key in keys})
    return every


# Profiles


def _read_profiles(check: Checker, path: str, value: object) -> Mapping[str, Profile]:
    profiles = dict(check.profiles)
    check.profiles = profiles
    tables = check.mapping(path, value)
    if len(tables) > MOST_PROFILES:
        check.wrong(path, f"has more than {MOST_PROFILES} agents")
        return profiles
    for name, data in tables.items():
        profile = _read_profile(check, name, data)
        if profile:
            profiles[profile.name] = profile
    return profiles


def _read_profile(check: Checker, name: str, data: object) -> Profile | None:
    """One agent or skill, on top of what it extends, else of itself as it was known before."""
    path = f"profiles.{name}"
    if not _is_name(name):
        check.wrong(path, "an agent's name has letters, digits, dashes and blanks only")
        return None

    known = _find_profile(check, name)
    values = check.keys(path, data, PROFILE_KEYS)
    has_sections = "sections" in values or "extends" in values
    base = values.pop("extends", None) or known
    if base is None and not has_sections:
        check.wrong(path, "a new agent needs `sections` or `extends`")
        return None

    own_name = known.name if known else name
    if base is None:
        base = Profile(own_name, "", (), instructions=own_name)
    # A project may protect more than dctx does, and never less.
    values["protect"] = tuple(dict.fromkeys((*base.protect, *values.get("protect", ()))))
    profile = base.replace(name=own_name, **values)

    # A context ends with instructions, or begins with a system prompt, whatever its profile says.
    sections = profile.sections
    if not profile.skill and INSTRUCTIONS not in sections and SYSTEM not in sections:
        profile = profile.replace(sections=(*sections, INSTRUCTIONS))
    if known and profile.skill != known.skill:
        said = "an agent stays an agent, and a skill a skill; give it another name"
        check.wrong(f"{path}.skill", said)
    return profile


def _find_profile(check: Checker, name: str) -> Profile | None:
    """The profile of that name, however it is spelled."""
    spelled = spelling(name)
    for profile in check.profiles.values():
        if spelling(profile.name) == spelled:
            return profile
    return None


def _is_name(name: str) -> bool:
    """Names become file names, so they have none of the characters that paths are made of."""
    if not 0 < len(name) <= 60 or not name[0].isalnum():
        return False
    return all(char.isalnum() or char in " -_:" for char in name)


def _read_base(check: Checker, path: str, value: object) -> Profile | None:
    name = check.text(path, value)
    if not spelling(name):
        return None
    base = _find_profile(check, name)
    if base is None:
        check.wrong(path, unknown(shown(value), tuple(check.profiles)))
    return base


def _read_instructions(check: Checker, path: str, value: object) -> str:
    name = check.text(path, value)
    if not _is_name(name):
        said = "must be the name of a file in .director/instructions/, without a folder"
        check.wrong(path, said)
    return name


def _read_file_names(check: Checker, path: str, value: object) -> tuple[str, ...]:
    names = check.texts(path, value)
    for name in names:
        if ".." in name.split("/") or name.startswith(("/", "~")) or "\\" in name:
            check.wrong(path, f"{name!r} leaves the .director/ folder")
    return names


_TAGS = words_among(TAGS)
_FILE_NAMES = Form(_read_file_names, WORDS.schema)
PROFILE_KEYS = (
    Key("sections", _TAGS),
    Key("optional", _TAGS),
    # The names of groups first, without those that are tags too.
    Key("protect", words_among(tuple(dict.fromkeys((*GROUPS, *TAGS))))),
    Key("requires", _TAGS),
    Key("codebase", _FILE_NAMES),
    Key("research", _FILE_NAMES),
    Key("reference", _FILE_NAMES),
    Key("inputs", WORDS),
    Key("purpose", MAYBE_EMPTY),
    Key("recent_changes", NUMBER),
    Key("instructions", Form(_read_instructions, TEXT.schema)),
    Key("extends", Form(_read_base, TEXT.schema)),
    Key("skill", FLAG),
    Key("layout", one_among(LAYOUT_NAMES)),
    Key("budget", BUDGET),
)


# Kinds of tasks, and models


def _read_kinds(check: Checker, path: str, value: object) -> tuple[Kind, ...]:
    """Rows by name: a known name replaces what it gives, a new one is added, an empty one is
    removed.
    """
    shipped: tuple[Kind, ...] = getattr(Settings(), path)
    kinds = {kind.name: kind for kind in shipped}
    names = {name.casefold(): name for name in kinds}
    for written, data in check.mapping(path, value).items():
        name = names.get(written.casefold(), written)
        if data is None:
            kinds.pop(name, None)
            continue
        before = kinds.get(name) or Kind(name, (), ())
        kind = before.replace(**check.keys(f"{path}.{written}", data, KIND_KEYS))
        if name == written not in names.values() and not (kind.keywords and kind.files):
            check.wrong(f"{path}.{written}", "a new kind needs `keywords` and `files`")
        kinds[name] = kind.replace(files=tuple(file.removesuffix(".md") for file in kind.files))
    return tuple(kinds.values())


KIND_KEYS = (Key("keywords", WORDS), Key("files", WORDS))


def _read_models(check: Checker, path: str, value: object) -> Mapping[str, Model]:
    models = {}
    for name, data in check.mapping(path, value).items():
        own_path = f"{path}.{name}"
        fields = check.keys(own_path, data, MODEL_KEYS)
        if not fields.get("window"):
            check.wrong(f"{own_path}.window", "must be larger than zero")
        models[name] = Model(fields.get("window") or 1, fields.get("tokenizer", ""))
    return models


MODEL_KEYS = (
    Key("window", Form(NUMBER.read, {**NUMBER.schema, "minimum": 1})),
    Key("tokenizer", TEXT),
)


# Hooks


def _read_hooks(check: Checker, path: str, value: object) -> Hooks:
    """Checked like the rest; a type of an agent may have any name, a profile must be one."""
    hooks = Hooks().replace(**check.keys(path, value, HOOK_KEYS))
    if hooks.warn > hooks.urgent:
        check.wrong(f"{path}.warn", f"must not be larger than {path}.urgent")
    return hooks


def _read_agents(check: Checker, path: str, value: object) -> dict[str, str]:
    agents = check.mapping(path, value)
    if EVERY in agents:
        check.wrong(f"{path}.{EVERY}", "is no type of an agent")
    return {name: _read_agent(check, f"{path}.{name}", row) for name, row in agents.items()}


def _read_agent(check: Checker, path: str, value: object) -> str:
    """What agents of a type are given: a profile, or nothing."""
    if value is None or value is False:
        return NEVER
    spelled = spelling(check.text(path, value))
    if spelled == ALWAYS:
        return BUILDER
    agents = [name for name, profile in check.profiles.items() if not profile.skill]
    for name in agents:
        if spelling(name) == spelled:
            return name
    if spelled in map(spelling, check.profiles):
        said = f"{shown(value)!r} is a skill, not an agent; agents are {', '.join(agents)}"
        check.wrong(path, said)
    elif spelled and spelled != NEVER:
        check.known(path, (str(value),), (*agents, ALWAYS, NEVER))
    return NEVER


# Any text may be a profile: those of the project stand elsewhere in the file.
_AGENT_SCHEMA: Schema = {
    "anyOf": [TEXT.schema, {"type": "null"}, {"const": False}],
    "examples": [*PROFILES, ALWAYS, NEVER],
}
_AGENTS = Form(_read_agents, table_schema(_AGENT_SCHEMA, propertyNames={"not": {"const": EVERY}}))
HOOK_KEYS = (
    Key("agents", _AGENTS, "Types of agents, as your coding agent calls them, and what each is given: a profile, always (the builder's context) or never."),
    Key("session", FLAG, "Whether a new session is told where the project stands."),
    Key("archive", FLAG, "Whether a conversation is kept before it is compacted."),
    Key("warn", NUMBER, "From so many tokens on, a window is said to be filling up."),
    Key("urgent", NUMBER, "From so many tokens on, a window counts as full."),
)  # fmt: skip


def _read_chat(check: Checker, path: str, value: object) -> ChatSettings:
    return ChatSettings().replace(**check.keys(path, value, CHAT_KEYS))


CHAT_KEYS = (
    Key("context", one_among(DELIVERIES), "How much the model is told at once: pull (it asks by tools), push (a whole context) or hybrid."),
    Key("tools", one_among(("few", "seed", "all")), "The tools that it is offered, as `dctx mcp` serves them."),
    Key("reset", one_among(RESETS), "What is done when a conversation has grown."),
    Key("limit", NUMBER, "Tokens that no request passes; hooks.urgent without it."),
    Key("background", FLAG, "Whether answers are made in the background, for models that take long."),
    Key("provider_keeps", FLAG, "Whether the provider may keep what was said; without that everything is sent each time."),
)  # fmt: skip


# Texts with a form of their own


def _read_counter(check: Checker, path: str, value: object) -> str:
    name = check.text(path, value).casefold()
    if name and name != "chars":
        check.known(path, (name,), COUNTERS)
    return name


def _read_store(check: Checker, path: str, value: object) -> str:
    """No password: this file is committed."""
    url = check.text(path, value)
    if url and not url.startswith(("postgresql://", "postgres://")):
        check.wrong(path, "must be a URL that begins with postgresql://")
    # Up to the last @: a password may hold one itself.
    _, _, address = url.partition("://")
    user, _, _ = address.rpartition("@")
    if ":" in user or "password=" in url.casefold():
        check.wrong(path, "must not hold a password; PGPASSWORD, ~/.pgpass or DCTX_STORE may")
    return url


def _read_workflow(check: Checker, path: str, value: object) -> str:
    name = check.text(path, value).casefold()
    lengths = [len(part) for part in name.split("-")]
    is_uuid = lengths == [8, 4, 4, 4, 12] and set("0123456789abcdef-").issuperset(name)
    if name and not is_uuid:
        check.wrong(path, "must be a UUID")
    return name


def _text(read: Read, pattern: str) -> Form:
    return Form(read, {"type": "string", "pattern": pattern})


_KINDS = Form(_read_kinds, table_schema(mapping_schema(KIND_KEYS)))
KEYS = (
    Key("profiles", Form(_read_profiles, table_schema(mapping_schema(PROFILE_KEYS), maxProperties=MOST_PROFILES)),
        "Which sections each agent or skill gets, on top of the profiles that are shipped."),
    Key("task_types", _KINDS, "Kinds of tasks: the words by which they are known, and the codebase notes that they need."),
    Key("research_types", _KINDS, "The same for research notes."),
    Key("models", Form(_read_models, table_schema(mapping_schema(MODEL_KEYS, required=["window"]))), "Windows of models that dctx does not know."),
    Key("model", TEXT, "The model whose window counts."),
    Key("window", WINDOW, "The window in tokens, such as 200000 or 200k."),
    Key("budget", BUDGET, "How much of the window a context may take: a share (30%) or a number of tokens (12k)."),
    Key("counter", Form(_read_counter, {"type": "string", "enum": [*COUNTERS, "chars"]}), "How tokens are counted."),
    Key("record", FLAG, "Whether dctx keeps what each agent was told, in .director/.dctx/.", "DCTX_RECORD"),
    Key("compress", FLAG, "Whether a conversation that fills its context is compressed without asking."),
    Key("chat", Form(_read_chat, mapping_schema(CHAT_KEYS)), "How `dctx chat` and the chats of the page go."),
    # After the profiles, which it names.
    Key("hooks", Form(_read_hooks, mapping_schema(HOOK_KEYS)), "What the hooks in your coding agent do.", "DCTX_HOOKS"),
    Key("store", _text(_read_store, r"^\s*postgres(ql)?://(?!.*[pP][aA][sS][sS][wW][oO][rR][dD]=)"),
        "The PostgreSQL database that a team shares, without a password.", "DCTX_STORE"),
    Key("workflow_id", _text(_read_workflow, "^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$"),
        "The id under which the plan and the variables are kept in a shared store."),
)  # fmt: skip
