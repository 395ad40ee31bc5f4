"""`dctx store export`, `import` and `copy`: everything that is remembered, elsewhere too."""

from __future__ import annotations

import os
import sys

from director_ctx.base.errors import FAILED, OK, DctxError
from director_ctx.base.text import plain
from director_ctx.doors.cli.memory.store import WORDS
from director_ctx.doors.cli.shared.confirm import says_yes
from director_ctx.doors.cli.shared.output import put_json
from director_ctx.doors.cli.shared.private_file import put_private
from director_ctx.doors.cli.shared.speak import say
from director_ctx.doors.cli.shared.table import put_lines
from director_ctx.memory.store.open import open_store, project_here
from director_ctx.memory.transfer.copy import copy as copy_rows
from director_ctx.memory.transfer.copy import (
    holds_conversations,
    read_in,
    rehearse,
    row_count,
    write_out,
)
from director_ctx.memory.transfer.other_store import is_same_place, open_target
from director_ctx.memory.variables.sealing import fingerprint
from director_ctx.memory.variables.sealing_keys import sealing_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import IO, Any

    from director_ctx.memory.store.store import Store
    from director_ctx.memory.transfer.copy import Copied
    from director_ctx.memory.transfer.take import Tally

MOST_SHOWN = 10
_ELSEWHERE = "Another machine needs that key to import it: `dctx store key --export`."
_TO_SEAL = "--seal encrypts the whole file; `dctx store key` shows the key that opens it again."
PLANS = "director_plans"
_ON_TOP = (
    "To make this store's plan the newest version in the other store: "
    "dctx plan show --json | DCTX_STORE=URL dctx plan update - --reason TEXT"
)
_ON_TOP_HERE = (
    "The other plan is in the lines of director_plans in the file; `dctx plan update` makes a "
    "plan the newest version here."
)


def export(values: dict[str, Any]) -> int:
    with open_store(project_here(values["root"])) as store:
        if store.engine.name == "none":
            raise DctxError(
                "There is no store yet, so there is nothing to export.",
                "The first plan or variable makes the store.",
            )
        key = ""
        if values["seal"]:
            key = sealing_key(store, store.root)
        if values["output"] is None:
            rows = _write_rows(store, _put, key)
        else:
            rows = put_private(values["output"], lambda file: _write_rows(store, file.write, key))
        is_open = not key and holds_conversations(store)

    if key:
        say(f"Exported {rows:,} rows, sealed with the key {fingerprint(key)}.", _ELSEWHERE)
    else:
        say(f"Exported {rows:,} rows.")
    if is_open:
        say(
            "The file has conversations in plain text, with any secrets that were said in them.",
            _TO_SEAL,
        )
    return OK


def _put(line: bytes) -> None:
    if sys.stdout is not None:
        sys.stdout.buffer.write(line)


def _write_rows(store: Store, write: Callable[[bytes], object], key: str) -> int:
    """Every row, with a bar for whoever waits; how many there were."""
    with _Progress("Exporting", row_count(store)) as advance:
        return write_out(store, write, advance, key)


def load(values: dict[str, Any]) -> int:
    project = project_here(values["root"])
    with (
        _open_export(values["file"]) as file,
        open_store(project, True) as store,
        _Progress("Importing", None) as advance,
    ):
        tallies = read_in(store, file, advance)
    return _report(values, tallies, "imported")


def _open_export(path: str) -> IO[bytes]:
    """A file that can be read twice; what is piped in goes to a file without a name first."""
    if path == "-":
        return _keep_piped()
    try:
        if not os.path.isfile(path):
            raise DctxError(
                f"{plain(path)} is not a file.",
                "Name a file that `dctx store export` wrote, or - for standard input.",
            )
        return open(path, "rb")
    except OSError as error:
        raise DctxError(
            f"{plain(path)} cannot be read: {error.strerror}.", "Name another file."
        ) from error


def _keep_piped() -> IO[bytes]:
    # Only what is piped in needs them.
    import shutil
    import tempfile

    if sys.stdin is None:
        raise DctxError("There is no standard input.", "Name a file.")
    file: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115
    shutil.copyfileobj(sys.stdin.buffer, file)
    return file


