"""Which files a call has changed, and how."""

from __future__ import annotations

import re

from director_ctx.history.handover.handover import DELETED, NEW, ChangedFile
from director_ctx.history.handover.shell import below, without_flags
from director_ctx.history.signals.files import touches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from director_ctx.history.handover.shell import ShellLine
    from director_ctx.history.messages.message import Block

SCRATCH = ("/dev/", "/tmp/", "/private/tmp/", "/var/folders/")
"""What a shell writes there is nobody's file."""
_PATCH = "*** Begin Patch"
_PATCHED = re.compile(r"^\*\*\* (?:(Add|Update|Delete) File|(Move) to): (.+)$", re.MULTILINE)
_STATES = {"Add": NEW, "Update": "", "Delete": DELETED, "Move": NEW}
_CREATES = re.compile(r'create|"command":\s*"create"', re.IGNORECASE)
_CREATED = re.compile(r"\bcreated\b", re.IGNORECASE)
_HEAD = 200
"""Characters of an answer in which it says that a file is new."""
_WHERE = " in "


def changes_of(call: Block, result: str, line: ShellLine) -> Iterator[ChangedFile]:
    """The files of a call that went well, with what it answered and its line for a shell."""
    if _PATCH in call.text:
        yield from _patched(call.text, line.folder)
        return
    for path, span in touches(call):
        if span is not None:
            continue
        if line.text:
            whole = _whole(path, line.folder)
            if not whole.startswith(SCRATCH):
                yield ChangedFile(whole, 1)
        elif _is_new(call, result):
            yield ChangedFile(path, state=NEW)
        else:
            yield ChangedFile(path, 1)
    yield from _moved_or_removed(line)


def _patched(text: str, folder: str) -> Iterator[ChangedFile]:
    # Within JSON its lines are ended by letters.
    patch = text
    if "\n" not in text:
        patch = text.replace("\\n", "\n")
    changed = ""
    for word, moved, name in _PATCHED.findall(patch):
        path = _whole(name.rstrip(' \t\r"}'), folder)
        state = _STATES[word or moved]
        edits = int(not state)
        if moved and changed:
            # It is not where it was.
            yield ChangedFile(changed, state=DELETED)
        changed = path
        yield ChangedFile(path, edits, state)


def _is_new(call: Block, result: str) -> bool:
    if _CREATES.search(call.tool) or _CREATES.search(call.text[:_HEAD]):
        return True
    return _CREATED.search(result[:_HEAD]) is not None


def _whole(path: str, folder: str) -> str:
    """With the folder that a shell was in."""
    name, _, _ = path.partition(_WHERE)
    return below(folder, name)


def _moved_or_removed(line: ShellLine) -> Iterator[ChangedFile]:
    for words in line.commands:
        program, *names = without_flags(words) or ("",)
        if program == "git" and names:
            program, *names = names
        if program not in ("rm", "mv"):
            continue

        paths = list(_paths(names, line.folder))
        if program == "rm":
            for path in paths:
                yield ChangedFile(path, state=DELETED)
        elif len(paths) == 2:
            yield ChangedFile(paths[0], state=DELETED)
            yield ChangedFile(paths[1], state=NEW)


def _paths(words: Sequence[str], folder: str) -> Iterator[str]:
    """Without what only the shell knows."""
    for word in words:
        name = word.strip("'\"")
        if not name or "$" in name or ">" in name:
            continue
        path = _whole(name, folder)
        if not path.startswith(SCRATCH):
            yield path
