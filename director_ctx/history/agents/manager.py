"""Between an agent and its model: what came in, shorter; and what was cut, in the archive."""

from __future__ import annotations

from director_ctx.context.tokens.counting import counter_of
from director_ctx.history.agents.checkpoints import CheckpointManager
from director_ctx.history.agents.components import (
    IntelligentPruner,
    MessageCompressor,
    SlidingWindow,
)
from director_ctx.history.agents.conversation_cuts import cut_of, names_of
from director_ctx.history.agents.first_times import FirstTimes
from director_ctx.history.agents.fullness import Fullness, next_size
from director_ctx.history.agents.metrics import ContextMetrics
from director_ctx.history.agents.model_window import WindowedSettings, windowed
from director_ctx.history.agents.originals import Keeping, log, receipt_of
from director_ctx.history.agents.program_messages import Processed, decoded
from director_ctx.history.agents.provider_size import ProviderCount
from director_ctx.history.agents.remembered_cuts import RememberedCuts
from director_ctx.history.agents.retrieval import Retrieval
from director_ctx.history.compress.options import summary_writer
from director_ctx.history.messages.message import measure, size
from director_ctx.history.messages.target import Aim, room
from director_ctx.history.strategies.checkpoint import standing
from director_ctx.history.strategies.config import cut_by
from director_ctx.history.strategies.keep import keeping
from director_ctx.history.strategies.limits import Limits, pays, within
from director_ctx.history.strategies.shrink import DEEP, shrink
from director_ctx.history.strategies.summary import NoSummary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from director_ctx.history.agents.components import Options
    from director_ctx.history.agents.conversation_cuts import NamedCut
    from director_ctx.history.agents.originals import Where
    from director_ctx.history.compress.receipt import Receipt
    from director_ctx.history.messages.message import Block, Conversation, Count, Message
    from director_ctx.history.strategies.checkpoint import RunState
    from director_ctx.history.strategies.config import ContextConfig

TO_A_TARGET = ("hybrid", "auto", "summary")
COMPRESSED_AFTER = ("sliding_window", "checkpoint", "pruning")
_OPENING = 4
"""Messages by which a conversation is told from others in which the same is cut."""


