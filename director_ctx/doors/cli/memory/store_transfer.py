"""`dctx store export` and `import`: everything that is remembered, elsewhere too."""

from __future__ import annotations

import os
import sys

from director_ctx.base.errors import FAILED, OK, DctxError
from director_ctx.base.text import plain
from director_ctx.doors.cli.memory.store import WORDS
from director_ctx.doors.cli.shared.output import put_json
from director_ctx.doors.cli.shared.private_file import put_private
from director_ctx.doors.cli.shared.speak import say
from director_ctx.doors.cli.shared.table import put_lines
from director_ctx.memory.store.open import open_store, project_here
from director_ctx.memory.transfer.transfer import holds_secrets, read_in, row_count, write_out

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import IO, Any

    from director_ctx.memory.store.store import Store
    from director_ctx.memory.transfer.take import Tally

MOST_SHOWN = 10
PLANS = "director_plans"
_ON_TOP = (
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
        if values["output"] is None:
            rows = _write_rows(store, _put)
        else:
            rows = put_private(values["output"], lambda file: _write_rows(store, file.write))
        is_open = holds_secrets(store)

    say(f"Exported {rows:,} rows.")
    if is_open:
        say("The file has conversations and variables as they are, with any secrets in them.")
    return OK


def _put(line: bytes) -> None:
    if sys.stdout is not None:
        sys.stdout.buffer.write(line)


def _write_rows(store: Store, write: Callable[[bytes], object]) -> int:
    """Every row, with a bar for whoever waits; how many there were."""
    with _Progress("Exporting", row_count(store)) as advance:
        return write_out(store, write, advance)


def load(values: dict[str, Any]) -> int:
    project = project_here(values["root"])
    with (
        _open_export(values["file"]) as file,
        open_store(project, True) as store,
        _Progress("Importing", None) as advance,
    ):
        tallies = read_in(store, file, advance)
    return _report(values, tallies)


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


def _report(values: dict[str, Any], tallies: Mapping[str, Tally]) -> int:
    others: list[str] = []
    for tally in tallies.values():
        others += tally.others

    if values["json"]:
        put_json(
            {
                "added": {table: tally.added for table, tally in tallies.items()},
                "there": {table: tally.same for table, tally in tallies.items()},
                "different": others,
            }
        )
    else:
        put_lines(list(_lines(tallies)))

    for other in others[:MOST_SHOWN]:
        say(f"warning: {other} is there already with other content, which stays as it is")
    if len(others) > MOST_SHOWN:
        say(f"warning: {len(others) - MOST_SHOWN:,} more are different; --json lists them all")
    if tallies[PLANS].others:
        say(
            "The plans of the two stores were both changed, so neither was copied over the other.",
            _ON_TOP,
        )
    if others:
        return FAILED
    return OK


def _lines(tallies: Mapping[str, Tally]) -> Iterator[tuple[str, str]]:
    added = 0
    same = 0
    for tally in tallies.values():
        added += tally.added
        same += tally.same

    line = f"{added:,} rows imported"
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
