"""The chats of a project, so that any of them can be gone on with."""

from __future__ import annotations

from director_ctx.base.errors import OK, UsageProblem
from director_ctx.base.one_line import begun
from director_ctx.base.record import Record, as_dict
from director_ctx.base.safe_text import safe
from director_ctx.doors.cli.shared.output import put_json
from director_ctx.doors.cli.shared.speak import say
from director_ctx.doors.cli.shared.table import put_table
from director_ctx.doors.cli.shared.times import local_time
from director_ctx.memory.conversations.chats import chats, points_of
from director_ctx.memory.conversations.messages import about_of, all_messages
from director_ctx.memory.store.open import open_conversation, project_here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.memory.store.store import Store

LONGEST = 200
"""Characters of the words that a chat began with."""
SHORT_ID = 8


class ListedChat(Record):
    id: str
    last: str
    """When somebody spoke last."""
    model: str
    provider: str
    """The vendor, and its address where it is not the vendor's own."""
    began: str


def list_chats(values: dict[str, Any]) -> int:
    if values["message"] is not None or values["id"] or values["continue_"]:
        raise UsageProblem("--list says nothing.", "Leave out the message, --id and --continue.")
    with open_conversation(project_here(values["root"])) as store:
        listed = _listed(store)
    if values["json"]:
        put_json([as_dict(chat) for chat in listed])
        return OK
    if not listed:
        say("There is no chat yet in this project.", "`dctx chat MESSAGE` begins one.")
        return OK
    rows: list[list[str]] = []
    for chat in listed:
        moment = local_time(chat.last)
        rows.append([chat.id[:SHORT_ID], moment, chat.model, chat.provider, chat.began])
    put_table(["Chat", "Last", "Model", "With", "~Began with"], rows)
    return OK


def _listed(store: Store) -> list[ListedChat]:
    words, moments = _first_words(store)
    listed: list[ListedChat] = []
    for chat in chats(store):
        last = points_of(store, chat)[-1]
        began = begun(" ".join(safe(words.get(chat, "")).split()), LONGEST)
        moment = moments.get(chat, last.made_at)
        listed.append(ListedChat(chat, moment, last.model, last.provider, began))
    return listed


def _first_words(store: Store) -> tuple[dict[str, str], dict[str, str]]:
    """By chat, what the user said first, and when somebody spoke last."""
    words: dict[str, str] = {}
    moments: dict[str, str] = {}
    for message in all_messages(store):
        about = about_of(message.metadata)
        chat = about.get("session")
        if not isinstance(chat, str) or about.get("client") != "dctx":
            continue
        moments[chat] = message.timestamp
        if message.role == "user":
            words.setdefault(chat, message.content)
    return words, moments
