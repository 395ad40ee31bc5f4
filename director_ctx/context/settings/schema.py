"""A JSON Schema of `dctx.yaml`, made from the tables that the file is checked by: an editor completes
its keys and marks mistakes as they are typed.

It says less than `config_check` where a rule looks at two places at once.
"""

from __future__ import annotations

from director_ctx.context.settings.budget import COUNTERS
from director_ctx.context.settings.chat import CHOICES
from director_ctx.context.settings.chat import KEYS as CHAT_KEYS
from director_ctx.context.settings.config import KEYS
from director_ctx.context.settings.config_check import LARGEST_NUMBER
from director_ctx.context.settings.config_profiles import LISTS, MOST_PROFILES
from director_ctx.context.settings.hooks import ALWAYS, EVERY, NEVER
from director_ctx.context.settings.hooks import KEYS as HOOK_KEYS
from director_ctx.context.settings.profiles import PROFILES
from director_ctx.context.settings.tags import GROUPS, LAYOUT_NAMES, TAGS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Schema = dict[str, Any]

NAME = "dctx.schema.json"
MEANINGS = {
    "profiles": "Which sections each agent or skill gets, on top of the profiles that are shipped.",
    "task_types": "Kinds of tasks: the words by which they are known, and the codebase notes that they need.",
    "research_types": "The same for research notes.",
    "models": "Windows of models that dctx does not know.",
    "model": "The model whose window counts.",
    "window": "The window in tokens, such as 200000 or 200k.",
    "budget": "How much of the window a context may take: a share (30%) or a number of tokens (12k).",
    "counter": "How tokens are counted.",
    "record": "Whether dctx keeps what each agent was told, in .director/.dctx/.",
    "compress": "Whether a conversation that fills its context is compressed without asking.",
    "chat": "How `dctx chat` and the chats of the page go.",
    "hooks": "What the hooks in your coding agent do.",
    "store": "The PostgreSQL database that a team shares, without a password.",
    "workflow_id": "The id under which the plan and the variables are kept in a shared store.",
    "chat.context": "How much the model is told at once: pull (it asks by tools), push (a whole context) or hybrid.",
    "chat.tools": "The tools that it is offered, as `dctx mcp` serves them.",
    "chat.reset": "What is done when a conversation has grown.",
    "chat.limit": "Tokens that no request passes; hooks.urgent without it.",
    "chat.background": "Whether answers are made in the background, for models that take long.",
    "chat.provider_keeps": "Whether the provider may keep what was said; without that everything is sent each time.",
    "hooks.agents": "Types of agents, as your coding agent calls them, and what each is given: "
    "a profile, always (the builder's context) or never.",
    "hooks.session": "Whether a new session is told where the project stands.",
    "hooks.archive": "Whether a conversation is kept before it is compacted.",
    "hooks.warn": "From so many tokens on, a window is said to be filling up.",
    "hooks.urgent": "From so many tokens on, a window counts as full.",
}
_TEXT: Schema = {"type": "string", "pattern": r"\S"}
_MAYBE_EMPTY: Schema = {"type": "string"}
_FLAG: Schema = {"type": "boolean"}
_NUMBER: Schema = {"type": "integer", "minimum": 0, "maximum": LARGEST_NUMBER}
_WORDS: Schema = {"anyOf": [_TEXT, {"type": "array", "items": _TEXT}]}
_SHARE: Schema = {
    "anyOf": [
        {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
        {"type": "integer", "minimum": 101},
        {"type": "string", "pattern": r"^\s*[0-9.][0-9._, ]*[%kKmM]?\s*$"},
    ]
}
_WINDOW: Schema = {
    "anyOf": [
        {"type": "integer", "minimum": 1, "maximum": LARGEST_NUMBER},
        {"type": "string", "pattern": r"^\s*[0-9][0-9._,]*[kKmM]?\s*$"},
    ]
}


def config_schema() -> Schema:
    """The whole schema, as plain values."""
    properties: Schema = {}
    for key in KEYS:
        properties[key] = _described(key, _OF_KEY[key])
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "dctx.yaml",
        "description": "The settings of dctx for one project. `dctx config check` says the same, and more.",
        "type": ["object", "null"],
        "properties": properties,
        "additionalProperties": False,
    }


def _described(path: str, schema: Schema) -> Schema:
    return {"description": MEANINGS[path], **schema}


def _object(properties: Schema) -> Schema:
    """A mapping with these keys and no others; one that is left empty says nothing."""
    return {"type": ["object", "null"], "properties": properties, "additionalProperties": False}


def _table(row: Schema, **more: object) -> Schema:
    """A mapping from names to rows of one kind."""
    return {"type": ["object", "null"], "additionalProperties": row, **more}


def _words_among(names: tuple[str, ...]) -> Schema:
    known: Schema = {"type": "string", "enum": list(names)}
    return {"anyOf": [known, {"type": "array", "items": known}]}


def _profile() -> Schema:
    fields: Schema = dict.fromkeys(LISTS, _WORDS)
    for key in ("sections", "optional", "requires", "compat"):
        fields[key] = _words_among(TAGS)
    fields["protect"] = _words_among(tuple(dict.fromkeys((*GROUPS, *TAGS))))
    fields["purpose"] = _MAYBE_EMPTY
    fields["recent_changes"] = _NUMBER
    fields["instructions"] = _TEXT
    fields["extends"] = _TEXT
    fields["skill"] = _FLAG
    fields["layout"] = {"type": "string", "enum": list(LAYOUT_NAMES)}
    fields["budget"] = _SHARE
    return _object(fields)


def _kinds() -> Schema:
    return _table(_object({"keywords": _WORDS, "files": _WORDS}))


def _models() -> Schema:
    window = {**_NUMBER, "minimum": 1}
    row = _object({"window": window, "tokenizer": _TEXT})
    return _table({**row, "required": ["window"]})


def _chat() -> Schema:
    properties: Schema = {}
    for key in CHAT_KEYS:
        row = _NUMBER if key == "limit" else _FLAG
        if key in CHOICES:
            row = {"type": "string", "enum": list(CHOICES[key])}
        properties[key] = _described(f"chat.{key}", row)
    return _object(properties)


def _hooks() -> Schema:
    # Any text may be a profile: those of the project stand elsewhere in the file.
    profile: Schema = {
        "anyOf": [_TEXT, {"type": "null"}, {"const": False}],
        "examples": [*PROFILES, ALWAYS, NEVER],
    }
    rows: Schema = {
        "agents": _table(profile, propertyNames={"not": {"const": EVERY}}),
        "session": _FLAG,
        "archive": _FLAG,
        "warn": _NUMBER,
        "urgent": _NUMBER,
    }
    properties: Schema = {}
    for key in HOOK_KEYS:
        properties[key] = _described(f"hooks.{key}", rows[key])
    return _object(properties)


_OF_KEY: dict[str, Schema] = {
    "profiles": _table(_profile(), maxProperties=MOST_PROFILES),
    "task_types": _kinds(),
    "research_types": _kinds(),
    "models": _models(),
    "model": _TEXT,
    "window": _WINDOW,
    "budget": _SHARE,
    "counter": {"type": "string", "enum": [*COUNTERS, "chars"]},
    "record": _FLAG,
    "compress": _FLAG,
    "chat": _chat(),
    "hooks": _hooks(),
    "store": {
        "type": "string",
        "pattern": r"^\s*postgres(ql)?://(?!.*[pP][aA][sS][sS][wW][oO][rR][dD]=)",
    },
    "workflow_id": {
        "type": "string",
        "pattern": "^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$",
    },
}
