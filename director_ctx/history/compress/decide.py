"""What becomes of a conversation: shrunk, checked, written in its format, with a receipt. No store is
opened here.
"""

from __future__ import annotations

import json

from director_ctx.base.json_bytes import document_of
from director_ctx.base.record import Record, as_dict
from director_ctx.base.text import counted
from director_ctx.history.compress.keep_patterns import keep_rule
from director_ctx.history.compress.options import strategy_of, summary_writer
from director_ctx.history.compress.progress import CHOSEN, DECIDED, READ
from director_ctx.history.compress.put_back import LOCATED, LOCATOR, MOST, cut_before
from director_ctx.history.compress.receipt import DISABLED, Receipt, receipt_of
from director_ctx.history.formats import format_name
from director_ctx.history.formats.document import read, write
from director_ctx.history.messages.message import measure, size
from director_ctx.history.messages.stubs import OPENS, is_cut, is_summary
from director_ctx.history.messages.target import Aim
from director_ctx.history.strategies.shrink import shrink_and_name
from director_ctx.history.valid.check import check

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from director_ctx.history.compress.options import Wish
    from director_ctx.history.compress.put_back import WholeHistory
    from director_ctx.history.messages.message import Conversation, Message


_LOST = "It was shortened before, and the archive does not have {} of it: sizes and shares are those of what is here."


class Shrunk(Record):
    """A conversation before and after."""

    before: Conversation
    after: list[Message]
    aim: Aim
    strategy: str
    original: bytes
    """What it was made of: the input, with what was cut from it before put back."""
    alike: bytes
    """The same in the format of the result."""
    data: bytes
    notes: tuple[str, ...]
    chosen: str
    """The strategy that `auto` took; else the strategy itself."""

    @property
    def by(self) -> str:
        """The strategy, as people are told it."""
        if self.chosen in ("", self.strategy):
            return self.strategy
        return f"{self.strategy}: {self.chosen}"


class Compressed(Shrunk):
    """The shorter conversation, and what became of the longer one."""

    receipt: Receipt

    @property
    def document(self) -> Any:
        """The result as JSON; of JSON lines a list."""
        return document_of(self.data)


def decide(whole: WholeHistory, wish: Wish) -> Compressed:
    """The result and its receipt."""
    strategy = strategy_of(wish)
    before, alike = _read_alike(whole.data, wish)
    wish.tell(READ)
    # What is missing counts too, so that a ratio is always that to the original.
    tokens = measure(before.messages, wish.count)
    tokens += cut_before(before.messages, whole.known, wish.count)

    aim = _aim_of(wish, before, tokens)
    chosen, after, remarks = _shrunk(before, strategy, aim)
    wish.tell(CHOSEN)
    # Where nothing changed, the very bytes.
    data = alike
    if after != before.messages:
        data = write(before, after)

    notes = (*before.notes, *remarks)
    if whole.receipts:
        receipts = ", ".join(whole.receipts)
        taken = f"its original of {tokens:,} tokens was taken."
        again = f"It was compressed before ({receipts}): {taken}"
        notes = (*before.notes, again, *remarks)
    shrunk = Shrunk(
        before=before,
        after=after,
        aim=aim,
        strategy=strategy,
        original=whole.data,
        alike=alike,
        data=data,
        notes=notes,
        chosen=chosen,
    )
    receipt = receipt_of(shrunk, tokens, wish.counter)
    wish.tell(DECIDED)
    return Compressed(**as_dict(shrunk), receipt=receipt)


def _read_alike(data: bytes, wish: Wish) -> tuple[Conversation, bytes]:
    """The conversation, and its bytes in the format of the result: what is shortened is what the
    result is like.
    """
    conversation = read(data, wish.format)
    is_same_format = wish.to is None or format_name(wish.to) == conversation.format
    if wish.to is not None and not is_same_format:
        # Only with --to.
        from director_ctx.history.formats.convert import convert

        converted = convert(conversation, conversation.messages, wish.to)
        return _read_sound(converted)
    is_utf8 = json.detect_encoding(data[:4]).startswith("utf-8")
    if not is_utf8:
        data = write(conversation, conversation.messages)
    return conversation, data


def _read_sound(converted: Conversation) -> tuple[Conversation, bytes]:
    """A conversation in another format is one that its provider takes, whatever the first one took."""
    notes = converted.notes
    # Read again, as what was written is what a provider will see.
    data = write(converted, converted.messages)
    conversation = read(data, converted.format)
    problems = check(conversation)
    if problems:
        from director_ctx.history.valid.mend import mend

        where = converted.format
        if len(problems) > 1:
            where += f", {len(problems):,} places"
        notes = (*notes, f"Mended for {where}: {problems[0].text}")
        data = write(conversation, mend(conversation))
        conversation = read(data, converted.format)
    return conversation.replace(notes=notes), data


def _aim_of(wish: Wish, before: Conversation, tokens: int) -> Aim:
    target = wish.target
    if wish.ratio is not None:
        target = int(tokens * wish.ratio)
    keep = keep_rule(before.messages, wish.keep)
    return Aim(
        wish.count,
        wish.config,
        target,
        keep=keep,
        native=before.native,
        write=summary_writer(strategy_of(wish), wish.config, wish.count),
    )


def _shrunk(
    before: Conversation,
    strategy: str,
    aim: Aim,
) -> tuple[str, list[Message], tuple[str, ...]]:
    """Which strategy it was in the end, what it left, and what is to be said about that. A result
    is never less valid than what it was made of.
    """
    if not aim.config.enabled:
        return strategy, before.messages, (DISABLED,)
    chosen, after = shrink_and_name(before.messages, strategy, aim)
    # Messages have no value of their own to compare: these are the very same objects, untouched.
    if after == before.messages:
        return chosen, after, ()

    shorter = before.replace(messages=after)
    problems = len(check(shorter))
    problems_before = len(check(before)) if problems else 0
    if problems <= problems_before:
        return chosen, after, ()

    # Only what a strategy left less valid than it was.
    from director_ctx.history.valid.mend import mend

    mended = mend(shorter)
    mended_conversation = before.replace(messages=mended)
    problems_left = len(check(mended_conversation))
    is_shorter = measure(mended, aim.count) < size(before.messages)
    if problems_left <= problems_before and is_shorter:
        return chosen, mended, ("What the strategy left had to be mended.",)
    why = "The strategy's result would not be valid, so nothing was cut."
    return chosen, before.messages, (why,)


def notes_about_lost(messages: Sequence[Message], whole: WholeHistory) -> tuple[str, ...]:
    """That originals of what was cut before are not in the archive, as after `dctx history remove`."""
    # Of a history with more locators than are looked up, nobody knows what is missing.
    if len(whole.known) >= MOST or not LOCATED.search(whole.data):
        return ()
    lost: set[str] = set()
    for message in messages:
        for block in message.blocks:
            # Of a digest the locator at its head, else that of the stub at the end of a text.
            if is_cut(block.text):
                lost.add(LOCATOR.findall(block.text)[-1])
            elif block.text.startswith(OPENS) and is_summary(message):
                lost.add(LOCATOR.findall(block.text)[0])
    lost.difference_update(whole.known)
    return (_LOST.format(counted(len(lost), "original")),) if lost else ()
