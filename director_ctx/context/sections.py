"""The values that a context is made of, from documents and from what is known beside them."""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.base.text import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


class Part(Record):
    """One document, commit subject or passage inside a section."""

    text: str
    name: str = ""
    path: str = ""
    related: bool = True
    """Whether it belongs to the task's domain; unrelated parts go first."""
    whole: str = ""
    """The text before it was cut to the length of one file; extracts are made of it."""
    stale: str = ""
    """One line that says it, if what the text describes has changed since."""

    @property
    def shown(self) -> str:
        if not self.stale or not self.text:
            return self.text
        return f"{self.stale}\n\n{self.text}"


class Section(Record):
    """One tag and what stands in it."""

    tag: str
    parts: tuple[Part, ...]
    protected: bool = False
    stable: bool = False
    headed: bool = False
    """Whether each part stands under a heading of its own."""
    intro: str = ""

    @property
    def body(self) -> str:
        if self.headed:
            return "\n\n".join(map(_under_heading, self.parts))
        # Under a sentence of introduction the parts are lines, such as subjects of commits.
        if self.intro:
            lines = [f"- {part.text}" for part in self.parts]
            return "\n".join([self.intro, *lines])
        return "\n\n".join(part.shown for part in self.parts)

    @property
    def sources(self) -> tuple[str, ...]:
        return tuple(part.path for part in self.parts if part.path)

    @property
    def stale(self) -> tuple[str, ...]:
        """Those of the sources that may be out of date."""
        return tuple(part.path for part in self.parts if part.stale)


def _under_heading(part: Part) -> str:
    """A part with its name above it; its name alone where its text is gone."""
    if not part.text:
        return f"- {part.name}"
    return f"## {part.name}\n\n{part.shown}"


class Omission(Record):
    """Something that an agent might have had and has not, and why."""

    what: str
    why: str


class Lack(Record):
    """A document that the agent needs and does not have, or not as it should be."""

    path: str
    why: str
    advice: str = ""

    @property
    def says(self) -> str:
        sentence = f"{plain(self.path)} {self.why}"
        if self.advice:
            sentence += f"; {self.advice}"
        return sentence


class Reduction(Record):
    """One rung of the ladder that was taken, and what it saved."""

    rung: str
    tag: str
    """The section that it shortened; the name of its group, where it shortened several."""
    before: int
    after: int
    """Tokens, with those of a summary that stands there instead."""


class Replacements(Record):
    """What the ladder may put in place of longer sections."""

    summaries: Mapping[str, Part] = {}
    """By tag, summaries that are no section yet."""
    named: Mapping[str, Section] = {}
    """By tag, sections whose notes an option named, with only the notes that are there without it."""
    subject: frozenset[str] = frozenset()
    task_number: int | None = None
    shorter: Mapping[str, Part] = {}
    """By tag, what says the same in fewer words."""


class Draft(Record):
    """Everything chosen for an agent, before the budget is looked at."""

    sections: Mapping[str, Section]
    replacements: Replacements
    omissions: tuple[Omission, ...] = ()
    lacks: tuple[Lack, ...] = ()
    warnings: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    """What was chosen by the kind of task, and which words spoke for it."""
    cuts: tuple[tuple[str, str, str], ...] = ()
    """Tag, text before and text after, of files longer than any one file may be."""


class Remembered(Record):
    """The text of one section, and what may stand in its place."""

    texts: tuple[str, ...] = ()
    why: str = ""
    """Why there is none."""
    shorter: str = ""
    source: str = ""
