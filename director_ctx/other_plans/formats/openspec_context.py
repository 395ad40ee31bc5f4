"""The `context:` of OpenSpec's settings: what the project does, what it is made with, and what else is to be known."""

from __future__ import annotations

import re

from director_ctx.base.record import Record
from director_ctx.other_plans.formats.parts import is_titled

_LABEL = re.compile(r"\s*(?:[-*+]\s+)?\**(?P<label>[A-Za-z][\w /&-]{0,30}?)\**\s*:\**(?:\s+|$)")
_HEADING = re.compile(r"#{1,6}\s+(?P<label>.+)")
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,3}[.)])\s")
_DOES = ("purpose", "overview", "project overview", "project", "about", "what it does")
_STACK = ("tech stack", "technology stack", "stack", "technology", "technologies", "built with")


class ProjectContext(Record):
    """Every line of it in one place: contexts have all three."""

    does: str = ""
    stack: str = ""
    others: str = ""


class _ContextReading:
    def __init__(self) -> None:
        self.does: list[str] = []
        self.stack: list[str] = []
        self.others: list[str] = []
        self.here = self.does
        self._is_labelled = False

    def line(self, line: str) -> None:
        heading = _HEADING.match(line)
        label = _LABEL.match(line)
        if heading:
            self._go(heading["label"], is_labelled=False)
            if self.here is self.others:
                self.others.append(line)
            return
        if label:
            self._go(label["label"], is_labelled=True)
            self.here.append(line if self.here is self.others else line[label.end() :])
            return

        if self._ends(line):
            self.here = self.others
        self.here.append(line)

    def _ends(self, line: str) -> bool:
        """What a project does is one paragraph, and so is what stands behind a label."""
        is_prose = self.here is self.does
        if not line.strip():
            return (is_prose or self._is_labelled) and any(map(str.strip, self.here))
        return is_prose and bool(_ITEM.match(line))

    def _go(self, label: str, is_labelled: bool) -> None:
        self._is_labelled = is_labelled
        self.here = self.others
        if is_titled(label, *_STACK):
            self.here = self.stack
        elif is_titled(label, *_DOES):
            self.here = self.does


def read_context(text: str) -> ProjectContext:
    reading = _ContextReading()
    for line in text.strip().split("\n"):
        reading.line(line)
    texts = [
        re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n").rstrip()
        for lines in (reading.does, reading.stack, reading.others)
    ]
    return ProjectContext(*texts)
