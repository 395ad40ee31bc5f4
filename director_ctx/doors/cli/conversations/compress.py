"""`dctx compress`: a conversation in, the shorter one out."""

from __future__ import annotations

import os
import sys
from itertools import chain, count

from director_ctx.base.errors import FAILED, OK, DctxError, UsageProblem
from director_ctx.base.text import counted, plain
from director_ctx.doors.cli.conversations.restore import receipt_id
from director_ctx.doors.cli.conversations.session_input import named_or_chosen
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
from director_ctx.doors.cli.shared.speak import can_be_asked, is_terminal, say, speak
from director_ctx.doors.cli.shared.store_notice import say_where_kept, say_who_may_read
from director_ctx.history.compress.compress import keep_originals, plan_cut
from director_ctx.history.compress.keep import NotArchived
from director_ctx.history.compress.options import HYBRID, takes_default, wish_of, with_default
from director_ctx.history.compress.progress import DONE
from director_ctx.history.compress.project_here import ProjectHere
from director_ctx.history.compress.receipt import explain, receipt_json
from director_ctx.history.formats import Unread, format_name
from director_ctx.history.formats.document import read
from director_ctx.history.messages.target import target_of
from director_ctx.history.messages.turns import turns
from director_ctx.history.strategies.config import DEFAULT_SHARE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.history.compress.compress import PlannedCut
    from director_ctx.history.compress.decide import Compressed
    from director_ctx.history.compress.options import Wish

LARGE = 5_000_000
"""Bytes of a conversation that takes longer than people wait without a word."""
_WIPED = "\r\x1b[K"
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

    only_shown = values["dry_run"] or values["diff"]
    progress = ProgressLine(len(data))
    try:
        cut = plan_cut(data, with_default(wish.replace(tell=progress.tell)), here)
    except Unread as unread:
        raise unread_from(name, unread) from unread
    finally:
        progress.end()
    if takes_default(wish):
        if not only_shown and not values["output"] and _is_seen():
            values = {**values, "output": _new_file(name)}
        if not _agrees_to_default(cut.result, only_shown, values["output"]):
            # Not a success: what follows in a script must not take an empty file for the result.
            say("Nothing was printed, and nothing was archived.")
            return FAILED
    if not only_shown and not _keeps_originals(cut, here, name, progress):
        return _put_uncut(data, wish, values["output"])
    if values["receipt"]:
        put_file(values["receipt"], json_text(receipt_json(cut.result.receipt)))
    _print(cut.result, values)
    _say_what_was_cut(cut.result, only_shown, explained=values["dry_run"])
    return OK


class ProgressLine:
    """How far a large compression is, in one line of the terminal that is written over. Nothing where
    nobody sits, or where it is done at once.
    """

    def __init__(self, size: int) -> None:
        self._is_shown = bool(sys.stderr and sys.stderr.isatty()) and size > LARGE
        self._show(f"0%: {size / 1_000_000:,.0f} MB are read …")

    def tell(self, done: str) -> None:
        self._show(f"{DONE[done]}%: {done} …")

    def end(self) -> None:
        """What follows has a line of its own."""
        if self._is_shown:
            speak(_WIPED)

    def _show(self, text: str) -> None:
        if self._is_shown:
            speak(f"{_WIPED}dctx: {text}")


def _keeps_originals(
    cut: PlannedCut, here: ProjectHere, name: str | None, progress: ProgressLine
) -> bool:
    source = "" if name in (None, STDIN) else os.path.basename(str(name))
    trouble: NotArchived | None = None
    try:
        keep_originals(cut, here, source, progress.tell)
    except NotArchived as error:
        trouble = error
    finally:
        progress.end()
    if trouble:
        say(trouble.message, trouble.hint)
    elif cut.result.receipt.cuts:
        say_where_kept(here.project)
        say_who_may_read(here.project)
    return trouble is None


def _put_uncut(data: bytes, wish: Wish, output: str | None) -> int:
    """Nothing is cut that could not be put back; what reads the pipe gets what came."""
    if output:
        say("Nothing was written.")
        return FAILED
    put_bytes(data)
    form = read(data, wish.format).format
    if wish.to is not None and form != format_name(wish.to):
        say(
            f"Nor was the conversation converted to {wish.to}: the input was printed as it is, in {form}."
        )
    return FAILED


def _is_seen() -> bool:
    """Whether the result would fill the screen of somebody who can be asked."""
    return can_be_asked() and sys.stdout is not None and sys.stdout.isatty()


