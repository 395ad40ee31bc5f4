"""Between an agent and its model: what came in, shorter; and what was cut, in the archive."""

from __future__ import annotations

from director_ctx.errors import DctxError, UsageProblem
from director_ctx.history.aim import Aim, room
from director_ctx.history.config import ContextConfig, checked, config_from
from director_ctx.history.keeping import keeping
from director_ctx.history.message import measure, size
from director_ctx.history.metrics import ContextMetrics
from director_ctx.history.shrink import shrink
from director_ctx.wiring.continued import Cut, continued, cut_of, remembered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence
    from typing import Any

    from director_ctx.history.message import Conversation, Count, Message
    from director_ctx.history.receipt import Receipt
    from director_ctx.wiring.kept import Where

TO_A_TARGET = ("hybrid", "auto")
COMPRESSED_AFTER = ("sliding_window", "checkpoint", "pruning")
_RECENT = 20
"""Messages by which the size of the next one is judged."""


class Processed(list["Any"]):
    """The messages; whoever awaits them gets them too."""

    def __await__(self) -> Generator[Any, None, Processed]:
        async def itself() -> Processed:
            return self

        return itself().__await__()


class ContextManager:
    """Manages conversation context for agents; several may share it, also in several threads."""

    def __init__(
        self,
        config: ContextConfig | dict[str, Any] | None = None,
        *,
        count: Count | str | None = None,
        keep: Sequence[str] = (),
        archive: Where = True,
        clock: Callable[[], Any] | None = None,
    ) -> None:
        """`count` is a callable or the name of a counter, `keep` are patterns of what stays as it is.

        Originals go to the store of the project here; or to that of another project, by its root, or to a store that
        is open already. `archive=False` keeps none.
        """
        from threading import Lock

        from director_ctx.wiring.counting import choose_counter

        self._turn = Lock()
        self.config = checked(config) if isinstance(config, ContextConfig) else config_from(config)
        self.metrics = ContextMetrics(clock or _now)
        self.receipt: Receipt | None = None
        """What was cut last."""
        self.tokens = 0
        """Of what went out last."""
        own = count if callable(count) else None
        self.count, self.counter = choose_counter(None if callable(count) else count, count=own)
        """Tokens of a text."""
        self._patterns, self._archive = tuple(keep), archive
        self._cuts: tuple[Cut, ...] = ()
        self._phase: tuple[str | None, int] = (None, 0)
        self._kept: set[str] = set()
        self._warned = False

    def process_messages(self, messages: Any, current_phase: str | None = None, *, beside: int = 0) -> Processed:
        """The messages as the model should see them: of the same kind, and the ones that came are left as they are.

        `beside` are tokens that go out with them, such as those of a system prompt. The result can also be awaited.
        """
        if isinstance(messages, list) and not messages:
            return Processed()
        conversation, encode = decoded(messages)
        with self._turn:
            made = self._managed(conversation, current_phase, beside)
        return Processed(encode(conversation, made))

    async def aprocess_messages(self, messages: Any, current_phase: str | None = None, *, beside: int = 0) -> Processed:
        """The same in a thread of its own, so that nothing else waits."""
        from asyncio import to_thread

        return await to_thread(self.process_messages, messages, current_phase, beside=beside)

    def _managed(self, conversation: Conversation, phase: str | None, beside: int) -> list[Message]:
        before = conversation.messages
        came = measure(before, self.count)
        self.metrics.record_input_size(before)
        after = self._shortened(conversation, phase, beside) if self.config.enabled else list(before)
        self.tokens = size(after)
        if self.tokens < came and self._archived(conversation, after):
            self._record(came, after)
        elif self.tokens < came:
            after, self.tokens, self._cuts = list(before), came, ()
        self.metrics.record_output_size(after)
        self._warn(self.tokens + beside)
        return after

    def _shortened(self, conversation: Conversation, phase: str | None, beside: int) -> list[Message]:
        config, messages = self.config, conversation.messages
        at_limit = config.when == "limit" or (config.when == "auto" and config.strategy in TO_A_TARGET)
        aim = self._aim(conversation, phase)
        if not at_limit:
            return self._by_strategy(messages, aim)
        now = continued(self._cuts, messages)
        if size(now) + beside + _next(messages) <= config.limit:
            return now
        made = self._by_strategy(messages, aim.replace(target=room(config.target_tokens, config.limit, beside)))
        self._cuts = remembered(self._cuts, cut_of(messages, made))
        return made

    def _by_strategy(self, messages: Sequence[Message], aim: Aim) -> list[Message]:
        """As the design has it: the strategy, then every message that is left a little shorter."""
        config = self.config
        made = shrink(messages, config.strategy, aim)
        if config.strategy in COMPRESSED_AFTER and config.compression_level != "none":
            made = shrink(made, "compression", aim)
        return made

    def _aim(self, conversation: Conversation, phase: str | None) -> Aim:
        messages = conversation.messages
        if phase != self._phase[0] or self._phase[1] >= len(messages):
            self._phase = (phase, max(0, len(messages) - 1))
        keep = keeping(messages, self._patterns)
        return Aim(self.count, self.config, None, keep, phase, conversation.native, self._phase[1])

    def _archived(self, conversation: Conversation, after: list[Message]) -> bool:
        """Whether the originals of what was cut are kept; nothing goes out shorter before they are."""
        from director_ctx.wiring.archive import originals
        from director_ctx.wiring.kept import keep_originals, receipt_of

        receipt = receipt_of(conversation, after, self.config.strategy, self.counter.name)
        if self._archive is not False:
            try:
                keep_originals(originals(conversation.messages, after, receipt.cuts), self._archive, self._kept)
            except (DctxError, OSError) as error:
                _log().warning("Nothing was cut, because the originals could not be kept: %s", error)
                return False
        self.receipt = receipt
        return True

    def _record(self, came: int, after: Sequence[Message]) -> None:
        self.metrics.record_compression(came, self.tokens, self.config.strategy)
        for message in after:
            if any(block.action == "checkpoint" for block in message.blocks):
                self.metrics.record_checkpoint(self._phase[0] or "", message.tokens)

    def _warn(self, size: int) -> None:
        """Once each time that the level is passed."""
        over = size >= self.config.warn_at
        if over and not self._warned:
            _log().warning("The context has %d of %d tokens.", size, self.config.limit)
        self._warned = over


def _next(messages: Sequence[Message]) -> int:
    """As large as the next message may well be: as the largest of the newest ones."""
    return max((one.tokens for one in messages[-_RECENT:]), default=0)


def decoded(messages: Any) -> tuple[Conversation, Callable[[Conversation, Sequence[Message]], Any]]:
    """A conversation out of message objects or of any format that we read, and the way back."""
    from director_ctx.history.formats import FORMATS, format_of
    from director_ctx.wiring import langchain_messages

    if isinstance(messages, dict | str | bytes):
        raise UsageProblem("These are no messages.", "Give a list of messages.")
    messages = list(messages)
    if langchain_messages.fits(messages):
        return langchain_messages.decode(messages), langchain_messages.encode
    if (module := format_of(messages)) is not None:
        return module.decode(messages), module.encode
    raise UsageProblem(
        "These messages are in no format that is known.", "Give messages of LangChain, or one of: " + ", ".join(FORMATS)
    )


def _now() -> Any:
    from datetime import UTC, datetime

    return datetime.now(UTC)


def _log() -> Any:
    from logging import getLogger

    return getLogger("director_ctx")
