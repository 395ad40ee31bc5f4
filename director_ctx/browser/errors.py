"""What goes wrong in a browser, in one sentence and a hint. What Playwright says is cut to its
first line.
"""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.base.text import plain
from director_ctx.browser.display import short

LONGEST = 200
ENDED = ("The browser ended in the middle of it.", "Start it again: `dctx browser start`.")
_UNREACHED = (
    "The browser could not be spoken to.",
    "Is it still running? See `dctx browser show`.",
)
_NO_SELECTOR = ("{what} is not a selector.", "`dctx browser inspect` shows selectors that work.")
_NO_FIELD = ("{what} is nothing to type into.", "`dctx browser inspect` shows what is.")
# In the order in which they are looked for: what the net says comes before `net::`, and all before
# a timeout, whose log may carry any of them.
_SENTENCES = (
    ("crashed", "The page crashed.", "Close the tab, and open another."),
    ("Target page, context or browser has been closed", *ENDED),
    ("Browser has been closed", *ENDED),
    ("Connection closed", *ENDED),
    ("WebSocket", *_UNREACHED),
    ("ECONNREFUSED", *_UNREACHED),
    ("ERR_CONNECTION_REFUSED", "Nothing answers at {what}.", "Is the server running?"),
    (
        "ERR_NAME_NOT_RESOLVED",
        "There is no machine of that name: {what}.",
        "Is the address right, and a network there?",
    ),
    (
        "ERR_INTERNET_DISCONNECTED",
        "There is no network to reach {what}.",
        "Connect, then try again.",
    ),
    (
        "ERR_ABORTED",
        "The browser did not go to {what}.",
        "It may be a download, or the page went elsewhere.",
    ),
    (
        "Download is starting",
        "{what} is a download, so the browser stays where it is.",
        "Name a page.",
    ),
    ("net::", "The browser could not go to {what} ({code}).", "Is the address right?"),
    (
        "Cannot navigate to invalid URL",
        "{what} is not an address.",
        "It looks like http://localhost:3000/page.",
    ),
    (
        "strict mode violation",
        "Several elements match {what}.",
        "`dctx browser inspect` shows a selector for each.",
    ),
    ("Unexpected token", *_NO_SELECTOR),
    ("is not a valid selector", *_NO_SELECTOR),
    ("Unknown engine", *_NO_SELECTOR),
    ("while parsing", *_NO_SELECTOR),
    ("not an <input>", *_NO_FIELD),
    ("cannot be filled", *_NO_FIELD),
    (
        "intercepts pointer events",
        "Something lies over {what}.",
        "Close what is in front of it first.",
    ),
    (
        "not visible",
        "{what} is not visible.",
        "Scroll to it or open what it is in, then try again.",
    ),
    ("not enabled", "{what} is disabled.", "Fill in what it waits for, then try again."),
)


class PageTrouble(DctxError):
    """The browser is there, but this could not be done in it."""

    secret: bool | None = None
    """Whether what was to be typed must not be shown; None where the field was not asked."""


class Unreached(PageTrouble):
    """The browser could not be spoken to, so nothing was done in it."""


class BrowserGone(PageTrouble):
    """The browser ended in the middle of it."""


def trouble_of(error: BaseException, what: str) -> PageTrouble:
    """What the user is told. Late answers carry the reason in their log, so all of the message is
    looked at.
    """
    text = str(error)
    what = short(what, LONGEST)
    for words, sentence, hint in _SENTENCES:
        if words in text:
            # Chromium's name for what went wrong on the net.
            code = plain((text.partition("net::")[2].split() or [""])[0])
            kind = BrowserGone if sentence == ENDED[0] else PageTrouble
            return kind(sentence.format(what=what, code=code), hint)

    if "Timeout" not in text:
        first = text.strip().split("\n", 1)[0]
        # Playwright puts the name of what was called in front.
        said = plain(first.partition(": ")[2] or first)[:LONGEST]
        return PageTrouble(f"The browser could not do it: {said}.", "See `dctx browser inspect`.")
    if "waiting for locator" in text and "resolved to" not in text:
        hint = "`dctx browser inspect` shows what is there."
        return PageTrouble(f"No element matches {what}.", hint)
    return PageTrouble(
        f"{what} was not ready in time.", "Wait for it first, or see `dctx browser inspect`."
    )


def too_late(what: str, seconds: float) -> PageTrouble:
    return PageTrouble(
        f"{short(what, LONGEST)}: the page did not answer within {seconds:g} seconds.",
        "It may be busy, or a dialog waits for an answer; navigate it, or close the tab.",
    )
