"""What a model is answered that asks for an original: a page of it, or why there is none."""

from __future__ import annotations

from director_ctx.base.answer_pages import page_of
from director_ctx.base.errors import DctxError, UsageProblem
from director_ctx.base.record import Record
from director_ctx.base.safe_text import safe
from director_ctx.base.text import plain
from director_ctx.history.retrieve.tool import NAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from director_ctx.memory.store.store import Store

    Lookup = Callable[[str], "str | None"]
    """From a locator to the original; None where there is none."""

_LONGEST = 100
"""Characters of a locator: a hash, and the numbers of blocks."""
_DIGITS = 12
"""Of a hash, as a shortened conversation has them. People may give fewer; a model that was talked into
trying them all would come upon what was cut from other conversations.
"""


class AskedFor(Record):
    """Which original, and which page of it."""

    locator: str
    page: int | None = None


def answer(root: str | None, arguments: object) -> str:
    """Out of the store of the project at `root`, or of the one here. What goes wrong is an answer,
    too: the model can do something about it.

    `arguments` are those of a call as a model wrote them: an object, or its JSON.
    """
    from director_ctx.memory.store.open import open_store, project_here

    return answer_by(lambda: open_store(project_here(root)), arguments)


def answer_by(opened: Callable[[], Store], arguments: object) -> str:
    """The same out of the store that `opened` opens."""

    def look_up(locator: str) -> str | None:
        from director_ctx.memory.archive.originals import find

        with opened() as store:
            return find(store, locator)

    return answer_with(look_up, arguments)


def answer_with(look_up: Lookup, arguments: object) -> str:
    """The same with originals that may be anywhere."""
    try:
        asked = asked_for(arguments)
        return original_page(NAME, asked, look_up)
    except DctxError as error:
        return " ".join(filter(None, (error.message, error.hint)))
    except OSError as error:
        return f"The archive could not be read: {error.strerror or error}."


def original_page(tool: str, asked: AskedFor, look_up: Lookup) -> str:
    """A page without secrets, which says how `tool` gives the next one."""
    text = look_up(asked.locator)
    if text is None:
        raise DctxError(
            f"The archive of this project has no {plain(asked.locator)}.",
            "A locator stands in a shortened conversation, where something was cut.",
        )
    return page_of(safe(text), tool, {"locator": asked.locator, "page": asked.page})


def asked_for(arguments: object) -> AskedFor:
    """A call's arguments, once they are known to be some."""
    given = arguments
    if isinstance(arguments, str):
        given = _read(arguments)
    if not isinstance(given, dict):
        raise UsageProblem("It takes an object with a locator, such as dctx:3f2a9c01b4de.")

    locator = given.get("locator")
    if not isinstance(locator, str) or not _is_whole(locator.strip()):
        raise UsageProblem("It needs a whole locator, such as dctx:3f2a9c01b4de.")
    page = given.get("page")
    is_number = isinstance(page, int) and not isinstance(page, bool)
    if page is not None and not (is_number and page >= 0):
        raise UsageProblem("page has to be a whole number from 1 on.")
    return AskedFor(locator.strip(), page)


def _is_whole(locator: str) -> bool:
    start, _, _ = locator.partition("#")
    digits = start.strip("[]").removeprefix("dctx:")
    return len(digits) >= _DIGITS and len(locator) <= _LONGEST


def _read(arguments: str) -> object:
    import json

    try:
        return json.loads(arguments)
    except (ValueError, RecursionError):
        return None
