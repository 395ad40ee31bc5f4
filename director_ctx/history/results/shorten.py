"""One result shortened to a room, by what it is: the one way in."""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.history.results.envelope import opened
from director_ctx.history.results.fitting import FittedResult, as_content
from director_ctx.history.results.forms import FORMS
from director_ctx.history.results.long_text import clipped
from director_ctx.history.results.sample import Sample

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.history.results.envelope import Envelope
    from director_ctx.history.results.forms import Form
    from director_ctx.history.results.reading import ResultReading

TEXT = "text"
"""The form of what has no other."""
LARGEST = 2_000_000
"""Characters that are read by their form; of more only both ends are looked at."""
_ENDS = LARGEST // 2


class ShortResult(Record):
    """What is left of a result."""

    text: str
    form: str = ""
    """Empty if all of it is there."""
    says: str = ""
    """What is not there, for a stub: in words that are never those of the result."""


def shortened(
    text: str,
    room: int,
    call: str = "",
    forms: Sequence[Form] = FORMS,
) -> ShortResult:
    """At most `room` characters of a result. `call` is the tool that made it, and its arguments."""
    if len(text) <= room:
        return ShortResult(text)
    if room <= 0:
        return ShortResult("", TEXT)
    if len(text) > LARGEST:
        text = text[:_ENDS] + text[-_ENDS:]

    envelope = opened(text)
    head = as_content(envelope.head)
    tail = envelope.tail
    if (len(head) + len(tail)) * 2 > room:
        # In very little room the result itself says more.
        head = tail = ""
    short = _by_form(envelope, room - len(head) - len(tail), call, forms)
    if short is not None:
        return short.replace(text=head + short.text + tail)
    return ShortResult(clipped(as_content(text), room), TEXT)


def _by_form(
    envelope: Envelope,
    room: int,
    call: str,
    forms: Sequence[Form],
) -> ShortResult | None:
    """None if it has no form, or one that says nothing in so little room."""
    sample = Sample(envelope.body, call)
    for form in forms:
        reading = form.read(sample) if form.recognised(sample) else None
        if reading is None:
            continue
        fit = FittedResult(_numbered(reading, envelope), room)
        shown = fit.text()
        if not fit.is_empty and len(shown) <= room:
            return ShortResult(shown, form.name, fit.left_out())
    return None


def _numbered(reading: ResultReading, envelope: Envelope) -> ResultReading:
    """The pieces with their numbers again, where they are still the lines that had them."""
    if not envelope.numbers or "\n".join(reading.pieces) != envelope.body:
        return reading
    numbers = iter(envelope.numbers)
    pieces: list[str] = []
    for piece in reading.pieces:
        lines = [next(numbers) + line for line in piece.split("\n")]
        pieces.append("\n".join(lines))
    return reading.replace(pieces=pieces)
