"""`dctx compress`: a conversation in, the shorter one out."""

from __future__ import annotations

import os
import sys

from director_ctx.base.errors import FAILED, OK, DctxError, UsageProblem
from director_ctx.base.text import counted
from director_ctx.doors.cli.conversations.choose_session import named_or_chosen
from director_ctx.doors.cli.conversations.compress_progress import ProgressLine
from director_ctx.doors.cli.conversations.restore import receipt_id
from director_ctx.doors.cli.shared.confirm import says_yes
from director_ctx.doors.cli.shared.history_input import STDIN, read_conversation, unread_from
from director_ctx.doors.cli.shared.output import (
    expect_file,
    json_text,
    put_bytes,
    put_file,
    put_file_bytes,
    put_json,
)
from director_ctx.doors.cli.shared.overwriting import expect_overwriting
from director_ctx.doors.cli.shared.speak import can_be_asked, say
from director_ctx.doors.cli.shared.store_notice import say_where_kept, say_who_may_read
from director_ctx.history.compress.compress import keep_originals, plan_cut
from director_ctx.history.compress.keep import NotArchived
from director_ctx.history.compress.options import HYBRID, takes_default, wish_of, with_default
from director_ctx.history.compress.project_here import ProjectHere
from director_ctx.history.compress.receipt import explain, receipt_json
from director_ctx.history.formats import Unread, format_name
from director_ctx.history.formats.document import read
from director_ctx.history.messages.target import target_of
from director_ctx.history.messages.turns import turns
from director_ctx.history.strategies.config import DEFAULT_SHARE
from director_ctx.project.reading.locate import absolute

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.history.compress.compress import PlannedCut
    from director_ctx.history.compress.decide import Compressed
    from director_ctx.history.compress.options import Wish
    from director_ctx.history.compress.receipt import Receipt

_OTHER_SIZES = (
    "--ratio R or --target-tokens N names a size, --strategy NAME another way to shorten."
)


def run(values: dict[str, Any]) -> int:
    here = ProjectHere(values["root"])
    wish = wish_of(values, here)
    if values["receipt"] == STDIN:
        raise UsageProblem(
            "--receipt -: standard output is for the result.",
            "Name a file, or /dev/stderr; --dry-run prints the receipt alone.",
        )
    name = named_or_chosen(values["file"], values["root"])
    data = read_conversation(name, values["root"], "compress")
    for flag in ("receipt", "output"):
        if values[flag]:
            _expect_output(f"--{flag}", values[flag], name, data)
            if not values["force"]:
                _expect_ours(f"--{flag}", values[flag])

    only_shown = values["dry_run"] or values["diff"]
    progress = ProgressLine(len(data))
    cut = _planned(data, wish.replace(tell=progress.tell), here, name, progress)
    if takes_default(wish):
        if not only_shown and not values["output"] and _is_seen():
            values = {**values, "output": _new_file(name)}
        if not _agrees_to_default(cut.result, only_shown, values["output"]):
            # Not a success: what follows in a script must not take an empty file for the result.
            say("Nothing was printed, and nothing was archived.")
            return FAILED
    if not only_shown and not _keeps_originals(cut, here, name, progress):
        # Nothing is cut that could not be put back; whoever waits behind the pipe gets what came.
        if values["output"]:
            say("Nothing was written.")
        else:
            put_bytes(data)
            _say_unconverted(data, wish)
        return FAILED
    return _finish(cut.result, here, values, only_shown)


def _planned(
    data: bytes,
    wish: Wish,
    here: ProjectHere,
    name: str | None,
    progress: ProgressLine,
) -> PlannedCut:
    progress.start(len(data))
    try:
        return plan_cut(data, with_default(wish), here)
    except Unread as unread:
        raise unread_from(name, unread) from unread
    finally:
        progress.end()


def _keeps_originals(
    cut: PlannedCut,
    here: ProjectHere,
    name: str | None,
    progress: ProgressLine,
) -> bool:
    trouble: NotArchived | None = None
    try:
        keep_originals(cut, here, _source(name), progress.tell)
    except NotArchived as error:
        trouble = error
    finally:
        progress.end()
    if trouble:
        say(trouble.message, trouble.hint)
        return False
    return True


def _finish(
    compressed: Compressed, here: ProjectHere, values: dict[str, Any], only_shown: bool
) -> int:
    if compressed.receipt.cuts and not only_shown:
        say_where_kept(here.project)
        say_who_may_read(here.project)
    if values["receipt"]:
        put_file(values["receipt"], json_text(receipt_json(compressed.receipt)))
    _print(compressed, values)
    _say_what_was_cut(compressed, only_shown, values["explain"])
    return OK


def _is_seen() -> bool:
    """Whether the result would fill the screen of somebody who can be asked."""
    return can_be_asked() and sys.stdout is not None and sys.stdout.isatty()


def _new_file(name: str | None) -> str:
    """A file of this folder that is not there yet, called after the conversation."""
    stem, ending = os.path.splitext(os.path.basename(name or ""))
    if not ending:
        stem = stem or "conversation"
        ending = ".jsonl"
    file = f"{stem}.short{ending}"
    number = 1
    while os.path.lexists(file):
        number += 1
        file = f"{stem}.short-{number}{ending}"
    return file


