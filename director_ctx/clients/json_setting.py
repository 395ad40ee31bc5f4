"""One setting in a JSON text, such as a server: which is there, how it gets in, how it gets out. Pure."""

from __future__ import annotations

import json

from director_ctx.clients.json_edit import INDENT, additions, removals, with_edits
from director_ctx.clients.json_text import NotJson
from director_ctx.clients.settings_text import read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.clients.json_text import JsonNode

    Keys = tuple[str, ...]


def setting_in(text: str, keys: Keys, name: str) -> object | None:
    """What it is there; None where it is not."""
    nodes = _way(read(text).root, keys)
    if len(nodes) <= len(keys):
        return None
    child = nodes[-1].child(name)
    if child is None:
        return None
    value: object = child.value
    return value


def with_setting(text: str | None, keys: Keys, name: str, value: dict[str, Any]) -> str:
    """The text with the setting behind the others. It has none of this name yet."""
    if text is None or not text.strip("\ufeff \t\r\n"):
        whole = _nested((*keys, name), value)
        written = json.dumps(whole, indent=INDENT, ensure_ascii=False)
        return f"{written}\n"

    document = read(text)
    nodes = _way(document.root, keys)
    depth = len(nodes) - 1
    first, *rest = (*keys[depth:], name)
    nested = _nested(tuple(rest), value)
    edits = additions(document, nodes[-1], [(first, nested)])
    return with_edits(text, edits)


def without_setting(text: str, keys: Keys, name: str, before: str | None) -> str:
    """The text without the setting, and without what that leaves empty, unless it was there before."""
    document = read(text)
    nodes = _way(document.root, keys)
    depth = len(nodes) - 1
    leaving = nodes[-1].child(name)
    if depth < len(keys) or leaving is None:
        return text

    kept = 0
    if before is not None:
        way_before = _way(read(before).root, keys)
        kept = len(way_before) - 1
    while depth > kept and len(nodes[depth].children) == 1:
        leaving = nodes[depth]
        depth -= 1
    container = nodes[depth]
    index = container.children.index(leaving)
    edits = removals(document, container, [index])
    return with_edits(text, list(edits))


def is_bare(text: str) -> bool:
    """Whether nothing is left."""
    document = read(text)
    return not document.comments and not document.root.children


def has_comments(text: str) -> bool:
    """Whether a strict reader would refuse it."""
    return bool(text.strip()) and read(text).loose


def _way(node: JsonNode, keys: Keys) -> list[JsonNode]:
    """The objects from the top down to the one with the setting, as far as they are there."""
    nodes = [node]
    for key in keys:
        child = nodes[-1].child(key)
        if child is None:
            break
        if child.kind != "{":
            raise NotJson(f"`{key}` in it is not an object")
        nodes.append(child)
    return nodes


def _nested(keys: Keys, value: dict[str, Any]) -> dict[str, Any]:
    for key in reversed(keys):
        value = {key: value}
    return value
