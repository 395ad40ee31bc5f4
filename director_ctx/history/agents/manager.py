"""Between an agent and its model: what came in, shorter; and what was cut, in the archive."""

from __future__ import annotations

from director_ctx.context.tokens.counting import counter_of
from director_ctx.history.agents.checkpoints import CheckpointManager
from director_ctx.history.agents.components import (
    IntelligentPruner,
    MessageCompressor,
    SlidingWindow,
)
from director_ctx.history.agents.continued import Cuts, KeptCut, cut_of, names_of, read, written
from director_ctx.history.agents.given_messages import Processed, decoded
from director_ctx.history.agents.metrics import ContextMetrics
from director_ctx.history.agents.originals import Keeping, log, receipt_of
from director_ctx.history.compress.configured import settled
from director_ctx.history.messages.message import measure, size
from director_ctx.history.messages.target import Aim, room
from director_ctx.history.strategies.checkpoint import standing
from director_ctx.history.strategies.config import cut_by
from director_ctx.history.strategies.keep import keeping
from director_ctx.history.strategies.limits import Limits, pays, protected_tokens, within
from director_ctx.history.strategies.shrink import shrink
from director_ctx.memory.archive.cuts import Lasting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from director_ctx.history.agents.originals import Where
    from director_ctx.history.compress.receipt import Receipt
    from director_ctx.history.messages.message import Block, Conversation, Count, Message
    from director_ctx.history.strategies.config import ContextConfig

