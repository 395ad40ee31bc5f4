"""`dctx store show`, `export` and `import`: which store is used, and all that is in it, elsewhere too."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager

from director_ctx.base.errors import FAILED, OK, DctxError
from director_ctx.base.text import plain
from director_ctx.doors.cli.shared.output import put_json, shown_size
from director_ctx.doors.cli.shared.speak import say
from director_ctx.doors.cli.shared.table import put_lines
from director_ctx.memory.store.open import open_store, project_here
from director_ctx.memory.store_info import about

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import IO, Any

    from director_ctx.memory.store_info import StoreAbout

    Values = dict[str, Any]

WORDS = {
    "director_plans": "plan versions",
    "dctx_variables": "variables",
    "dctx_variable_changes": "changes of variables",
    "conversations": "messages",
    "compressed_contexts": "summaries",
    "dctx_tabs": "names of tabs",
    "dctx_originals": "originals in the archive",
    "dctx_compressions": "compressions",
}
MOST_SHOWN = 10


def show(values: Values) -> int:
    store = about(project_here(values["root"]))
    if not values["json"]:
        put_lines(list(_about(store)))
        return OK
    put_json(
        {
            "engine": store.engine,
            "server": store.server,
            "place": store.place,
            "version": store.version,
            "workflow": store.workflow,
            "bytes": store.size,
            "durability": store.durability,
            "durable": store.is_safe,
            **{word.replace(" ", "_"): store.rows.get(table, 0) for table, word in WORDS.items()},
            "archived_bytes": store.archived,
        }
    )
    return OK


def _about(store: StoreAbout) -> Iterator[tuple[str, str]]:
    path = plain(store.place)
    if not store.version:
        yield f"There is no store yet. The first plan or variable will make {path}", ""
        return
    yield f"{store.server}, version {store.version} of the tables", "bold"
    yield path, "dim"
    yield f"Workflow {store.workflow}", ""
    for table, word in WORDS.items():
        yield f"  {store.rows.get(table, 0):>9,}  {word}", ""
    size = shown_size(store.size)
    if store.archived:
        size += f", of originals {shown_size(store.archived)}"
    yield f"{size}, {store.durability}", "dim"
    if not store.is_safe:
        yield "The newest changes may be lost when the power fails.", "yellow"


def export(values: Values) -> int:
    # Whoever only looks at a store goes without these.
    from director_ctx.doors.cli.shared.private_file import put_private
    from director_ctx.memory.transfer.rows import counted_in
    from director_ctx.memory.transfer.transfer import holds_secrets, write_out

    with open_store(project_here(values["root"])) as store:
        if store.engine.name == "none":
            raise DctxError(
                "There is no store yet, so there is nothing to export.",
                "The first plan or variable makes the store.",
            )

        def write_rows(write: Callable[[bytes], object]) -> int:
            with _progress("Exporting", sum(counted_in(store).values())) as advance:
                return write_out(store, write, advance)

        if values["output"] is not None:
            rows = put_private(values["output"], lambda file: write_rows(file.write))
        else:
            rows = write_rows(sys.stdout.buffer.write if sys.stdout else lambda _: None)
        is_open = holds_secrets(store)

    say(f"Exported {rows:,} rows.")
    if is_open:
        say("The file has conversations and variables as they are, with any secrets in them.")
    return OK


def load(values: Values) -> int:
    from director_ctx.memory.transfer.transfer import read_in

    with (
        _open_export(values["file"]) as file,
        open_store(project_here(values["root"]), True) as store,
        _progress("Importing", None) as advance,
    ):
        tallies = read_in(store, file, advance)

    others = [other for tally in tallies.values() for other in tally.others]
    added = {table: tally.added for table, tally in tallies.items()}
    there = {table: tally.same for table, tally in tallies.items()}
    if values["json"]:
        put_json({"added": added, "there": there, "different": others})
    else:
        line = f"{sum(added.values()):,} rows imported"
        if same := sum(there.values()):
            line += f", {same:,} were there already"
        lines = [(f"{line}.", "bold")]
        for table, count in added.items():
            if count:
                lines.append((f"  {count:>9,}  {WORDS.get(table, table)}", ""))
        put_lines(lines)

    for other in others[:MOST_SHOWN]:
        say(f"warning: {other} is there already with other content, which stays as it is")
    if len(others) > MOST_SHOWN:
        say(f"warning: {len(others) - MOST_SHOWN:,} more are different; --json lists them all")
    if tallies["director_plans"].others:
        say(
            "The plans of the two stores were both changed, so neither was copied over the other.",
            "The other plan is in the lines of director_plans in the file; `dctx plan update` makes a "
            "plan the newest version here.",
        )
    return FAILED if others else OK


def _open_export(path: str) -> IO[bytes]:
    """A file that can be read twice; what is piped in goes to a file without a name first."""
    if path == "-":
        if sys.stdin is None:
            raise DctxError("There is no standard input.", "Name a file.")
        import shutil
        import tempfile

        piped: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115
        shutil.copyfileobj(sys.stdin.buffer, piped)
        return piped
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


@contextmanager
def _progress(label: str, total: int | None) -> Iterator[Callable[[int], None]]:
    """A bar on the terminal of whoever waits; nothing elsewhere."""
    if not (sys.stderr and sys.stderr.isatty()):
        yield lambda _: None
        return
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
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=total)
        yield lambda count: bar.advance(task, count)
