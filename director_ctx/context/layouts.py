"""From sections to text. A layout turns sections in order into blocks; blocks are joined by an empty line."""

from __future__ import annotations

from director_ctx.context.tags import ORDERS, title
from director_ctx.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from director_ctx.context.sections import Section

    Wrap = Callable[[str, str], str]

SEPARATOR = "\n\n"


class Block(Record):
    """One section as it is printed."""

    section: Section
    text: str


def xml(tag: str, body: str) -> str:
    return f"<{tag}>\n{body}\n</{tag}>"


def markdown(tag: str, body: str) -> str:
    return f"# {title(tag)}\n\n{body}"


WRAPS: dict[str, Wrap] = {"xml": xml, "json": xml, "markdown": markdown}


def tags_layout(sections: Mapping[str, Section], order: Sequence[str], wrap: Wrap) -> tuple[Block, ...]:
    """Each section in its own tag, side by side, in the declared order."""
    known = [tag for tag in order if tag in sections]
    return tuple(Block(sections[tag], wrap(tag, sections[tag].body)) for tag in known)


LAYOUTS: dict[str, Callable[[Mapping[str, Section], Sequence[str], Wrap], tuple[Block, ...]]] = {"tags": tags_layout}


class Renderer(Record):
    """The chosen layout, order and wrapping as one function of the sections."""

    layout: str = "tags"
    order: str = "seed"
    format: str = "xml"

    def blocks(self, sections: Mapping[str, Section]) -> tuple[Block, ...]:
        return LAYOUTS[self.layout](sections, ORDERS[self.order], WRAPS[self.format])


def join(blocks: Sequence[Block]) -> str:
    """The whole text as it is printed."""
    return SEPARATOR.join(block.text for block in blocks) + "\n" if blocks else ""


def stable_prefix(blocks: Sequence[Block]) -> str:
    """What stands before the first section that depends on the task or the time."""
    prefix: list[str] = []
    for block in blocks:
        if not block.section.stable:
            break
        prefix.append(block.text + SEPARATOR)
    return "".join(prefix)
