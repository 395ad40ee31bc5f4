"""Expected failures: one sentence, a hint, and the exit code they deserve."""

from __future__ import annotations

OK, FAILED, USAGE, BUG, STRICT, ALL_DONE, NOTHING_READY, INTERRUPTED = 0, 1, 2, 3, 4, 5, 6, 130


class DctxError(Exception):
    """Something the user can mend; never a traceback."""

    exit_code = FAILED

    def __init__(self, message: str, hint: str = "", each: tuple[str, ...] = ()) -> None:
        self.message = message
        if each:
            self.message = f"{message}: {'; '.join(each)}"
        super().__init__(self.message)
        self.hint = hint
        self.head = message
        self.each = each
        """What the message lists, where it lists something: a terminal has a line for each."""


class UsageProblem(DctxError):
    """The command line, or a library argument, asks for something that does not exist."""

    exit_code = USAGE


class OverBudget(DctxError):
    """`--strict` was given, and what cannot be cut any further exceeds the budget."""

    exit_code = STRICT


class Incomplete(DctxError):
    """`--strict` was given, and a document that the agent needs is not there to be told."""

    exit_code = STRICT


class AllDone(DctxError):
    """A task was needed, and every planned task is done."""

    exit_code = ALL_DONE


class NothingReady(DctxError):
    """A task was needed, and none is ready or planned."""

    exit_code = NOTHING_READY
