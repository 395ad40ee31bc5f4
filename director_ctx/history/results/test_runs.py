"""Runs of tests: failures whole, what passed only counted."""

from __future__ import annotations

import re

from director_ctx.history.results.reading import FAILS, FRAME, ODD, ORNAMENT, PLAIN, ResultReading
from director_ctx.history.results.signals import failing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.history.results.sample import Sample


def _any_of(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.MULTILINE)


_RUNS = _any_of(
    r"^=+ test session starts =+",
    r"^\S+::\S+ (?:PASSED|FAILED|ERROR|SKIPPED)",
    r"^Ran \d+ tests? in ",
    r"^=== RUN +\S",
    r"^--- (?:PASS|FAIL|SKIP): ",
    r"^ok  +\t?\S+\t[\d.]+s",
    r"^running \d+ tests?$",
    r"^test \S+ \.\.\. (?:ok|FAILED|ignored)",
    r"^(?:PASS|FAIL) +\S+\.(?:[jt]sx?|mjs)",
    r"^Test Suites: |^Tests: +\d",
    r"^ *[✓✔√\xd7✕] .+",
    r"^TAP version",
)
"""Lines of pytest, unittest, go test, cargo test, Jest and its kin, and TAP."""
_MARKS = (
    *("test session", "::", "Ran ", "=== RUN", "--- ", "ok  ", "running ", "... ok", "... FAILED"),
    *("PASS ", "FAIL ", "Test Suites", "Tests:", "✓", "✔", "√", "\xd7", "✕", "TAP "),
)
"""One of these is in every run; it is quick to see that none is."""
_PASSED = _any_of(
    r"\S+::.* PASSED\b",
    r"\S+\.py [.sx]+ +\[ *\d+%\]$",
    r"[.sx]{10,}(?: +\[ *\d+%\])?$",
    r"\S+ \(.*\) \.\.\. ok$",
    r"=== (?:RUN|PAUSE|CONT|NAME) ",
    r"\s*--- PASS: ",
    r"ok  ?\t",
    r"test \S.* \.\.\. ok$",
    r"PASS\b",
    r"\s*[✓✔√] ",
    r"ok \d+ ",
)
_FAILED = _any_of(
    r"\S+::.* (?:FAILED|ERROR)\b",
    r"\S+\.py \S*[FE]\S* +\[ *\d+%\]$",
    r"E   |> |AssertionError",
    r"\S+ \(.*\) \.\.\. (?:FAIL|ERROR)$",
    r"\s*--- FAIL: ",
    r"panic: ",
    r"\s*Error Trace:",
    r"test \S.* \.\.\. FAILED",
    r"thread '.*' panicked",
    r"FAIL(?:ED)?\b|ERROR\b",
    r"\s*[\xd7✕✗✖] |\s+●",
    r"not ok ",
)
_SKIPPED = _any_of(
    r"\S+::.* (?:SKIPPED|XFAIL)",
    r"\s*--- SKIP: ",
    r"test \S.* \.\.\. ignored",
    r"\s*○ ",
)
_BLOCK = _any_of(
    r"_{4,} .+ _{4,}$",
    r"=+\r?$",
    r"(?:FAIL|ERROR): \S+ \(",
    r"\s*--- FAIL: ",
    r"panic: ",
    r"---- \S.* ----$",
    r"  ● .+",
    r"  \d+\) ",
)
"""How a failure begins that goes on over several lines."""
_BLOCK_ENDS = _any_of(
    r"=+ .+ =+$",
    r"_{4,} ",
    r"\S+::.* PASSED",
    r"-{70}$",
    r"Ran \d+ tests",
    r"=== RUN",
    r"--- (?:PASS|FAIL)",
    r"---- ",
    r"failures:$",
    r"test \S.* \.\.\. ok$",
    r"test result:",
    r"  ● ",
    r"(?:PASS|FAIL|ok)\b",
    r"Tests?( Suites| Files)?:",
)
_SUMMARY = _any_of(
    r"=+ .*\b(?:passed|failed|errors?|skipped|warnings?)\b.* in .*=*$",
    r"Ran \d+ tests?",
    r"OK\b|FAILED",
    r"(?:FAIL|ok|---)\s",
    r"exit status",
    r"test result:|error: test failed",
    r"Tests?( Suites| Files)?: +",
    r"\d+ (?:passed|failed|passing|failing|pending)",
    r"# (?:pass|fail|tests) ",
)
_LONGEST_BLOCK = 80
"""Lines of a failure."""
_RESULT_OF_GO = re.compile(r"\s*--- (?:FAIL|SKIP): ")