TO_A_TARGET = ("hybrid", "auto")
COMPRESSED_AFTER = ("sliding_window", "checkpoint", "pruning")
_RECENT = 20
"""Messages by which the size of the next one is judged."""
_OPENING = 4
"""Messages by which a conversation is told from others in which the same is cut."""
_MOST_SEEN = 10_000
"""Cuts and checkpoints that are known again, so that each is counted once."""


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
        """`count` is a callable or the name of a counter, `keep` are patterns of what stays as it
        is.

        Originals go to the store of the project here; or to that of another project, by its root,
        or to a store that is open already. `archive=False` keeps none.
        """
        from threading import Lock

        self.config = settled(config)
        self.count, self.counter = counter_of(count)
        """Tokens of a text."""
        self.receipt: Receipt | None = None
        """What was cut last."""
        self.tokens = 0
        """Of what went out last."""

        self.metrics = ContextMetrics(clock, count=self.count)
        self.checkpoints = CheckpointManager(count=self.count, clock=clock)
        self.window = SlidingWindow(count=self.count, keep=keep, archive=archive)
        self.compressor = MessageCompressor(count=self.count, keep=keep, archive=archive)
        self.pruner = IntelligentPruner(count=self.count, keep=keep, archive=archive)
        for part in (self.checkpoints, self.window, self.compressor, self.pruner):
            part.config = self.config  # one, which all of them read

        self._turn = Lock()
        self._patterns, self._keeping = tuple(keep), Keeping(archive)
        self._cuts = Cuts(self.config.max_conversations)
        self._seen: dict[str, None] = {}
        self._phase: tuple[str | None, int] = (None, 0)
        self._level = 0

    def process_messages(
        self, messages: Any, current_phase: str | None = None, *, beside: int = 0
    ) -> Processed:
        """The messages as the model should see them: of the same kind, and the ones that came are
        left as they are.

        `beside` are tokens that go out with them, such as those of a system prompt. The result can
        also be awaited.
        """
        if isinstance(messages, list) and not messages:
            return Processed()
        conversation, encode = decoded(messages)
        with self._turn:
            made = self._managed(conversation, current_phase, beside)
        return Processed(encode(conversation, made))

    async def aprocess_messages(
        self, messages: Any, current_phase: str | None = None, *, beside: int = 0
    ) -> Processed:
        """The same in a thread of its own, so that nothing else waits."""
        from asyncio import to_thread

        return await to_thread(self.process_messages, messages, current_phase, beside=beside)

    def _managed(self, conversation: Conversation, phase: str | None, beside: int) -> list[Message]:
        before = conversation.messages
        measure(before, self.count)
        aim = self._aim(conversation, phase)
        after = list(before)
        if self.config.enabled:
            after = self._shortened(conversation, aim, beside)
        self.tokens = size(after)
        self.metrics.record_input_size(before)
        self.metrics.record_output_size(after)
        self._warn(before, aim, beside)
        return after

    def _aim(self, conversation: Conversation, phase: str | None) -> Aim:
        messages = conversation.messages
        known, begun = self._phase
        if phase != known or begun >= len(messages):
            begun = max(0, len(messages) - 1)
            self._phase = (phase, begun)
        keep = keeping(messages, self._patterns)
        return Aim(self.count, self.config, None, keep, phase, conversation.native, begun)

    def _shortened(self, conversation: Conversation, aim: Aim, beside: int) -> list[Message]:
        config, messages = self.config, conversation.messages
        if config.when == "limit" or (config.when == "auto" and config.strategy in TO_A_TARGET):
            return self._at_limit(conversation, aim, beside)
        made = self._by_strategy(messages, aim, beside)
        return made if self._kept(conversation, made, aim) else list(messages)

    def _at_limit(self, conversation: Conversation, aim: Aim, beside: int) -> list[Message]:
        """As it was cut before, until the next message would pass the limit."""
        messages = conversation.messages
        limits = self._limits(beside)
        names = names_of(messages, self._setting(conversation))
        name, cut = self._find(names, messages, limits)
        now = cut.continued(messages) if cut else list(messages)
        measure(now, self.count)
        with_room = limits.replace(tokens=limits.tokens - _next(messages))
        if with_room.hold(now):
            return now

        target = room(int(self.config.target_tokens), int(self.config.limit), beside)
        aim = aim.replace(target=target)
        shorter = self._by_strategy(messages, aim, beside)
        is_fewer = limits.count_holds(shorter) and not limits.count_holds(now)
        is_worth_it = is_fewer or pays(size(now), size(shorter), limits.tokens, target)
        if not is_worth_it or not self._kept(conversation, shorter, aim):
            return now
        self._remember(names[-1], cut_of(messages, shorter), messages, name)
        return shorter

    def _by_strategy(self, messages: Sequence[Message], aim: Aim, beside: int) -> list[Message]:
        """As the design has it: the strategy, then every message that is left a little shorter.
        Whatever it takes where that is more than may go out.
        """
        config, limits = self.config, self._limits(beside)
        made = shrink(messages, config.strategy, aim)
        if config.strategy in COMPRESSED_AFTER and config.compression_level != "none":
            made = shrink(made, "compression", aim)
        return within(messages, made, aim, limits)

    def _limits(self, beside: int) -> Limits:
        return Limits(max(1, int(self.config.limit) - beside), self.config.max_messages)

    # Conversations that go on

    def _setting(self, conversation: Conversation) -> str:
        """What a conversation is cut by: with other settings it is cut anew."""
        return f"{conversation.format} {self.counter.name} {self._patterns} {cut_by(self.config)}"

    def _find(
        self, names: Sequence[str], messages: Sequence[Message], limits: Limits
    ) -> tuple[str, KeptCut | None]:
        """The cut that is known of this conversation, here or in the store."""
        name, cut = self._cuts.find(names)
        largest = max(one.tokens for one in messages)
        if cut or limits.replace(tokens=limits.tokens - largest).hold(messages):
            return name, cut  # what is so short was never cut

        kept = self._keeping.find_cut(names)
        if kept is None:
            return "", None
        name, content = kept
        cut = read(content, messages)
        if cut is None:
            return "", None
        self._cuts.keep(name, cut)
        return name, cut

    def _remember(self, name: str, cut: KeptCut, messages: Sequence[Message], instead: str) -> None:
        self._cuts.keep(name, cut, instead)
        try:
            content = written(cut, messages)
        except TypeError:
            return  # objects of a program, which only this process knows
        lasting = Lasting(name, content, instead, self._cuts.used())
        self._keeping.cut(lasting, self.config.max_conversations)

    # What was cut

    def _kept(self, conversation: Conversation, after: list[Message], aim: Aim) -> bool:
        """Whether the originals of what was cut are kept; nothing goes out shorter before they are."""
        messages = conversation.messages
        strategy = self.config.strategy
        receipt = receipt_of(conversation, after, strategy, self.counter.name)
        opening = names_of(messages[:_OPENING], "")[-1]
        cut = opening + receipt.id
        if not receipt.cuts or not self._is_new(cut):
            return True
        if not self._keeping.originals(conversation, after, receipt):
            del self._seen[cut]  # so that it is tried again
            return False

        self.receipt = receipt
        self.metrics.record_compression(receipt.tokens_in, receipt.tokens_out, strategy)
        for block in _checkpoints(after):
            if self._is_new(opening + block.text):
                checkpoint = self.checkpoints.record(standing(messages, aim))
                self.metrics.record_checkpoint(checkpoint.phase, block.tokens)
        return True

    def _is_new(self, name: str) -> bool:
        """Whether it is seen for the first time."""
        if name in self._seen:
            return False
        self._seen[name] = None
        if len(self._seen) > _MOST_SEEN:
            del self._seen[next(iter(self._seen))]
        return True

    def _warn(self, messages: Sequence[Message], aim: Aim, beside: int) -> None:
        """Once each time that a level is passed."""
        config, total = self.config, self.tokens + beside
        level = 2 if total > config.limit else int(total >= config.warn_at)
        if level == 2 and self._level < 2 and config.enabled:
            stays = protected_tokens(messages, aim)
            log().warning(_OVER, total, config.limit, self.tokens, stays)
        elif level > self._level:
            log().warning("The context has %d of %d tokens.", total, config.limit)
        self._level = level


_OVER = (
    "The context has %d tokens, over the limit of %d, and no strategy gets below it: "
    "%d of them are messages, and %d of those may not be touched."
)


def _checkpoints(messages: Sequence[Message]) -> Iterator[Block]:
    for message in messages:
        for block in message.blocks:
            if block.action == "checkpoint":
                yield block


def _next(messages: Sequence[Message]) -> int:
    """As large as the next message may well be: as the largest of the newest ones."""
    return max((one.tokens for one in messages[-_RECENT:]), default=0)
