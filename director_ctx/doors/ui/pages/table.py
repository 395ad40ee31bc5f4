"""Every page and everything that a page changes, as data."""

from __future__ import annotations

from director_ctx.base.record import Record

REF = "{ref:path}"
CONVERSATIONS = "conversations"
"""A room of its own."""


class WebPage(Record):
    """An address below the project's; its module and its template have its name."""

    name: str
    address: str
    title: str
    key: str = ""
    """After `g`, where it stands in the navigation; empty for a page that is reached by a link."""
    beside: str = ""
    """The page of the navigation that it belongs to."""
    room: str = ""
    """The folder of `pages/` that its module stands in."""
    hears_talk: bool = False
    """Whether it shows something of conversations, which change all the time."""
    streams: bool = False
    """Whether it may be so long that its beginning is sent while the rest is made."""
    hears_tabs: bool = False
    """Whether it shows what is open in the browser."""

    @property
    def module(self) -> str:
        return f"{self.room}.{self.name}".lstrip(".")


class PageAction(Record):
    """An address that forms are sent to, and the function that carries it out."""

    address: str
    module: str
    call: str


PAGES = (
    WebPage("now", "now", "Now", "n", hears_talk=True),
    WebPage("plan", "plan", "Plan", "p"),
    WebPage("project", "project", "Project", "r"),
    WebPage("told", "told", "Told", "t"),
    WebPage(
        "conversations",
        "conversations",
        "Conversations",
        "c",
        room=CONVERSATIONS,
        hears_talk=True,
    ),
    WebPage("budget", "budget", "Budget", "b"),
    WebPage("variables", "variables", "Variables", "v", hears_tabs=True),
    WebPage("health", "health", "Health", "h"),
    WebPage("plan_history", "plan/history", "History of the plan", beside="plan"),
    WebPage("plan_version", "plan/versions/{number}", "A version of the plan", beside="plan"),
    WebPage("goal", f"goals/{REF}", "Goal", beside="project"),
    WebPage("task", f"tasks/{REF}", "Task", beside="project"),
    WebPage(
        "conversation",
        "conversations/{session}",
        "Conversation",
        beside="conversations",
        room=CONVERSATIONS,
        hears_talk=True,
        streams=True,
    ),
    WebPage(
        "message",
        "conversations/{session}/messages/{number}",
        "Message",
        beside="conversations",
        room=CONVERSATIONS,
    ),
    WebPage(
        "compress",
        "conversations/{session}/compress",
        "Compress",
        beside="conversations",
        room=CONVERSATIONS,
    ),
    WebPage("chat", "chats/{chat}", "Chat", beside="conversations", room=CONVERSATIONS),
    WebPage(
        "compressions", "compressions", "Compressions", beside="conversations", room=CONVERSATIONS
    ),
    WebPage(
        "compression",
        "compressions/{id}",
        "A compression",
        beside="conversations",
        room=CONVERSATIONS,
    ),
    WebPage("told_context", "told/{id}", "A context that was told", beside="told"),
    WebPage("variable", "variable", "Variable", beside="variables"),
)
"""In the order of the navigation. A page that is not made yet has no row."""

ACTIONS = (
    PageAction("plan/set", "plan_actions", "set_status"),
    PageAction("plan/restore", "plan_actions", "restore"),
    PageAction(
        "conversations/{session}/compress", "conversations.conversation_actions", "compress"
    ),
    PageAction("conversations/{session}/import", "conversations.conversation_actions", "take_in"),
    PageAction("conversations/{session}/undo", "conversations.conversation_actions", "undo"),
    PageAction("chats/{chat}/say", "conversations.chat_actions", "say"),
    PageAction("chats/{chat}/stop", "conversations.chat_actions", "stop"),
    PageAction("chats/{chat}/undo", "conversations.chat_actions", "undo"),
    PageAction("variables/set", "variable_actions", "set_value"),
    PageAction("variables/clear", "variable_actions", "clear"),
    PageAction("variables/clear-all", "variable_actions", "clear_all"),
    PageAction("health/mend", "health", "mend"),
)


def navigation() -> tuple[WebPage, ...]:
    return tuple(page for page in PAGES if page.key)
