"""Whether a context is in what an agent was sent: whole, in order, before its prompt."""

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
        faults: list[str] = []
        for tag in self.missing:
            faults.append(f"<{tag}> did not arrive whole")
        if not self.in_order:
            faults.append("the sections are not in order")
        if not self.followed:
            faults.append("the prompt does not stand behind them")
        return tuple(faults)


def arrival_of(sections: Sequence[Printed], said: str, prompt: str) -> Arrival:
    """Compares the sections, as they are printed, with what an agent was sent."""
    whole: list[str] = []
    named: list[str] = []
    missing: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for section in sections:
        start = said.find(section.text)
        if start >= 0:
            whole.append(section.tag)
            starts.append(start)
            ends.append(start + len(section.text))
        elif f"--only {section.tag}`" in said:
            named.append(section.tag)
        else:
            missing.append(section.tag)

    in_order = starts == sorted(starts)
    end_of_context = max(ends, default=0)
    # The last one, because a context may quote the prompt.
    prompt_start = said.rfind(prompt)
    followed = prompt_start >= end_of_context
    return Arrival(
        whole=tuple(whole),
        named=tuple(named),
        missing=tuple(missing),
        in_order=in_order,
        followed=followed,
    )
