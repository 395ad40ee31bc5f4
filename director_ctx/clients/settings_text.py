"""Our entries in the text of a client's settings: which are there, how they get in, how they get
out. Pure.
"""

from __future__ import annotations

import json

from director_ctx.clients.entries import is_ours
from director_ctx.clients.json_edit import INDENT, additions, removals, with_edits
from director_ctx.clients.json_text import NotJson, read_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.clients.entries import Entries, Entry
    from director_ctx.clients.json_edit import Edit
    from director_ctx.clients.json_text import JsonNode, JsonText
    from director_ctx.clients.table import Client

HOOKS = "hooks"
NOTHING: frozenset[str] = frozenset()


def own_entries(text: str, client: Client) -> Entries:
    """Our entries as they stand there, by event; handlers of others in the same group are left out."""
    entries: Entries = {}
    for event in _events(read(text)):
        groups = []
        for group in event.children:
            own = _own(group.value, client)
            if own:
                groups.append(own)
        entries[event.key] = groups
    # Of a key that is there twice, the last one counts: it may be the one without our entries.
    return {event: groups for event, groups in entries.items() if groups}


def containers(text: str) -> frozenset[str]:
    """The places for hooks that there are: each event, and `hooks` itself."""
    document = read(text)
    keys = {event.key for event in _events(document)}
    if _hooks(document):
        keys.add(HOOKS)
    return frozenset(keys)


def with_entries(
    text: str | None,
    client: Client,
    entries: Entries,
    keep: frozenset[str] = NOTHING,
) -> str:
    """The text with exactly these entries of ours; the same text if that is what it has."""
    if text is None or _is_empty(text):
        settings = {**client.frame, HOOKS: entries}
        written = json.dumps(settings, indent=INDENT, ensure_ascii=False)
        return f"{written}\n"
    if own_entries(text, client) == entries:
        return text

    others = without_entries(text, client, keep)
    document = read(others)
    return _with(document, client, entries)


def _is_empty(text: str) -> bool:
    return not text.strip("\ufeff \t\r\n")


def without_entries(
    text: str,
    client: Client,
    keep: frozenset[str] = NOTHING,
) -> str:
    """The text without our entries, and without what they leave empty unless it is to be kept."""
    document = read(text)
    edits: list[Edit] = []
    emptied: list[int] = []
    for event_index, event in enumerate(_events(document)):
        ours = _groups_of_ours(event, client)
        has_others = len(ours) < len(event.children)
        if ours and not has_others and event.key not in keep:
            emptied.append(event_index)
            continue

        # Somebody may have put a handler of their own into a group of ours.
        for group in event.children:
            edits += _thinned(document, group, client)
        if ours:
            edits += removals(document, event, ours)

    hooks = _hooks(document)
    if hooks is None or not emptied:
        return with_edits(text, edits)
    has_events = len(emptied) < len(hooks.children)
    if not has_events and HOOKS not in keep:
        # Nothing is left in `hooks`, so it goes too, and no other edit is needed.
        root = document.root
        hooks_index = root.children.index(hooks)
        without_hooks = removals(document, root, [hooks_index])
        return with_edits(text, list(without_hooks))
    edits += removals(document, hooks, emptied)
    return with_edits(text, edits)


def _groups_of_ours(event: JsonNode, client: Client) -> list[int]:
    """Where in an event the groups are that have our handlers only."""
    indices: list[int] = []
    for index, group in enumerate(event.children):
        if _all_ours(group, client):
            indices.append(index)
    return indices


def read(text: str) -> JsonText:
    """A settings file: an object, or NotJson. An empty one is an empty object."""
    if _is_empty(text):
        text = "{}"
    document = read_json(text)
    if document.root.kind != "{":
        raise NotJson("it is not an object")
    return document


def is_bare(text: str, client: Client) -> bool:
    """Whether nothing is left but what we would have put around our entries."""
    document = read(text)
    if document.comments:
        return False
    settings = document.root.value
    return settings in ({}, client.frame)


def had_only_hooks(before: str | None, client: Client) -> bool:
    """Whether there was no file before something else of ours came in, or one with nothing but our
    hooks.
    """
    if before is None:
        return True
    rest = without_entries(before, client)
    return rest != before and is_bare(rest, client)


def _hooks(document: JsonText) -> JsonNode | None:
    hooks = document.root.child(HOOKS)
    if hooks is None or hooks.kind != "{":
        return None
    return hooks


def _events(document: JsonText) -> tuple[JsonNode, ...]:
    hooks = _hooks(document)
    if hooks is None:
        return ()
    return hooks.children


def _with(document: JsonText, client: Client, entries: Entries) -> str:
    """The text with our entries behind those of others."""
    root = document.root
    missing: list[tuple[str, object]] = []
    for key, value in client.frame.items():
        if root.child(key) is None:
            missing.append((key, value))

    hooks = root.child(HOOKS)
    if hooks is None:
        with_hooks = additions(document, root, [*missing, (HOOKS, entries)])
        return with_edits(document.text, with_hooks)
    if hooks.kind != "{":
        raise NotJson("`hooks` in it is not an object")

    # All edits are of one text: a second reading of it would move every offset.
    edits: list[Edit] = []
    if missing:
        edits += additions(document, root, missing)

    new_events: list[tuple[str, object]] = []
    for event, groups in entries.items():
        listed = hooks.child(event)
        if listed is None:
            new_events.append((event, groups))
        elif listed.kind != "[":
            raise NotJson(f"`hooks.{event}` in it is not a list")
        else:
            in_list = [("", group) for group in groups]
            edits += additions(document, listed, in_list)
    if new_events:
        edits += additions(document, hooks, new_events)
    return with_edits(document.text, edits)


def _own(group: object, client: Client) -> Entry | None:
    """A group with our handlers only; None where there are none."""
    if not isinstance(group, dict):
        return None
    if client.flat:
        if not is_ours(group):
            return None
        return group

    handlers = group.get(HOOKS)
    if not isinstance(handlers, list):
        return None
    ours = [handler for handler in handlers if is_ours(handler)]
    if not ours:
        return None
    return {**group, HOOKS: ours}


def _all_ours(group: JsonNode, client: Client) -> bool:
    own = _own(group.value, client)
    return own is not None and own == group.value


def _thinned(
    document: JsonText,
    group: JsonNode,
    client: Client,
) -> list[Edit]:
    """Edits that take our handlers out of a group that has others too."""
    handlers = group.child(HOOKS)
    own = _own(group.value, client)
    if handlers is None or own is None or own == group.value:
        return []

    ours = []
    for index, handler in enumerate(handlers.children):
        if is_ours(handler.value):
            ours.append(index)
    return list(removals(document, handlers, ours))
