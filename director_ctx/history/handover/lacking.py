"""What a text lacks of a hand-over, whoever wrote the text and in whatever words."""

from __future__ import annotations

import re

from director_ctx.history.handover.handover import Handover

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

SAID = 0.6
"""The share of its telling words by which a thing is told in other words."""
BEGINNING = 160
"""Characters of a long entry by which it is looked for."""
NEAR = 2
"""Lines, one behind another, over which what is told may spread."""
_WORD = re.compile(r"\w{3,}")
_FOLDERS = re.compile(r"[/\\]")
_NO_NEWS = frozenset(
    "and are but can for from has have his her into its let not our out please should she that the "
    "their them then there they this was were will with would you your".split()
)


def lacking(handover: Handover, text: str) -> Handover:
    """The entries that a reader of the text would not learn from it."""
    told = _Told(text)
    files = [file for file in handover.files if not told.names(file.path)]
    decisions = [decision for decision in handover.decisions if not told.says(decision.text)]
    todo = handover.todo
    if todo is not None:
        todo = told.leaves_out(todo)
    question = handover.question
    if question and told.says(question):
        question = ""
    return Handover(
        requests=told.leaves_out(handover.requests),
        wishes=told.leaves_out(handover.wishes),
        todo=todo or None,
        errors=told.leaves_out(handover.errors),
        question=question,
        waiting=told.leaves_out(handover.waiting),
        files=tuple(files),
        done=told.leaves_out(handover.done),
        decisions=tuple(decisions),
    )


class _Told:
    """A text, as it is searched for what it says."""

    def __init__(self, text: str) -> None:
        self.text = text
        rows = [_words(row) for row in text.splitlines() if row.strip()]
        self.places: list[frozenset[str]] = []
        """The words of each few lines that stand together."""
        for first in range(len(rows)):
            near = rows[first : first + NEAR]
            self.places.append(frozenset[str]().union(*near))

    def leaves_out(self, entries: Iterable[str]) -> tuple[Any, ...]:
        return tuple(entry for entry in entries if not self.says(entry))

    def says(self, entry: str) -> bool:
        beginning = entry[:BEGINNING]
        if beginning in self.text:
            return True
        wanted = _words(beginning)
        if not wanted:
            return False
        needed = SAID * len(wanted)
        return any(len(wanted & words) >= needed for words in self.places)

    def names(self, path: str) -> bool:
        """By all of it, or by its last folder and its name: a name alone may be another file's."""
        end = "/".join(_FOLDERS.split(path)[-2:])
        return path in self.text or end in self.text


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.lower())) - _NO_NEWS
