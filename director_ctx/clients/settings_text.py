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
    from typing import Any

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
        own = [_own(group.value, client) for group in event.children]
        entries[event.key] = [group for group in own if group]
    # Of a key that is there twice, the last one counts: it may be the one without our entries.
    return {event: groups for event, groups in entries.items() if groups}


def containers(text: str) -> frozenset[str]:
    """The places for hooks that there are: each event, and `hooks` itself."""
    document = read(text)
    hooks = document.root.child(HOOKS)
    names = {HOOKS} if hooks and hooks.kind == "{" else set()
    return frozenset(names | {event.key for event in _events(document)})


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


def without_entries(text: str, client: Client, keep: frozenset[str] = NOTHING) -> str:
    """The text without our entries, and without what they leave empty unless it is to be kept."""
    document = read(text)
    edits: list[Edit] = []
    emptied: list[int] = []
    for event_index, event in enumerate(_events(document)):
        whole: list[int] = []
        for index, group in enumerate(event.children):
            own = _own(group.value, client)
            handlers = group.child(HOOKS)
            if own is not None and own == group.value:
                whole.append(index)
            elif own and handlers:
                # Somebody may have put a handler of their own into a group of ours.
                listed = enumerate(handlers.children)
                ours = [place for place, handler in listed if is_ours(handler.value)]
                edits += removals(document, handlers, ours)
        if whole and len(whole) == len(event.children) and event.key not in keep:
            emptied.append(event_index)
        elif whole:
            edits += removals(document, event, whole)

    hooks = document.root.child(HOOKS)
    if hooks and emptied and len(emptied) == len(hooks.children) and HOOKS not in keep:
        # Nothing is left in `hooks`, so it goes too, and no other edit is needed.
        root = document.root
        edits = [*removals(document, root, [root.children.index(hooks)])]
    elif hooks and emptied:
        edits += removals(document, hooks, emptied)
    return with_edits(text, edits)


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


def _events(document: JsonText) -> tuple[JsonNode, ...]:
    hooks = document.root.child(HOOKS)
    return hooks.children if hooks and hooks.kind == "{" else ()


def _with(document: JsonText, client: Client, entries: Entries) -> str:
    """The text with our entries behind those of others."""
    root = document.root
    missing = [(key, value) for key, value in client.frame.items() if root.child(key) is None]
    hooks = root.child(HOOKS)
    if hooks is None:
        with_hooks = additions(document, root, [*missing, (HOOKS, entries)])
        return with_edits(document.text, with_hooks)
    if hooks.kind != "{":
        raise NotJson("`hooks` in it is not an object")

    # All edits are of one text: a second reading of it would move every offset.
    edits = additions(document, root, missing) if missing else []
    new_events: list[tuple[str, Any]] = []
    for event, groups in entries.items():
        listed = hooks.child(event)
        if listed is None:
            new_events.append((event, groups))
        elif listed.kind != "[":
            raise NotJson(f"`hooks.{event}` in it is not a list")
        else:
            edits += additions(document, listed, [("", group) for group in groups])
    if new_events:
        edits += additions(document, hooks, new_events)
    return with_edits(document.text, edits)


def _own(group: object, client: Client) -> Entry | None:
    """A group with our handlers only; None where there are none."""
    if not isinstance(group, dict):
        return None
    if client.flat:
        return group if is_ours(group) else None
    handlers = group.get(HOOKS)
    ours = [one for one in handlers if is_ours(one)] if isinstance(handlers, list) else []
    return {**group, HOOKS: ours} if ours else None
