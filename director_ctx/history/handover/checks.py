"""What failed, as long as nothing put it right, and what a failure says of itself."""

from __future__ import annotations

import re

from director_ctx.base.one_line import line
from director_ctx.base.record import Record
from director_ctx.history.messages.quoted import quoted_line
from director_ctx.history.signals.attempts import Attempt, attempt_of, call_line
from director_ctx.history.signals.errors import is_answer, is_error, is_red

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.history.handover.done import ShellLine
    from director_ctx.history.messages.message import Block

WORDS = frozenset(
    "test tests check checks lint build typecheck type-check verify spec ci vet clippy tsc".split()
)
"""One of these among the first words of a command says that it is a check."""
_FIRST = 4
_FAILS = re.compile(
    r"^\s*(?:FAIL(?:ED|URE|ING)?\b|--- FAIL|not ok\b|[✗✖✘●]\s|Error:|error(?:\[\w+\])?:|panic:)"
)
"""How the line begins that names what failed."""
_NAMED = re.compile(r"^(?:FAIL|FAILED|[ \t]*--- FAIL)\b", re.MULTILINE)
"""In what a check says, whatever its exit status: it may have gone through `head`."""
_SIGNAL = re.compile(
    r"error|exception|fatal|fail|denied|not found|cannot|traceback|refused|timed? ?out",
    re.IGNORECASE,
)
_LOOKED_AT = 20_000
"""Characters at the end, where it stands; a log may be very long."""
_LONG = 300
_MOST = 20
"""Failures that are remembered at once."""
_OTHERS = 2
"""Of these so many are told beside the last check."""
LOOKS = frozenset(
    {"Read", "LS", "Glob", "Grep", "view", "read_file", "list_directory", "read", "ls"}
)
"""Tools that look for something."""
LOOKING = frozenset("cat head tail sed nl ls find grep rg stat wc file tree".split())
"""Programs that do the same."""
_NOT_THERE = re.compile(r"does not exist|no such file|not found", re.IGNORECASE)
NOT_DONE = "The user doesn't want to proceed"
"""How a client begins where the user did not allow a call."""


class Failure(Record):
    """A call that failed."""

    attempt: Attempt
    text: str
    left: tuple[tuple[str, ...], ...]
    """What still has to go well."""
    is_check: bool = True


class Failures:
    """What nothing put right, oldest first."""

    def __init__(self) -> None:
        self._failures: list[Failure] = []

    def remember(self, text: str) -> None:
        """A failure of which only the line is left that a hand-over has of it."""
        attempt = attempt_of(call_in(text))
        self._fail(Failure(attempt, text, attempt.needs))

    def see(self, call: Block, result: Block, shell: ShellLine) -> None:
        first_words = [word for words in shell.commands for word in words[:_FIRST]]
        is_check = any(not WORDS.isdisjoint(word.split(":")) for word in first_words)
        has_failed = is_error(result) or is_red(result.text)
        if is_check and not has_failed:
            has_failed = _NAMED.search(result.text) is not None
        if not has_failed and not self._failures:
            return

        told = call_line(call.tool, call.text)
        attempt = attempt_of(told)
        if not has_failed:
            # A run that went well puts right all that it covers.
            marks = set(attempt.marks())
            left_open: list[Failure] = []
            for failure in self._failures:
                left = tuple(need for need in failure.left if marks.isdisjoint(need))
                if left:
                    left_open.append(failure.replace(left=left))
            self._failures = left_open
        elif _is_looked_for(call, result, shell):
            return
        elif not is_answer(result, told) and not result.text.startswith(NOT_DONE):
            is_check = is_check or attempt.checks
            text = f"{told}: {telling_line(result.text)}"
            self._fail(Failure(attempt, text, attempt.needs, is_check))

    def user_spoke(self) -> None:
        """What is no check and failed by the way is of no use once something else is asked for."""
        self._failures = [failure for failure in self._failures if failure.is_check]

    def _fail(self, failure: Failure) -> None:
        """In the place of an earlier one of the same check."""
        needs = failure.attempt.needs
        others = [before for before in self._failures if before.attempt.needs != needs]
        self._failures = [*others, failure][-_MOST:]

    def told(self) -> tuple[str, ...]:
        """The last check and the last of everything else, in order."""
        checks = [failure for failure in self._failures if failure.is_check]
        others = [failure for failure in self._failures if not failure.is_check]
        told = [*checks[-1:], *others[-_OTHERS:]]
        return tuple(failure.text for failure in self._failures if failure in told)


def _is_looked_for(call: Block, result: Block, shell: ShellLine) -> bool:
    """Whether somebody looked whether something was there: that it is not leaves nothing to be done."""
    programs = [words[0] for words in shell.commands]
    only_looks = bool(programs) and all(program in LOOKING for program in programs)
    if call.tool not in LOOKS and not only_looks:
        return False
    return _NOT_THERE.search(result.text, 0, _LONG) is not None


def call_in(text: str) -> str:
    """The call in front of what came of it, in a line about an error."""
    _, _, rest = text.partition(" ")
    # Arguments in JSON have colons of their own.
    if rest.startswith("{"):
        end = text.find("}: ") + 1
        if end > 0:
            return text[:end]
    call, _, _ = text.partition(": ")
    return call


def telling_line(text: str) -> str:
    """The line that says what went wrong, behind the one that names what failed."""
    last = last_signal = named = ""
    for row in text[-_LOOKED_AT:].splitlines():
        if not row.strip():
            continue
        last = row
        if _SIGNAL.search(row):
            last_signal = row
        if not named and _FAILS.match(row):
            named = row
    told = last_signal or last
    if named and named.strip() != told.strip():
        told = f"{line(named, _LONG // 2)} | {told}"
    return quoted_line(line(told, _LONG))
