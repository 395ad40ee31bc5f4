"""Our entries in the text of a client's settings: which are there, how they get in, how they get
out. Pure.
"""

from __future__ import annotations

import json

from director_ctx.clients.entries import is_ours
from director_ctx.clients.json_edit import INDENT, NotJson, added, edited, read_json, removed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.clients.entries import Entries, Entry
    from director_ctx.clients.json_edit import Document, Edit, Node
    from director_ctx.clients.table import Client

HOOKS = "hooks"
NOTHING: frozenset[str] = frozenset()


def found(text: str, client: Client) -> Entries:
    """Our entries as they stand there, by event; handlers of others in the same group are left out."""
    entries = {
        event.key: [_own(group.value, client) for group in event.children]
        for event in _events(read(text))
    }
    return {
        event: own
        for event, groups in entries.items()
        if (own := [group for group in groups if group])
    }


def containers(text: str) -> frozenset[str]:
    """The places for hooks that there are: each event, and `hooks` itself."""
    document = read(text)
    return frozenset(event.key for event in _events(document)) | (
        {HOOKS} if _hooks(document) else NOTHING
    )


def installed(
    text: str | None, client: Client, entries: Entries, keep: frozenset[str] = NOTHING
) -> str:
    """The text with exactly these entries of ours; the same text if that is what it has."""
    if text is None or not text.strip("\ufeff \t\r\n"):
        return (
            json.dumps({**client.frame, HOOKS: entries}, indent=INDENT, ensure_ascii=False) + "\n"
        )
    if found(text, client) == entries:
        return text
    return _with(read(uninstalled(text, client, keep)), client, entries)


def uninstalled(text: str, client: Client, keep: frozenset[str] = NOTHING) -> str:
    """The text without our entries, and without what they leave empty unless it is to be kept."""
    document = read(text)
    edits: list[Edit] = []
    gone: list[int] = []
    for place, event in enumerate(_events(document)):
        groups = [index for index, group in enumerate(event.children) if _all_ours(group, client)]
        if groups and len(groups) == len(event.children) and event.key not in keep:
            gone.append(place)
            continue
        edits += [edit for group in event.children for edit in _thinned(document, group, client)]
        edits += removed(document, event, groups) if groups else ()
    hooks = _hooks(document)
    if hooks and gone and len(gone) == len(hooks.children) and HOOKS not in keep:
        return edited(
            text, list(removed(document, document.root, [document.root.children.index(hooks)]))
        )
    return edited(text, [*edits, *(removed(document, hooks, gone) if hooks and gone else ())])


def read(text: str) -> Document:
    """A settings file: an object, or NotJson. An empty one is an empty object."""
    document = read_json(text if text.strip("\ufeff \t\r\n") else "{}")
    if document.root.kind != "{":
        raise NotJson("it is not an object")
    return document


def is_bare(text: str, client: Client) -> bool:
    """Whether nothing is left but what we would have put around our entries."""
    document = read(text)
    return not document.comments and document.root.value in ({}, client.frame)


def _hooks(document: Document) -> Node | None:
    hooks = document.root.child(HOOKS)
    return hooks if hooks and hooks.kind == "{" else None


def _events(document: Document) -> tuple[Node, ...]:
    hooks = _hooks(document)
    return hooks.children if hooks else ()


def _with(document: Document, client: Client, entries: Entries) -> str:
    root, hooks = document.root, document.root.child(HOOKS)
    frame = [(key, value) for key, value in client.frame.items() if root.child(key) is None]
    if hooks is None:
        return edited(document.text, added(document, root, [*frame, (HOOKS, entries)]))
    if hooks.kind != "{":
        raise NotJson("`hooks` in it is not an object")
    edits = added(document, root, list(frame)) if frame else []
    new = []
    for event, groups in entries.items():
        place = hooks.child(event)
        if place is None:
            new.append((event, groups))
        elif place.kind != "[":
            raise NotJson(f"`hooks.{event}` in it is not a list")
        else:
            edits += added(document, place, [("", group) for group in groups])
    return edited(document.text, [*edits, *(added(document, hooks, list(new)) if new else ())])


def _own(group: object, client: Client) -> Entry | None:
    """A group with our handlers only; None where there are none."""
    if not isinstance(group, dict):
        return None
    if client.flat:
        return group if is_ours(group) else None
    handlers = group.get(HOOKS)
    ours = (
        [handler for handler in handlers if is_ours(handler)] if isinstance(handlers, list) else []
    )
    return {**group, HOOKS: ours} if ours else None


def _all_ours(group: Node, client: Client) -> bool:
    own = _own(group.value, client)
    return own is not None and own == group.value


def _thinned(document: Document, group: Node, client: Client) -> list[Edit]:
    """Edits that take our handlers out of a group that has others too."""
    handlers = group.child(HOOKS)
    if handlers is None or _all_ours(group, client) or _own(group.value, client) is None:
        return []
    ours = [index for index, handler in enumerate(handlers.children) if is_ours(handler.value)]
    return list(removed(document, handlers, ours))