def _agrees_to_default(compressed: Compressed, only_shown: bool, file: str | None) -> bool:
    """Nobody said how small: at a terminal they are asked, elsewhere they are told."""
    receipt = compressed.receipt
    percent = f"{DEFAULT_SHARE:.0%}"
    if only_shown or not receipt.cuts or not can_be_asked():
        say(
            f"No size was named, so {percent} of the tokens may stay, by {receipt.strategy}.",
            _OTHER_SIZES,
        )
        return True

    before = f"{receipt.tokens_in:,}"
    after = f"{receipt.tokens_out:,}"
    say(
        f"{before} tokens become {after}; where no size is named, {percent} may stay.", _OTHER_SIZES
    )
    say(f"The strategy is {receipt.strategy}; the originals of what is cut go into the archive.")
    question = "Print the shorter conversation?"
    if file:
        question = f"Write the shorter conversation to {file}?"
    return says_yes(question, default=True, explained="--output FILE names another file.")


def _expect_output(flag: str, path: str, source: str | None, data: bytes) -> None:
    """A file that could not be written, or would take the place of its source, is refused
    beforehand.
    """
    if _is_source(path, source, data):
        raise UsageProblem(
            f"{flag} {path} is the history itself, which is never changed.", "Name another file."
        )
    expect_file(path)


def _expect_ours(flag: str, path: str) -> None:
    """A file of somebody's is not written over, unless they say so."""
    if not os.path.isfile(path):
        return
    with open(path, "rb") as file:
        there = file.read()
    if not there.strip():
        return
    if flag == "--receipt":
        what, is_ours = "a receipt", receipt_id(there) is not None
    else:
        what, is_ours = "a history", _is_history(there)
    if not is_ours:
        expect_overwriting(path, f"is not {what}", flag)


def _is_history(data: bytes) -> bool:
    try:
        return bool(read(data).messages)
    except DctxError:
        return False


def _is_source(path: str, source: str | None, data: bytes) -> bool:
    """Through links, behind < too; what holds the very bytes that came in is taken for their
    source.
    """
    if not os.path.isfile(path):
        return False
    state = os.stat(path)
    try:
        if source is None or source == STDIN:
            source_state = os.fstat(0)
        else:
            source_state = os.stat(source)
        if os.path.samestat(state, source_state):
            return True
    except OSError:
        pass  # a session that is named by its id, or no standard input
    if state.st_size != len(data):
        return False
    with open(path, "rb") as file:
        return file.read() == data


def _say_unconverted(data: bytes, wish: Wish) -> None:
    if wish.to is None:
        return

    form = read(data, wish.format).format
    if form != format_name(wish.to):
        say(
            f"Nor was the conversation converted to {wish.to}: the input was printed as it is, in {form}."
        )


def _source(path: str | None) -> str:
    if path in (None, STDIN):
        return ""
    return os.path.basename(absolute(str(path)))


def _print(compressed: Compressed, values: dict[str, Any]) -> None:
    if values["dry_run"]:
        put_json(receipt_json(compressed.receipt))
    elif values["diff"]:
        # As with `auto` below: what most calls go without is not loaded for all of them.
        from director_ctx.doors.cli.conversations.history_diff import put_diff

        put_diff(compressed.before.messages, compressed.after)
    elif values["output"]:
        put_file_bytes(values["output"], compressed.data)
        file = values["output"]
        say(f"Written to {file}.", f"`dctx restore {file}` prints the whole conversation again.")
    else:
        put_bytes(compressed.data)


def _say_what_was_cut(compressed: Compressed, only_shown: bool, explain: bool) -> None:
    receipt = compressed.receipt
    for note in compressed.notes:
        say(note)
    if receipt.cuts:
        say(_outcome(receipt, compressed.by, only_shown))
    else:
        say(_why_nothing(compressed))
    if not receipt.met:
        target = counted(receipt.target or 0, "token")
        say(f"The target of {target} was not met: {receipt.why_not}")
    if explain:
        _explain(compressed)


def _explain(compressed: Compressed) -> None:
    messages = compressed.before.messages
    if compressed.receipt.strategy == "auto":
        say(f"Chosen: {_reason(compressed)}.")
    for line in explain(messages, compressed.after, compressed.aim, turns(messages)):
        say(line)


def _reason(compressed: Compressed) -> str:
    """Why `auto` took the strategy that it took."""
    from director_ctx.history.strategies.auto import reason

    return reason(compressed.before.messages, compressed.aim, compressed.chosen)


def _why_nothing(compressed: Compressed) -> str:
    """Why nothing was cut, unless that was said already."""
    receipt = compressed.receipt
    config = compressed.aim.config
    before = receipt.tokens_in
    target = receipt.target
    # Without one of its own the usual strategy goes by that of the settings.
    if receipt.strategy == HYBRID:
        target = target_of(compressed.aim)

    if not config.enabled:
        why = ""
    elif target is not None and before <= target:
        why = f": they are within the target of {target:,}"
    elif receipt.strategy == "auto":
        why = f" by auto: {_reason(compressed)}"
    else:
        why = f": {compressed.by} finds nothing to cut"
    return f"Nothing was cut of {counted(before, 'token')}{why}."


def _outcome(receipt: Receipt, by: str, only_shown: bool) -> str:
    before = receipt.tokens_in
    after = receipt.tokens_out
    percent = 100.0
    if before:
        percent = 100 * after / before
    size = f"From {before:,} to {counted(after, 'token')} ({percent:.0f}%)"
    blocks = counted(len(receipt.cuts), "block")
    end = f"receipt {receipt.short}"
    if only_shown:
        end = "nothing was archived"
    return f"{size} by {by}, {blocks} cut; {end}."