def _new_file(name: str | None) -> str:
    """A file of this folder that is not there yet, called after the conversation."""
    stem, ending = os.path.splitext(os.path.basename(name or "conversation"))
    names = (
        f"{stem}.short{more}{ending or '.jsonl'}"
        for more in chain([""], map("-{}".format, count(2)))
    )
    return next(file for file in names if not os.path.lexists(file))


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

    sizes = f"{receipt.tokens_in:,} tokens become {receipt.tokens_out:,}"
    say(f"{sizes}; where no size is named, {percent} may stay.", _OTHER_SIZES)
    say(f"The strategy is {receipt.strategy}; the originals of what is cut go into the archive.")
    question = (
        f"Write the shorter conversation to {file}?" if file else "Print the shorter conversation?"
    )
    return says_yes(question, default=True, explained="--output FILE names another file.")


def _expect_output(flag: str, path: str, source: str | None, data: bytes) -> None:
    """Refuses, before anything is done, a file that cannot be written, that is the source itself, or
    that holds something else. At the terminal people are asked about the last of these.
    """
    if _is_source(path, source, data):
        raise UsageProblem(
            f"{flag} {path} is the history itself, which is never changed.", "Name another file."
        )
    expect_file(path)
    if not os.path.isfile(path):
        return
    with open(path, "rb") as file:
        there = file.read()
    if flag == "--receipt":
        what, is_ours = "a receipt", receipt_id(there) is not None
    else:
        what, is_ours = "a history", _is_history(there)
    if is_ours or not there.strip():
        return
    if not (is_terminal() and says_yes(f"{plain(path)} is there already. Write over it?")):
        raise DctxError(
            f"{plain(path)} is there already, and is not {what}.", f"Name another file with {flag}."
        )


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
    try:
        # Descriptor 0 is standard input.
        if os.path.samestat(os.stat(path), os.stat(0 if source in (None, STDIN) else str(source))):
            return True
    except OSError:
        pass  # a session that is named by its id, or no standard input
    with open(path, "rb") as file:
        return file.read(len(data) + 1) == data


def _print(compressed: Compressed, values: dict[str, Any]) -> None:
    if values["dry_run"]:
        put_json(receipt_json(compressed.receipt))
    elif values["diff"]:
        # As with `auto` below: what most calls go without is not loaded for all of them.
        from director_ctx.doors.cli.conversations.compress_diff import put_diff

        put_diff(compressed.before.messages, compressed.after)
    elif values["output"]:
        put_file_bytes(values["output"], compressed.data)
        file = values["output"]
        say(f"Written to {file}.", f"`dctx restore {file}` prints the whole conversation again.")
    else:
        put_bytes(compressed.data)


def _say_what_was_cut(compressed: Compressed, only_shown: bool, explained: bool) -> None:
    receipt = compressed.receipt
    before, after = receipt.tokens_in, receipt.tokens_out
    for note in compressed.notes:
        say(note)
    if receipt.cuts:
        percent = 100 * after / before if before else 100.0
        blocks = counted(len(receipt.cuts), "block")
        end = "nothing was archived" if only_shown else f"receipt {receipt.short}"
        size = f"From {before:,} to {counted(after, 'token')} ({percent:.0f}%)"
        say(f"{size} by {compressed.by}, {blocks} cut; {end}.")
    else:
        say(f"Nothing was cut of {counted(before, 'token')}{_why_nothing(compressed)}.")
    if not receipt.met:
        target = counted(receipt.target or 0, "token")
        say(f"The target of {target} was not met: {receipt.why_not}")
    if explained:
        messages = compressed.before.messages
        if receipt.strategy == "auto":
            say(f"Chosen: {_reason(compressed)}.")
        for line in explain(messages, compressed.after, compressed.aim, turns(messages)):
            say(line)


def _reason(compressed: Compressed) -> str:
    """Why `auto` took the strategy that it took."""
    from director_ctx.history.strategies.auto import reason

    return reason(compressed.before.messages, compressed.aim, compressed.chosen)


def _why_nothing(compressed: Compressed) -> str:
    """Empty where a note says it already."""
    receipt = compressed.receipt
    target = receipt.target
    # Without one of its own the usual strategy goes by that of the settings.
    if receipt.strategy == HYBRID:
        target = target_of(compressed.aim)
    if not compressed.aim.config.enabled:
        return ""
    if target is not None and receipt.tokens_in <= target:
        return f": they are within the target of {target:,}"
    if receipt.strategy == "auto":
        return f" by auto: {_reason(compressed)}"
    return f": {compressed.by} finds nothing to cut"
