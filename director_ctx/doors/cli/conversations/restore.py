"""`dctx restore`: a history as it was before it was compressed, the messages of a summary, or one
original.
"""

from __future__ import annotations

import json
import os

from director_ctx.base.errors import OK, DctxError
from director_ctx.base.hashing import shown
from director_ctx.doors.cli.shared.history_input import STDIN, read_history
from director_ctx.doors.cli.shared.output import put_bytes, put_json
from director_ctx.doors.cli.shared.speak import say
from director_ctx.doors.cli.shared.table import put_table
from director_ctx.doors.cli.shared.times import local_time
from director_ctx.history.compress.restore import (
    every_receipt,
    is_receipt,
    is_shortened,
    original,
    restored,
    restored_by_id,
)
from director_ctx.history.formats.document import read
from director_ctx.memory.archive.originals import MARK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.history.compress.restore import Restored


def run(values: dict[str, Any]) -> int:
    what, root = values["what"], values["root"]
    if values["list"]:
        return _list(root, values["json"])
    if what not in (None, STDIN) and not os.path.lexists(what):
        if MARK in what:
            put_bytes(original(what, root))
            return OK
        return _by_id(what, root)

    data = read_history(what, "restore")
    identity = receipt_id(data)
    if identity is not None:
        return _by_id(identity, root)

    history = restored(data, root)
    if history.receipts:
        put_bytes(history.data)
        _say_undone(history)
        return OK

    read(data, values["from_"])  # What is no history is refused.
    put_bytes(data)
    quoted = ": the locators in it are quoted" if is_shortened(data) else ""
    say(f"Nothing in this conversation was shortened{quoted}.")
    return OK


def _say_undone(history: Restored) -> None:
    names = shown(history.receipts)
    undone = f"Undone: {', '.join(names)}"
    if history.new:
        undone += f"; what was added since, {history.new:,} of its messages and lines, stays"
    say(f"{undone}.")
    if history.missing:
        missing = "1 message or line of the original is"
        if history.missing > 1:
            missing = f"{history.missing:,} messages and lines of the original are"
        say(
            f"{missing} not in it: what stood for them was taken out or changed since.",
            f"`dctx restore {names[-1]}` prints the original as it was.",
        )
    if history.left:
        gaps = "1 place is" if history.left == 1 else f"{history.left:,} places are"
        say(f"{gaps} still shortened: the archive does not have the original.")


def _list(root: str | None, as_json: bool) -> int:
    receipts = every_receipt(root)
    if as_json:
        put_json(receipts)
    elif not receipts:
        say("Nothing was compressed here yet.", "`dctx compress FILE --ratio 0.2` does it.")
    else:
        # As short as ids can be without two that look the same.
        names = shown([receipt["receipt"] for receipt in receipts])
        rows = []
        for name, receipt in zip(names, receipts, strict=True):
            sizes = [f"{receipt['tokens_in']:,}", f"{receipt['tokens_out']:,}"]
            time = local_time(receipt["created_at"])
            rows.append([name, time, receipt["strategy"], *sizes, receipt["source"] or "-"])
        put_table(["Receipt", "Time", "Strategy", ">Before", ">After", "/Of"], rows)
    return OK


def receipt_id(data: bytes) -> str | None:
    """The id that a receipt has; None for anything else."""
    # A long history is not parsed to find out that it is none.
    if not data.lstrip().startswith(b"{") or b'"cuts"' not in data:
        return None
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return str(document["id"]) if is_receipt(document) else None


def _by_id(identity: str, root: str | None) -> int:
    try:
        put_bytes(restored_by_id(identity, root))
    except DctxError:
        if not _undo_summary(identity, root):
            raise
    return OK


def _undo_summary(identity: str, root: str | None) -> bool:
    """Whether it was the id of a summary, whose messages are open again now."""
    # Receipts are the usual; summaries of the store bring modules of their own.
    from director_ctx.history.summaries.summaries import find, undo
    from director_ctx.memory.store.open import open_conversation, project_here

    project = project_here(root)
    # Only looked at first: a name that is no summary must not make a store.
    with open_conversation(project) as store:
        if find(store, identity) is None:
            return False

    with open_conversation(project, write=True) as store:
        summary, messages = undo(store, identity)
    what = "1 message is" if messages == 1 else f"{messages:,} messages are"
    say(f"Summary {summary.id[:8]} was taken away; its {what} back in the conversation.")
    return True