def copy(values: dict[str, Any]) -> int:
    project = project_here(values["root"])
    with open_store(project) as source:
        if source.engine.name == "none":
            raise DctxError(
                "There is no store yet, so there is nothing to copy.",
                "The first plan or variable makes the store.",
            )
        with open_target(project, values["url"], source, not values["dry_run"]) as target:
            if is_same_place(source, target):
                raise DctxError("That is this store itself.", "Name another store.")
            if not _is_agreed(values, source, target):
                say("Nothing was copied.")
                return FAILED
            transfer = rehearse if values["dry_run"] else copy_rows
            with _Progress("Copying", row_count(source)) as advance:
                copied = transfer(source, target, advance)
    return _put_copied(values, copied)


def _is_agreed(values: dict[str, Any], source: Store, target: Store) -> bool:
    """A database is others' too, so what would come into it is shown first. A file is only a
    backup.
    """
    is_shared = target.engine.name == "postgresql"
    if values["yes"] or values["dry_run"] or not is_shared:
        return True

    if not values["json"]:
        address = plain(target.engine.place)
        rehearsal = rehearse(source, target, _no_progress)
        put_lines([(address, "dim"), *_lines(rehearsal.tallies, "to be copied")])
    return says_yes("Copy these rows?")


def _put_copied(values: dict[str, Any], copied: Copied) -> int:
    compared = copied.compared
    if compared is None:
        # Nothing was compared, because nothing was written.
        return _report(values, copied.tallies, "to be copied", copied)
    if not compared.is_same:
        raise DctxError(
            "After copying, the two stores are not the same.",
            "Copy again; then compare `dctx store info`.",
        )

    code = _report(values, copied.tallies, "copied", copied)
    if compared.rows and not values["json"]:
        rows, checksum = f"{compared.rows:,} rows", compared.here[:16]
        line = f"Compared: {rows} are the same on both sides (sum {checksum})."
        put_lines([(line, "dim")])
    return code


def _report(
    values: dict[str, Any], tallies: Mapping[str, Tally], word: str, copied: Copied | None = None
) -> int:
    others: list[str] = []
    for tally in tallies.values():
        others += tally.others

    if values["json"]:
        put_json(
            {
                "added": {table: tally.added for table, tally in tallies.items()},
                "there": {table: tally.same for table, tally in tallies.items()},
                "different": others,
                "sum": _checksum(copied),
            }
        )
    else:
        put_lines(list(_lines(tallies, word)))

    for other in others[:MOST_SHOWN]:
        say(f"warning: {other} is there already with other content, which stays as it is")
    if len(others) > MOST_SHOWN:
        say(f"warning: {len(others) - MOST_SHOWN:,} more are different; --json lists them all")
    if tallies[PLANS].others:
        hint = _ON_TOP
        if copied is None:
            hint = _ON_TOP_HERE
        say(
            "The plans of the two stores were both changed, so neither was copied over the other.",
            hint,
        )
    if others:
        return FAILED
    return OK


def _checksum(copied: Copied | None) -> str | None:
    if copied is None or copied.compared is None:
        return None
    return copied.compared.here


def _lines(tallies: Mapping[str, Tally], word: str) -> Iterator[tuple[str, str]]:
    added = 0
    same = 0
    for tally in tallies.values():
        added += tally.added
        same += tally.same

    line = f"{added:,} rows {word}"
    if same:
        line += f", {same:,} were there already"
    yield f"{line}.", "bold"
    for table, tally in tallies.items():
        if tally.added:
            yield f"  {tally.added:>9,}  {WORDS.get(table, table)}", ""


def _no_progress(_: int) -> None:
    """Nobody waits."""


class _Progress:
    """A bar on the terminal of whoever waits; nothing elsewhere."""

    def __init__(self, label: str, total: int | None) -> None:
        self._label, self._total = label, total
        self._bar: Any = None

    def __enter__(self) -> Callable[[int], None]:
        if not (sys.stderr and sys.stderr.isatty()):
            return _no_progress
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeRemainingColumn,
        )

        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
        )
        self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
        self._bar.start()
        task = self._bar.add_task(self._label, total=self._total)
        return lambda count: self._bar.advance(task, count)

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()
