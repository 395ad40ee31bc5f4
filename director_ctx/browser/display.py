"""How tabs look in a context and on a terminal: a line each, nothing secret, nothing that could
pass for a line.
"""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.base.secrets import redact
from director_ctx.base.text import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from director_ctx.browser.tabs import Tab

MOST_TABS = 40
LONGEST_NAME = 40
LONGEST_URL = 200


class Open(Record):
    """An open tab under the name that it has here."""

    name: str
    tab: Tab
    active: bool = False


def shown(tabs: Sequence[Open]) -> str:
    """The seed's format."""
    count = len(tabs)
    if not count:
        return "No tabs open."
    lines = [f"{count} {'tabs' if count > 1 else 'tab'} open:"]
    for tab in tabs[:MOST_TABS]:
        mark = " (Active)" if tab.active else ""
        lines.append(f"- {tab.name}{mark} = {shown_url(tab.tab.url)}")
    if count > MOST_TABS:
        lines.append(f"- and {count - MOST_TABS} more")
    return "\n".join(lines)


def tab_json(tab: Open) -> dict[str, Any]:
    return {
        "name": tab.name,
        "title": short(tab.tab.title, LONGEST_URL),
        "url": shown_url(tab.tab.url),
        "active": tab.active,
        "id": plain(tab.tab.id),
    }


def shown_url(url: str) -> str:
    """A tab that crashed has none; one whose address is its whole content shows only of which kind
    that is.
    """
    if url[:5].casefold() == "data:":
        url = f"{url[:LONGEST_URL].partition(',')[0]},..."
    return short(url, LONGEST_URL) or "(no address)"


def short(text: str, most: int) -> str:
    """Text of a page on one line: hidden first and cut then, so that no cut uncovers a secret."""
    clean = plain(" ".join(redact(text[:20_000]).split()))
    return clean if len(clean) <= most else f"{clean[:most]}..."


def name_of(tab: Tab) -> str:
    """A name for a tab that nobody named: its title, or else where it is."""
    host = tab.url.partition("://")[2].partition("/")[0]
    return tidy_name(tab.title) or tidy_name(host) or "Tab"


def tidy_name(text: str) -> str:
    """Text as a name: short, and without the two marks that the format has for itself."""
    # `=` stands between a name and an address, and `(Active)` marks the tab in front.
    words = redact(text[:2_000]).replace("=", " ").replace("(Active)", " ").split()
    return plain(" ".join(words))[:LONGEST_NAME].strip()
