"""A conversation made shorter: read, put back what was cut before, shrink, check, archive, write;
in this order.
"""

from __future__ import annotations

from director_ctx.base.errors import DctxError, OverBudget
from director_ctx.base.record import Record, as_dict
from director_ctx.base.text import counted
from director_ctx.history.compress.keep import PATIENCE, NotArchived, keep
from director_ctx.history.compress.keep_patterns import kept
from director_ctx.history.compress.options import HYBRID, Wish, wish_for
from director_ctx.history.compress.put_back import (
    LOCATED,
    LOCATOR,
    MOST,
    Earlier,
    cut_before,
    earlier,
    originals_in,
    stores,
)
from director_ctx.history.compress.receipt import Receipt, cuts, identity
from director_ctx.history.formats import proper
from director_ctx.history.formats.document import read, write
from director_ctx.history.messages.message import measure, size
from director_ctx.history.messages.stubs import OPENS, full_hash, is_cut, is_summary
from director_ctx.history.messages.target import Aim
from director_ctx.history.strategies.keep import protected
from director_ctx.history.strategies.shrink import shrink_and_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from director_ctx.history.messages.message import Conversation, Count, Message
    from director_ctx.memory.store.store import Store
    from director_ctx.project.project import Project


DISABLED = "The settings have enabled: false, so everything stays as it is."
_GONE = "It was shortened before, and the archive does not have {} of it: sizes and shares are those of what is here."
_ABOUT, _STANDS = 1.1, 200
"""Beside what is protected, a result has a digest of the rest. What has more than that, the
strategy did not cut.
"""


def why_not(result: Shrunk) -> str:
    """Why a target was not met."""
    if not result.aim.config.enabled:
        return DISABLED
    messages = result.before.messages
    left = size(result.after)
    whole = size(messages[index] for index in protected(messages, result.aim))
    is_all_protected = left <= whole * _ABOUT + _STANDS
    if whole > (result.aim.target or 0) and is_all_protected:
        return f"what is protected alone has {whole:,} tokens."
    return f"{result.strategy} cannot cut more than to {left:,}; {whole:,} tokens are protected."


def told(before: Earlier, tokens: int) -> tuple[str, ...]:
    if not before.receipts:
        return ()
    receipts = ", ".join(before.receipts)
    return (f"It was compressed before ({receipts}): its original of {tokens:,} tokens was taken.",)


def gone(messages: Sequence[Message], before: Earlier) -> tuple[str, ...]:
    """That originals of what was cut before are not in the archive, as after `dctx history forget`."""
    if not LOCATED.search(before.data) or len(before.known) >= MOST:
        return ()
    missing: set[str] = set()
    for message in messages:
        missing.update(_names(message))
    missing.difference_update(before.known)
    if not missing:
        return ()
    return (_GONE.format(counted(len(missing), "original")),)


def _names(message: Message) -> Iterator[str]:
    """The locators of what was cut: of a digest that at its head, else that of the stub at the end
    of a text.
    """
    for block in message.blocks:
        if is_cut(block.text):
            yield LOCATOR.findall(block.text)[-1]
        elif block.text.startswith(OPENS) and is_summary(message):
            yield LOCATOR.findall(block.text)[0]


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
        from director_ctx.memory.archive.json_bytes import value_of

        return value_of(self.data)


class TargetMissed(OverBudget):
    """`--strict`, and what is protected is more than the target."""


def shorten(
    data: bytes, wish: Wish, root: str | None = None, source: str = "", archive: bool = True
) -> Compressed:
    """The whole way. Nothing is returned before the originals are kept; `NotArchived` if they
    cannot be.
    """
    is_enabled = wish.config.enabled
    before, trouble = _restored(data, root) if is_enabled else (Earlier(data), None)
    result = decided(before, wish)
    if is_enabled and not trouble:
        result = result.replace(notes=(*result.notes, *gone(result.before.messages, before)))
    if wish.strict and not result.receipt.met:
        raise TargetMissed(
            f"The target was not met: {result.receipt.why_not}",
            "Leave --strict out, or raise the target.",
        )
    if before.receipts and result.data == data:
        # It is what the last compression made, so it has the receipt of that one.
        return result.replace(receipt=result.receipt.replace(id=before.receipts[-1]))
    if archive and result.receipt.cuts:
        if trouble:
            raise trouble
        _archive(result, root, source)
    return result


def _restored(data: bytes, root: str | None) -> tuple[Earlier, NotArchived | None]:
    """What the archive can put back. A store that cannot be read is no reason to stop before
    something is cut.
    """
    untouched = Earlier(data)
    if not LOCATED.search(data):
        return untouched, None
    try:
        for store in stores(root):
            before = earlier(store, data)
            known = originals_in(store, before.data)
            if before.receipts or known:
                return before.replace(known=known), None
    except DctxError as error:
        return untouched, _not_archived(error)
    return untouched, None


def _not_archived(error: DctxError) -> NotArchived:
    return NotArchived(
        f"Nothing was cut, because the originals could not be kept: {error.message}", error.hint
    )


def decided(earlier: Earlier, wish: Wish) -> Compressed:
    """Everything but keeping it."""
    before, alike = _alike(earlier.data, wish)
    tokens = measure(before.messages, wish.count)
    tokens += cut_before(before.messages, earlier.known, wish.count)

    aim = _aim(before, wish, tokens)
    name = strategy_of(wish)
    chosen, after, notes = _shrunk(before, name, aim)
    data = _written(before, after, alike)
    notes = (*before.notes, *told(earlier, tokens), *notes)
    result = Shrunk(before, after, aim, name, earlier.data, alike, data, notes, chosen)
    return Compressed(**as_dict(result), receipt=_receipt(result, tokens, wish.counter))


