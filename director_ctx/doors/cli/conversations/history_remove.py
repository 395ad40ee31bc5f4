"""`dctx history remove`: originals deleted from the archive, and the room that they take."""

from __future__ import annotations

from datetime import date

from director_ctx.base.errors import FAILED, OK, DctxError, UsageProblem
from director_ctx.base.text import counted
from director_ctx.doors.cli.shared.confirm import says_yes
from director_ctx.doors.cli.shared.output import put_json, shown_size
from director_ctx.doors.cli.shared.speak import say
from director_ctx.doors.cli.shared.table import put_lines
from director_ctx.history.compress.restore import compression_named
from director_ctx.memory.archive.compressions import counted as known
from director_ctx.memory.archive.forget import delete, everything, older, one_original, one_receipt
from director_ctx.memory.archive.originals import MARK
from director_ctx.memory.store.open import open_store, project_here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.memory.archive.forget import Doomed
    from director_ctx.memory.store.store import Store

_WHOLE = (
    "A conversation that belongs to one of these receipts can then no longer be restored whole; "
    "originals that other receipts need stay."
)


def run(values: dict[str, Any]) -> int:
    chosen = [name for name in ("before", "all", "locator") if values[name]]
    # Which of them would win is nothing to guess where something is deleted for good.
    if len(chosen) > 1:
        raise UsageProblem(
            "--before, --all and a locator cannot be used together.", "Choose one of the three."
        )

    only_shown = values["dry_run"] or not chosen
    with open_store(project_here(values["root"]), write=not only_shown) as store:
        if not chosen:
            return _report(store, values["json"])
        doomed = _doomed(store, values)
        is_something = bool(doomed.originals or doomed.compressions)
        if not values["json"]:
            _show(doomed)
        agreed = not values["dry_run"] and (values["yes"] or (is_something and _agrees()))
        if agreed:
            delete(store, doomed)
        if values["json"]:
            put_json(
                {
                    "originals": len(doomed.originals),
                    "bytes": doomed.size,
                    "compressions": len(doomed.compressions),
                    "removed": agreed,
                }
            )
        elif agreed:
            put_lines([("Removed. The store uses the room again.", "bold")])
    return OK if agreed or values["dry_run"] or not doomed.originals else FAILED


def _report(store: Store, as_json: bool) -> int:
    compressions, held = known(store.engine, store.workflow)
    if as_json:
        put_json({"originals": held.originals, "bytes": held.size, "compressions": compressions})
        return OK
    what = f"{counted(held.originals, 'original')} of {counted(compressions, 'compression')}"
    advice = "Nothing is ever deleted by itself. --before DATE, --all, a locator or a receipt says what to delete."
    put_lines([(f"{what}: {shown_size(held.size)}", "bold"), (advice, "dim")])
    return OK


def _doomed(store: Store, values: dict[str, Any]) -> Doomed:
    if values["all"]:
        return everything(store)
    if values["before"]:
        return older(store, _day(values["before"]))

    named = str(values["locator"])
    receipt = None if named.startswith(MARK) else compression_named(store, named)
    doomed = one_receipt(store, receipt) if receipt else one_original(store, named)
    if not (doomed.originals or doomed.compressions):
        raise DctxError(
            f"The archive has no {named}.", "`dctx restore --list` lists what was shortened."
        )
    return doomed


def _day(text: str) -> str:
    try:
        return date.fromisoformat(text.strip()).isoformat()
    except ValueError:
        raise UsageProblem(
            f"--before {text}: that is not a date.", "Write the date as 2026-01-31."
        ) from None


def _agrees() -> bool:
    if says_yes("Delete these originals for good?"):
        return True
    say("Nothing was deleted.")
    return False


def _show(doomed: Doomed) -> None:
    what = f"{counted(len(doomed.originals), 'original')} ({shown_size(doomed.size)})"
    if doomed.compressions:
        what += f" and {counted(len(doomed.compressions), 'receipt')}"
    lines = [(f"{what} would be deleted, and could not be brought back.", "bold")]
    if doomed.compressions:
        lines.append((_WHOLE, "dim"))
    put_lines(lines)