class ContextManager(Retrieval):
    """Manages conversation context for agents; several may share it, also in several threads."""

    def __init__(
        self,
        config: ContextConfig | dict[str, Any] | WindowedSettings | None = None,
        *,
        count: Count | str | None = None,
        keep: Sequence[str] = (),
        archive: Where = True,
        clock: Callable[[], Any] | None = None,
    ) -> None:
        """`count` is a callable or the name of a counter, `keep` are patterns of what stays as it
        is.

        Originals go to the store of the project here; or to that of another project, by its root,
        or to a store that is open already. `archive=False` keeps none, but for a model that is
        offered the tool, in memory.
        """
        from threading import Lock

        self.windowed = windowed(config)
        """Where the limit is from."""
        self.config = self.windowed.config
        self.count, self.counter = counter_of(count)
        """Tokens of a text."""
        self.provider = ProviderCount(self.counter.name)
        self.receipt: Receipt | None = None
        """What was cut last."""
        self.tokens = 0
        """Of what went out last."""

        self.metrics = ContextMetrics(clock, count=self.count)
        self.checkpoints = CheckpointManager(count=self.count, clock=clock)
        options: Options = {
            "count": self.count,
            "keep": keep,
            "archive": archive,
        }
        self.window = SlidingWindow(**options)
        self.compressor = MessageCompressor(**options)
        self.pruner = IntelligentPruner(**options)
        # One configuration, which all of them read: what is set on one part holds for the manager.
        for part in (self.checkpoints, self.window, self.compressor, self.pruner):
            part.config = self.config

        self._turn = Lock()
        self._patterns = tuple(keep)
        self._keeping = Keeping(archive)
        self._cuts = RememberedCuts(self._keeping, self.config.max_conversations)
        self._seen = FirstTimes()
        """Cuts and checkpoints: each is counted once."""
        self._phase: str | None = None
        self._phase_begins = 0
        self._fullness = Fullness()

    def take_window(self, tokens: int) -> None:
        """The window of the model that is asked, such as LangChain's `model.profile` has it."""
        with self._turn:
            self.windowed.take(tokens)

    def process_messages(
        self,
        messages: Any,
        current_phase: str | None = None,
        *,
        beside: int = 0,
    ) -> Processed:
        """The messages as the model should see them: of the same kind, and the ones that came are
        left as they are.

        `beside` are tokens that go out with them, such as those of a system prompt. The result can
        also be awaited.
        """
        if isinstance(messages, list) and not messages:
            return Processed()
        conversation, encode = decoded(messages)
        # One conversation after the other: cuts, phase and figures are shared by all threads.
        with self._turn:
            after = self._managed(conversation, current_phase, beside)
        return Processed(encode(conversation, after))

    async def aprocess_messages(
        self,
        messages: Any,
        current_phase: str | None = None,
        *,
        beside: int = 0,
    ) -> Processed:
        """The same in a thread of its own, so that nothing else waits."""
        from asyncio import to_thread

        return await to_thread(self.process_messages, messages, current_phase, beside=beside)

    def _managed(
        self,
        conversation: Conversation,
        phase: str | None,
        beside: int,
    ) -> list[Message]:
        before = conversation.messages
        measure(before, self.count)
        self.provider.factor = 1.0
        aim = self._aim(conversation, phase)
        after = list(before)
        if self.config.enabled:
            after = self._shortened(conversation, aim, beside)
        self.tokens = size(after)
        self.metrics.record_input_size(before)
        self.metrics.record_output_size(after)
        self._fullness.warn(before, aim, self.provider.as_provider(self.tokens + beside))
        return after

    def _aim(self, conversation: Conversation, phase: str | None) -> Aim:
        messages = conversation.messages
        # A phase begins with the newest message at the time when it is first named. Fewer messages
        # than that are of another conversation, in which it begins anew.
        is_another = self._phase_begins >= len(messages)
        if phase != self._phase or is_another:
            self._phase = phase
            self._phase_begins = max(0, len(messages) - 1)
        return Aim(
            count=self.count,
            config=self._keeping.told(self.config),
            keep=keeping(messages, self._patterns),
            phase=phase,
            native=conversation.native,
            since=self._phase_begins,
            write=summary_writer(self.config.strategy, self.config, self.count),
        )

    def _shortened(
        self,
        conversation: Conversation,
        aim: Aim,
        beside: int,
    ) -> list[Message]:
        if self._waits_for_limit():
            return self._at_limit(conversation, aim, beside)
        messages = conversation.messages
        shorter = self._by_strategy(messages, aim, beside)
        if not self._is_archived(conversation, shorter, aim):
            return list(messages)
        return shorter

    def _waits_for_limit(self) -> bool:
        if self.config.when == "auto":
            return self.config.strategy in TO_A_TARGET
        return self.config.when == "limit"

    def _at_limit(
        self,
        conversation: Conversation,
        aim: Aim,
        beside: int,
    ) -> list[Message]:
        """As it was cut before, until the next message would pass the limit."""
        messages = conversation.messages
        setting = self._setting(conversation)
        names = names_of(messages, setting)
        name, cut = self._find_cut(names, messages, self._limits(beside))
        now = list(messages)
        since = 0
        if cut is not None:
            now = cut.continued(messages)
            measure(now, self.count)
            since = cut.length
        # Our counter is an estimate; answers say how their provider counts.
        self.provider.learn(now, beside, since)
        limits = self._limits(beside)
        if limits.with_room(next_size(messages)).hold(now):
            return now

        config = self.config
        wanted = room(
            int(config.target_tokens), int(config.limit), self.provider.as_provider(beside)
        )
        target = self.provider.as_counted(wanted)
        aim = aim.replace(target=target)
        # From the originals, never from what was cut before: no summary of a summary is made.
        shorter = self._by_strategy(messages, aim, beside)
        if not self._is_worth_it(now, shorter, limits, target):
            return now
        if not self._is_archived(conversation, shorter, aim):
            return now
        new = cut_of(messages, shorter)
        self._cuts.keep(names[-1], new, messages, name, config.max_conversations)
        return shorter

    def _is_worth_it(
        self,
        now: Sequence[Message],
        shorter: Sequence[Message],
        limits: Limits,
        target: int,
    ) -> bool:
        """Whether a cut brings enough for what it costs: a provider's cache."""
        has_too_many = not limits.count_holds(now)
        if has_too_many and limits.count_holds(shorter):
            return True
        before = size(now)
        after = size(shorter)
        return pays(before, after, limits.tokens, target)

    def _by_strategy(
        self,
        messages: Sequence[Message],
        aim: Aim,
        beside: int,
    ) -> list[Message]:
        """As the design has it: the strategy, then every message that is left a little shorter.
        Whatever it takes where that is more than may go out.
        """
        config = self.config
        try:
            shorter = shrink(messages, config.strategy, aim)
        except NoSummary as error:
            # An agent does not stop because nobody sums up what it did.
            log().warning("%s", error.message)
            shorter = shrink(messages, DEEP, aim)
        if config.strategy in COMPRESSED_AFTER and config.compression_level != "none":
            shorter = shrink(shorter, "compression", aim)
        return within(messages, shorter, aim, self._limits(beside))

    def _limits(self, beside: int) -> Limits:
        tokens = self.provider.as_counted(int(self.config.limit)) - beside
        return Limits(max(1, tokens), self.config.max_messages)

    # Conversations that go on

    def _setting(self, conversation: Conversation) -> str:
        """What a conversation is cut by: with other settings it is cut anew."""
        format = conversation.format
        counter = self.counter.name
        return f"{format} {counter} {self._patterns} {cut_by(self.config)}"

    def _find_cut(
        self,
        names: Sequence[str],
        messages: Sequence[Message],
        limits: Limits,
    ) -> NamedCut:
        name, cut = self._cuts.find(names)
        if cut is not None:
            return name, cut
        # What is so short was never cut, and the store need not be asked.
        largest = max(message.tokens for message in messages)
        if limits.with_room(largest).hold(messages):
            return "", None
        return self._cuts.find_stored(names, messages)

    # What was cut

    def _is_archived(
        self,
        conversation: Conversation,
        after: list[Message],
        aim: Aim,
    ) -> bool:
        """Whether the originals of what was cut are kept; nothing goes out shorter before they are."""
        before = conversation.messages
        strategy = self.config.strategy
        receipt = receipt_of(conversation, after, strategy, self.counter.name)
        if not receipt.cuts:
            return True

        # The same cut comes with every request of a conversation, and is one all the same.
        opening = names_of(before[:_OPENING], "")[-1]
        cut = opening + receipt.id
        if not self._seen.is_first(cut):
            return True
        if not self._keeping.keep_originals(conversation, after, receipt):
            self._seen.forget(cut)  # so that it is tried again
            return False

        self.receipt = receipt
        self.metrics.record_compression(
            input_size=receipt.tokens_in,
            output_size=receipt.tokens_out,
            strategy=strategy,
        )
        for block in _checkpoints(after):
            if self._seen.is_first(opening + block.text):
                self._record_checkpoint(block, standing(before, aim))
        return True

    def _record_checkpoint(self, block: Block, state: RunState) -> None:
        checkpoint = self.checkpoints.record(state)
        self.metrics.record_checkpoint(checkpoint.phase, block.tokens)


def _checkpoints(messages: Sequence[Message]) -> Iterator[Block]:
    for message in messages:
        for block in message.blocks:
            if block.action == "checkpoint":
                yield block
