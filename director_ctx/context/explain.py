"""Says in words what is in a context, what was cut, what was left out, and why."""

from __future__ import annotations

from director_ctx.base.text import plain
from director_ctx.context.assembly import RUNG_TITLES, Assembly, Printed
from director_ctx.context.settings.tags import EVERYWHERE_PROTECTED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def explain(assembly: Assembly, part: bool = False) -> str:
    """Plain lines, for a person; of a part of a context they do not tell what the rest lacks."""
    return "\n".join(plain(line) for line in _lines(assembly, part))


def _lines(assembly: Assembly, part: bool) -> Iterator[str]:
    budget = assembly.budget
    counter = assembly.counter
    what = ""
    if assembly.task:
        what = f" for task {assembly.task['ref']} ({assembly.task['title']})"
    yield f"Context for {assembly.agent}{what}"
    yield (
        f"{budget.used:,} tokens ({budget.percent}% of {budget.window:,}), "
        f"limit {budget.limit:,}: {budget.status}; "
        f"counted by {counter.name} ({counter.says})"
    )
    yield f"Window: {budget.window_says}"
    for choice in assembly.choices:
        yield f"Chosen by task: {choice}"

    if part:
        yield "Printed of that, in this order:"
    else:
        yield "In, in this order:"
    for section in assembly.sections:
        yield from _section(section)
    yield from _reduced(assembly)
    if part:
        return

    yield from _omitted(assembly)
    yield (
        f"Stable prefix: {assembly.stable_prefix_tokens:,} tokens "
        "stand before what changes with task or time."
    )


def _section(section: Printed) -> Iterator[str]:
    origin = ""
    if section.sources:
        origin = f" from {', '.join(section.sources)}"
    yield f"  {section.tag}: {section.tokens:,} tokens{_protection(section)}{origin}"
    if section.stale:
        yield f"    may be out of date: {', '.join(section.stale)}"


def _protection(section: Printed) -> str:
    if not section.protected:
        return ""
    how = "protected: cut last"
    if section.tag in EVERYWHERE_PROTECTED:
        how = "never cut"
    return f", {how}, sha256 {section.sha256[:12]}"


def _reduced(assembly: Assembly) -> Iterator[str]:
    if not assembly.reductions:
        yield "Cut: nothing."
        return
    yield "Cut, in the order of the ladder:"
    for cut in assembly.reductions:
        yield f"  {RUNG_TITLES[cut.rung]} [{cut.tag} {cut.before:,} -> {cut.after:,} tokens]"


def _omitted(assembly: Assembly) -> Iterator[str]:
    if not assembly.omissions:
        return
    yield "Left out:"
    for omission in assembly.omissions:
        yield f"  {omission.what}: {omission.why}"
