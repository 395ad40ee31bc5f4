"""A hand-over as a value: what was asked for, what is open, what was changed, done and decided; and what
a text lacks of it.
"""

from __future__ import annotations

import re

from director_ctx.base.record import Record, as_dict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any


ASKED = "What the user asked for"
WISHES = "Standing wishes"
OPEN = "Open"
FILES = "Files changed"
DONE = "Done for good"
DECIDED = "Key decisions and rationale"
HEADINGS = (ASKED, WISHES, OPEN, FILES, DONE, DECIDED)
"""In the order in which they are written."""
ERROR, QUESTION, IN_WORK, WAITING = (
    "error: ",
    "question to the user: ",
    "in work: ",
    "not answered yet: ",
)
"""How a line begins below `OPEN`; without any of them it is to be done."""
ELSEWHERE = "./"
"""What a path begins with that is relative, where others stand below a folder."""
NEW, DELETED = "new", "deleted"


class ChangedFile(Record):
    """A file that was changed, and how."""

    path: str
    edits: int = 0
    """How often, apart from its being written as a new one."""
    state: str = ""
    """NEW or DELETED, where it is one of both."""


class StatedDecision(Record):
    """What was decided or found out, in the words of the assistant."""

    text: str
    worth: int = 1
    """What is larger stays longer."""


class Handover(Record):
    """Everything oldest first, each thing once."""

    requests: tuple[str, ...] = ()
    wishes: tuple[str, ...] = ()
    """What the user wants kept to from then on."""
    todo: tuple[str, ...] | None = None
    """What is not done of the list of things to do, as it was written last; None where there is no
    list.
    """
    errors: tuple[str, ...] = ()
    """The last check that failed, and what else failed last, with what it said, as long as nothing put
    it right.
    """
    question: str = ""
    """What the assistant asked last, as long as nobody answered."""
    waiting: tuple[str, ...] = ()
    """The last calls that have no result yet."""
    files: tuple[ChangedFile, ...] = ()
    done: tuple[str, ...] = ()
    """Commits, pushes, releases and the like, which cannot be taken back quietly."""
    decisions: tuple[StatedDecision, ...] = ()

    def as_json(self) -> dict[str, Any]:
        document = as_dict(self)
        document["files"] = [as_dict(file) for file in self.files]
        document["decisions"] = [decision.text for decision in self.decisions]
        return document


def is_whole(path: str) -> bool:
    """Whether a path says all folders that it is in; on Windows a letter stands in front."""
    has_drive = path[1:3] in (":\\", ":/")
    return has_drive or path.startswith(("/", "~"))


def joined(earlier: Handover, later: Handover) -> Handover:
    """Both as one; what is open is what is open now."""
    return Handover(
        requests=_once(earlier.requests, later.requests),
        wishes=_once(earlier.wishes, later.wishes),
        todo=earlier.todo if later.todo is None else later.todo,
        errors=later.errors,
        question=later.question,
        waiting=later.waiting,
        files=joined_files((*earlier.files, *later.files)),
        done=_once(earlier.done, later.done),
        decisions=_once(earlier.decisions, later.decisions),
    )


def _once(earlier: Sequence[Any], later: Sequence[Any]) -> tuple[Any, ...]:
    """What comes again stands where it came last."""
    newest: dict[Any, None] = {}
    for value in (*earlier, *later):
        newest.pop(value, None)
        newest[value] = None
    return tuple(newest)


def joined_files(changes: Iterable[ChangedFile]) -> tuple[ChangedFile, ...]:
    """Each file once, at the place of its last change."""
    changes = list(changes)
    whole_paths = {change.path for change in changes if is_whole(change.path)}
    by_path: dict[str, ChangedFile] = {}
    for change in changes:
        path = change.path
        if not is_whole(path):
            # What a shell calls `a/b.py` is the file that a tool calls `/home/x/a/b.py`, if only
            # one is called so.
            name = "/" + path.removeprefix("./")
            ending = [whole for whole in whole_paths if whole.endswith(name)]
            path = ending[0] if len(ending) == 1 else path
        before = by_path.pop(path, None)
        if before is None:
            by_path[path] = change.replace(path=path)
            continue
        edits = before.edits + change.edits
        state = change.state
        if change.state == NEW and before.state != DELETED:
            # It was there already: it is written anew, and new only if it was.
            edits += 1
            state = before.state
        elif not change.state:
            state = before.state
            if state == DELETED:
                state = NEW
        by_path[path] = ChangedFile(path, edits, state)
    return tuple(by_path.values())


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
    return Handover(
        requests=told.leaves_out(handover.requests),
        wishes=told.leaves_out(handover.wishes),
        todo=told.leaves_out(handover.todo or ()) or None,
        errors=told.leaves_out(handover.errors),
        question="" if told.says(handover.question) else handover.question,
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
        self.places = [
            frozenset[str]().union(*rows[first : first + NEAR]) for first in range(len(rows))
        ]
        """The words of each few lines that stand together."""

    def leaves_out(self, entries: Iterable[str]) -> tuple[Any, ...]:
        return tuple(entry for entry in entries if not self.says(entry))

    def says(self, entry: str) -> bool:
        beginning = entry[:BEGINNING]
        if beginning in self.text:
            return True
        wanted = _words(beginning)
        needed = SAID * len(wanted)
        return any(wanted and len(wanted & words) >= needed for words in self.places)

    def names(self, path: str) -> bool:
        """By all of it, or by its last folder and its name: a name alone may be another file's."""
        end = "/".join(_FOLDERS.split(path)[-2:])
        return path in self.text or end in self.text


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.lower())) - _NO_NEWS
