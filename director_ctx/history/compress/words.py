"""What is to be said of a compression: why a target was not met, and what became of earlier ones."""

from __future__ import annotations

from director_ctx.base.text import counted
from director_ctx.history.compress.cut_before import MOST
from director_ctx.history.compress.put_back import LOCATED, LOCATOR
from director_ctx.history.messages.message import size
from director_ctx.history.messages.stubs import OPENS, is_cut, is_summary
from director_ctx.history.strategies.protected import protected

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from director_ctx.history.compress.compress import Shrunk
    from director_ctx.history.compress.put_back import Earlier
    from director_ctx.history.messages.message import Message

DISABLED = "The settings have enabled: false, so everything stays as it is."
_GONE = "It was shortened before, and the archive does not have {} of it: sizes and shares are those of what is here."
_ABOUT, _STANDS = 1.1, 200
"""Beside what is protected, a result has a digest of the rest. What has more than that, the strategy did not cut."""


def why_not(made: Shrunk) -> str:
    """Why a target was not met."""
    if not made.aim.config.enabled:
        return DISABLED
    messages, left = made.before.messages, size(made.after)
    whole = size(messages[place] for place in protected(messages, made.aim))
    if whole > (made.aim.target or 0) and left <= whole * _ABOUT + _STANDS:
        return f"what is protected alone has {whole:,} tokens."
    return f"{made.strategy} cannot cut more than to {left:,}; {whole:,} tokens are protected."


def told(found: Earlier, tokens: int) -> tuple[str, ...]:
    if not found.receipts:
        return ()
    return (f"It was compressed before ({', '.join(found.receipts)}): its original of {tokens:,} tokens was taken.",)


def gone(messages: Sequence[Message], found: Earlier) -> tuple[str, ...]:
    """That originals of what was cut before are not in the archive, as after `dctx history forget`."""
    if not LOCATED.search(found.data) or len(found.known) >= MOST:
        return ()
    named = {name for one in messages for name in _names(one) if name not in found.known}
    return (_GONE.format(counted(len(named), "original")),) if named else ()


def _names(message: Message) -> Iterator[str]:
    """The locators of what was cut: of a digest that at its head, else that of the stub at the end of a text."""
    for block in message.blocks:
        if is_cut(block.text):
            yield LOCATOR.findall(block.text)[-1]
        elif block.text.startswith(OPENS) and is_summary(message):
            yield LOCATOR.findall(block.text)[0]