def _alike(data: bytes, wish: Wish) -> tuple[Conversation, bytes]:
    """The conversation, and its bytes in the format of the result: what is shortened is what the
    result is like.
    """
    conversation = read(data, wish.format)
    if wish.to is None or proper(wish.to) == conversation.format:
        if not _is_utf8(data):
            data = write(conversation, conversation.messages)
        return conversation, data
    from director_ctx.history.formats.convert import convert

    other = convert(conversation, conversation.messages, wish.to)
    return _sound(write(other, other.messages), other)


def _sound(data: bytes, other: Conversation) -> tuple[Conversation, bytes]:
    """A conversation in another format is one that its provider takes, whatever the first one took."""
    from director_ctx.history.valid.check import check
    from director_ctx.history.valid.mend import mend

    conversation, notes = read(data, other.format), other.notes
    problems = check(conversation)
    if problems:
        many = f", {len(problems):,} places" if len(problems) > 1 else ""
        notes = (*notes, f"Mended for {other.format}{many}: {problems[0].text}")
        data = write(conversation, mend(conversation))
        conversation = read(data, other.format)
    return conversation.replace(notes=notes), data


def _is_utf8(data: bytes) -> bool:
    import json

    return json.detect_encoding(data[:4]).startswith("utf-8")


def _aim(before: Conversation, wish: Wish, tokens: int) -> Aim:
    target = wish.target
    if wish.ratio is not None:
        target = int(tokens * wish.ratio)
    keep = kept(before.messages, wish.keep)
    return Aim(wish.count, wish.config, target, keep, None, before.native)


def strategy_of(wish: Wish) -> str:
    if wish.strategy:
        return wish.strategy
    has_target = wish.target is not None or wish.ratio is not None
    return HYBRID if has_target else wish.config.strategy


def _shrunk(
    before: Conversation, name: str, aim: Aim
) -> tuple[str, list[Message], tuple[str, ...]]:
    """Which strategy it was in the end, what it left, and what is to be said about that."""
    if not aim.config.enabled:
        return name, before.messages, (DISABLED,)
    chosen, after = shrink_and_name(before.messages, name, aim)
    return chosen, *_valid(before, after, aim.count)


def _valid(
    before: Conversation, after: list[Message], count: Count
) -> tuple[list[Message], tuple[str, ...]]:
    """A result is never less valid than what it was made of."""
    from director_ctx.history.valid.check import check

    if after == before.messages:
        return after, ()
    changed = before.replace(messages=after)
    problems = check(changed)
    if not problems:
        return after, ()
    known = len(check(before))
    if len(problems) <= known:
        return after, ()
    from director_ctx.history.valid.mend import mend

    mended = mend(changed)
    is_valid = len(check(before.replace(messages=mended))) <= known
    if is_valid and measure(mended, count) < size(before.messages):
        return mended, ("What the strategy left had to be mended.",)
    return before.messages, ("The strategy's result would not be valid, so nothing was cut.",)


def _written(before: Conversation, after: list[Message], data: bytes) -> bytes:
    """Where nothing changed, the very bytes."""
    return data if after == before.messages else write(before, after)


def _receipt(result: Shrunk, tokens: int, counter: str) -> Receipt:
    target, before = result.aim.target, result.before.messages
    left = size(result.after)
    met = target is None or left <= target
    return Receipt(
        _identity(result, counter), result.before.format, result.strategy, counter, target, met,
        "" if met else why_not(result), tokens, left, tuple(cuts(before, result.after)),
    )  # fmt: skip


def _identity(result: Shrunk, counter: str) -> str:
    original, data = full_hash(result.original), full_hash(result.data)
    return identity(f"{original} {data} {result.strategy} {result.aim.target} {counter}")


def _archive(result: Compressed, root: str | None, source: str) -> None:
    from director_ctx.memory.store.open import open_store, project_here

    try:
        with open_store(project_here(root), write=True) as store:
            archived(store, result, source)
    except DctxError as error:
        raise _not_archived(error) from error
    except OSError as error:
        known = DctxError(f"{error.strerror or error}.", "")
        raise _not_archived(known) from error


def archived(store: Store, result: Compressed, source: str) -> None:
    """Into a store that is open."""
    if hasattr(store.engine, "patience"):
        store.engine.patience = min(store.engine.patience, PATIENCE)
    keep(store, result, source)


def compress(
    messages: object, *, project: Project | str | None = None, archive: bool = True, **options: Any
) -> Compressed:
    """Shortens a conversation: bytes as a client wrote them, or a document of messages, which stays
    as it is.

    Options are those of `dctx compress`, as keyword arguments: strategy, target_tokens, ratio,
    window, keep, config (a `ContextConfig`), from_, to, strict, counter; and `count`, a callable of
    your own. The originals of everything that is cut are in the archive of the project when it
    returns, or in your own outside of one; `archive=False` keeps none.
    """
    data = _bytes_of(messages)
    root = project if isinstance(project, str | None) else project.root
    return shorten(data, wish_for(options), root, archive=archive)


def _bytes_of(messages: object) -> bytes:
    import json

    if isinstance(messages, bytes | bytearray):
        return bytes(messages)
    return json.dumps(messages).encode()
