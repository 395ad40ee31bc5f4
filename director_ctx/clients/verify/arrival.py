"""Whether a context arrived in a request: every section whole, in its order, what follows behind it."""

from __future__ import annotations

from director_ctx.base.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.context.assembly import Printed


class Arrival(Record):
    """What of a context is in a text."""

    whole: tuple[str, ...]
    named: tuple[str, ...]
    """Too large for this client: the command that prints it is there instead."""
    missing: tuple[str, ...]
    in_order: bool
    followed: bool
    """Whether the prompt stands behind all of it."""

    @property
    def complete(self) -> bool:
        return not self.missing and bool(self.whole) and self.in_order and self.followed

    @property
    def faults(self) -> tuple[str, ...]:
        return (
            *(f"<{tag}> did not arrive whole" for tag in self.missing),
            *(("the sections are not in order",) if not self.in_order else ()),
            *(("the prompt does not stand behind them",) if not self.followed else ()),
        )


def arrived(sections: Sequence[Printed], said: str, prompt: str) -> Arrival:
    """Compares the sections, as they are printed, with what an agent was sent."""
    places = {section.tag: said.find(section.text) for section in sections}
    whole = tuple(tag for tag, place in places.items() if place >= 0)
    named = tuple(tag for tag in places if tag not in whole and f"--only {tag}`" in said)
    ends = [places[section.tag] + len(section.text) for section in sections if section.tag in whole]
    starts = [places[tag] for tag in whole]
    return Arrival(
        whole,
        named,
        tuple(tag for tag in places if tag not in whole and tag not in named),
        starts == sorted(starts),
        said.rfind(prompt) >= max(ends, default=0),
    )