def recognised(sample: Sample) -> bool:
    return _has_run(sample.head) or _has_run(sample.end)


def _has_run(text: str) -> bool:
    return any(mark in text for mark in _MARKS) and _RUNS.search(text) is not None


def read(sample: Sample) -> ResultReading | None:
    run = _Run(sample.text.split("\n"))
    return ResultReading(run.pieces, run.worths, "lines", run.counts())


class _Run:
    """The lines of one run, those of a failure as one piece."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.pieces: list[str] = []
        self.worths: list[float] = []
        self._passed = 0
        self._failed = 0
        self._skipped = 0
        self._block: list[str] = []
        for line in lines:
            self._add(line)
        self._end_block()
        self._look_for_errors()

    def counts(self) -> list[str]:
        """What was counted, of the lines that say so one by one."""
        told: list[str] = []
        for count, word in (
            (self._failed, "failed"),
            (self._passed, "passed"),
            (self._skipped, "skipped"),
        ):
            if count:
                told.append(f"{count:,} {word}")
        return [f"lines of tests: {', '.join(told)}"] if told else []

    def _add(self, line: str) -> None:
        if self._block:
            goes_on = not _BLOCK_ENDS.match(line) and len(self._block) < _LONGEST_BLOCK
            if goes_on:
                self._block.append(line)
                return
            self._end_block()

        passed = _PASSED.match(line)
        failed = not passed and _FAILED.match(line)
        skipped = not failed and _SKIPPED.match(line)
        is_count = passed is None or not line.startswith(("=== ", "PASS", "ok "))
        self._passed += bool(passed) and is_count
        self._failed += bool(failed) and line.lstrip()[:1] not in "E>F"
        self._skipped += bool(skipped)
        if _RESULT_OF_GO.match(line):
            self._raise_what_it_said()
        if not passed and _BLOCK.match(line):
            self._block = [line]
            return
        self._put(line, _worth(line, bool(passed), bool(failed), bool(skipped)))

    def _end_block(self) -> None:
        if self._block:
            text = "\n".join(self._block).rstrip()
            is_rule = len(self._block) == 1 and not text.strip("=_- ")
            self._put(text, ORNAMENT if is_rule else FAILS)
        self._block = []

    def _put(self, text: str, worth: float) -> None:
        self.pieces.append(text)
        self.worths.append(worth)

    def _look_for_errors(self) -> None:
        """Lines that no runner writes, and that say that something went wrong."""
        wrong = failing(self.pieces)
        if len(wrong) * 4 > len(self.pieces):
            return
        for place in wrong:
            is_passed = self.worths[place] < PLAIN
            if not is_passed:
                self.worths[place] = max(self.worths[place], ODD)

    def _raise_what_it_said(self) -> None:
        """In Go a test speaks before the line of its result."""
        for place in range(len(self.pieces) - 1, -1, -1):
            if len(self.pieces) - place > _LONGEST_BLOCK or self.worths[place] < PLAIN:
                return
            self.worths[place] = FAILS


def _worth(line: str, passed: bool, failed: bool, skipped: bool) -> float:
    if not line.strip():
        return ORNAMENT
    if passed:
        # That a test began says less than that it passed.
        return ORNAMENT if line.startswith("=== ") else PLAIN / 2
    if failed:
        return FAILS
    if skipped:
        return FRAME
    return ODD if _SUMMARY.match(line) else PLAIN
