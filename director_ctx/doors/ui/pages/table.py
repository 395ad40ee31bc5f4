"""Every page and everything that a page changes, as data."""

from __future__ import annotations

from director_ctx.base.record import Record

REF = "{ref:path}"
SESSION = "conversations/{session}"


class WebPage(Record):
    """An address below the project's; its template has its name, and its functions are `NAME_data` and `NAME_view`."""

    name: str
    address: str
    title: str
    key: str = ""
    """After `g`, where it stands in the navigation; empty for a page that is reached by a link."""
    beside: str = ""
    """The page of the navigation that it belongs to."""
    module: str = ""
    """Of `pages/`, where it has another name."""
    hears_talk: bool = False
    """Whether it shows something of conversations, which change all the time."""
    streams: bool = False
    """Whether it may be so long that its beginning is sent while the rest is made."""
    hears_tabs: bool = False
    """Whether it shows what is open in the browser."""


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
    WebPage("conversations", "conversations", "Conversations", "c", hears_talk=True),
    WebPage("budget", "budget", "Budget", "b", module="told"),
    WebPage("variables", "variables", "Variables", "v", hears_tabs=True),
    WebPage("health", "health", "Health", "h"),
    WebPage("plan_history", "plan/history", "History of the plan", "", "plan", "plan"),
    WebPage("plan_version", "plan/versions/{number}", "A version of the plan", "", "plan", "plan"),
    WebPage("goal", f"goals/{REF}", "Goal", "", "project", "project"),
    WebPage("task", f"tasks/{REF}", "Task", "", "project", "project"),
    WebPage(
        "conversation",
        SESSION,
        "Conversation",
        beside="conversations",
        hears_talk=True,
        streams=True,
    ),
    WebPage(
        "message",
        f"{SESSION}/messages/{{number}}",
        "Message",
        beside="conversations",
        module="conversation",
    ),
    WebPage("compress", f"{SESSION}/compress", "Compress", beside="conversations"),
    WebPage("chat", "chats/{chat}", "Chat", beside="conversations"),
    WebPage("compressions", "compressions", "Compressions", "", "conversations", "conversations"),
    WebPage("compression", "compressions/{id}", "A compression", "", "conversations", "compress"),
    WebPage("told_context", "told/{id}", "A context that was told", "", "told", "told"),
    WebPage("variable", "variable", "Variable", "", "variables", "variables"),
)
"""In the order of the navigation."""

ACTIONS = (
    PageAction("plan/set", "plan", "set_status"),
    PageAction("plan/restore", "plan", "restore"),
    PageAction(f"{SESSION}/compress", "compress", "compress"),
    PageAction(f"{SESSION}/import", "compress", "take_in"),
    PageAction(f"{SESSION}/undo", "compress", "undo"),
    PageAction("chats/{chat}/say", "chat", "say"),
    PageAction("chats/{chat}/stop", "chat", "stop"),
    PageAction("chats/{chat}/undo", "chat", "undo"),
    PageAction("variables/set", "variables", "set_value"),
    PageAction("variables/clear", "variables", "clear"),
    PageAction("variables/clear-all", "variables", "clear_all"),
    PageAction("health/mend", "health", "mend"),
)


def navigation() -> tuple[WebPage, ...]:
    return tuple(page for page in PAGES if page.key)
