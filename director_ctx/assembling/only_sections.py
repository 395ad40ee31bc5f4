"""A part of a context: some of its sections, as they stand in the whole."""

from __future__ import annotations

from director_ctx.base.errors import DctxError, UsageProblem
from director_ctx.base.text import plain
from director_ctx.context.layouts import SEPARATOR
from director_ctx.context.settings.request import chosen_tags, is_tag
from director_ctx.context.settings.tags import GROUPS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.context.assembly import Assembly

LONGEST_SHOWN = 60


def only_sections(assembly: Assembly, tags: Sequence[str], asked_by: str = "--only") -> Assembly:
    """The same with some of its sections; all of it where none is named."""
    if not tags:
        return assembly

    # Several may stand in one word, with commas, as other lists of names.
    names = tuple(",".join(tags).split(","))
    known = [section.tag for section in (*assembly.sections, *assembly.too_large)]
    has = f"It has: {', '.join(known)}"
    for name in names:
        if is_tag(name):
            continue
        # Only a mistake waits for it. It names what this context has, and not what others have.
        from difflib import get_close_matches

        near = get_close_matches(name.strip().casefold(), known, 1)
        hint = f"Did you mean {near[0]}? {has}" if near else has
        shown = plain(name[:LONGEST_SHOWN])
        raise UsageProblem(f"{asked_by}: there is no section {shown!r}.", hint)

    chosen = chosen_tags(names, asked_by)
    sections = [section for section in assembly.sections if section.tag in chosen]
    too_large = [section for section in assembly.too_large if section.tag in chosen]
    if not sections and not too_large:
        raise DctxError(f"This context has no section {', '.join(chosen)}.", has)

    printed = {section.tag for section in sections}
    # A summary stands for the other sections of its group.
    cuts = [
        cut for cut in assembly.reductions if printed.intersection(GROUPS.get(cut.tag, (cut.tag,)))
    ]
    choices = [choice for choice in assembly.choices if choice.partition(":")[0] in printed]
    return assembly.replace(
        sections=tuple(sections),
        too_large=tuple(too_large),
        text=SEPARATOR.join(section.text for section in sections) + "\n",
        reductions=tuple(cuts),
        choices=tuple(choices),
    )
