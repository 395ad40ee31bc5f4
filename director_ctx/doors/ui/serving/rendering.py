"""Templates filled in. Everything is escaped but what `markdown` made."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from os.path import dirname, join

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from director_ctx.base.text import ago, counted
from director_ctx.context.settings.tags import title
from director_ctx.doors.ui.serving.markdown import as_html, marked, marked_each, said, with_hit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

PIECE = 32_000
"""Characters that are sent together."""
LONG_AGO = 60 * 86_400
"""Seconds. Nobody counts back hundreds of days: from there on a date says more."""
HOME = dirname(dirname(__file__))
TYPES = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}


def rendered(template: str, **context: Any) -> str:
    return sendable(_environment().get_template(f"{template}.html").render(context))


def streamed(template: str, **context: Any) -> Iterator[bytes]:
    """The same in pieces, each as soon as it is there."""
    waiting: list[str] = []
    length = 0
    for piece in _environment().get_template(f"{template}.html").generate(context):
        waiting.append(piece)
        length += len(piece)
        if length >= PIECE:
            yield sendable("".join(waiting)).encode()
            waiting.clear()
            length = 0
    yield sendable("".join(waiting)).encode()


def sendable(text: str) -> str:
    """With a question mark for each half of a character, which sessions and names of files may have."""
    return text.encode("utf-8", "replace").decode("utf-8")


class _OfJson(Environment):
    """`row.title` is the key of an object, first: that is what nearly all values of a page are, and to
    ask a dictionary for an attribute it has not takes ten times as long.
    """

    def getattr(self, obj: Any, attribute: str) -> Any:
        if type(obj) is dict and attribute in obj:
            return obj[attribute]
        return super().getattr(obj, attribute)


@cache
def _environment() -> Environment:
    environment = _OfJson(
        autoescape=True,
        loader=FileSystemLoader(join(HOME, "templates")),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    filters = {
        "number": number,
        "signed": signed,
        "percent": percent,
        "markdown": as_html,
        "age": age,
        "clock": clock,
        "section": title,
        "counted": counted,
        "first_upper": first_upper,
        "commands": commands,
        "about": about,
        "marked": marked,
        "marked_each": marked_each,
        "said": said,
        "with_hit": with_hit,
    }
    environment.filters.update(filters)
    environment.globals["asset"] = asset
    # What stands around a page.
    environment.globals["layout"] = "layout.html"
    return environment


def asset(name: str) -> str:
    """The address of one, which is another when it says something else."""
    return f"/assets/{name}?v={version_of(name)}"


@cache
def version_of(name: str) -> str:
    return sha256(read_asset(name)).hexdigest()[:8]


@cache
def read_asset(name: str) -> bytes:
    """Only names out of a route come here, and they have no separator."""
    with open(join(HOME, "assets", name), "rb") as file:
        return file.read()


def number(value: float | None) -> str:
    if value is None:
        return "\N{EN DASH}"
    return f"{value:,}"


def about(value: int) -> str:
    """A number that nobody has counted: its first three digits."""
    step = 10 ** max(0, len(str(value)) - 3)
    return number(round(value / step) * step)


def signed(value: int | None) -> str:
    if not value:
        return "\N{PLUS-MINUS SIGN}0"
    return f"{value:+,}".replace("-", "\N{MINUS SIGN}")


def percent(part: float, whole: float) -> str:
    """To one place below ten, where that says something."""
    share = part * 100 / max(1, whole)
    if 0 < share < 0.05:
        return "<\N{NARROW NO-BREAK SPACE}0.1\N{NARROW NO-BREAK SPACE}%"
    if 0 < share < 10:
        return f"{share:.1f}\N{NARROW NO-BREAK SPACE}%"
    return f"{share:.0f}\N{NARROW NO-BREAK SPACE}%"


def first_upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def commands(text: str) -> Markup:
    """A sentence in which commands stand in backticks."""
    pieces = text.split("`")
    shown = Markup("")
    for index, piece in enumerate(pieces):
        # A last backtick that has no other is one.
        if index % 2 and index < len(pieces) - 1:
            shown += Markup("<code>{}</code>").format(piece)
        elif index % 2:
            shown += f"`{piece}"
        else:
            shown += piece
    return shown


def age(time: str) -> str:
    moment = _moment(time)
    if moment is None:
        return time[:16]
    passed = (datetime.now(UTC) - moment).total_seconds()
    if passed < 60:
        return "just now"
    if passed > LONG_AGO:
        return clock(time)[:10]
    return ago(passed)


def clock(time: str) -> str:
    """As the clock on the wall had it."""
    moment = _moment(time)
    if moment is None:
        return time[:16]
    return moment.astimezone().strftime("%Y-%m-%d %H:%M")


def _moment(time: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(time)
    except (ValueError, TypeError):
        return None
    if moment.tzinfo is None:
        return moment.replace(tzinfo=UTC)
    return moment
