"""Between an agent and its model: what came in, shorter; and what was cut, in the archive."""

from __future__ import annotations

from director_ctx.context.tokens.by_provider import as_counted, as_provider, factor_of
from director_ctx.context.tokens.counting import counter_of
from director_ctx.history.agents.components import (
    IntelligentPruner,
    MessageCompressor,
    SlidingWindow,
)
from director_ctx.history.agents.conversation_cuts import cut_of, names_of
from director_ctx.history.agents.metrics import CheckpointManager, ContextMetrics
from director_ctx.history.agents.model_window import WindowedSettings, windowed
from director_ctx.history.agents.originals import Keeping, RememberedCuts, log, receipt_of
from director_ctx.history.agents.program_messages import Processed, decoded
from director_ctx.history.compress.options import summary_writer
from director_ctx.history.messages.message import Conversation, Message, measure, size
from director_ctx.history.messages.target import Aim, room
from director_ctx.history.retrieve.tool import definition
from director_ctx.history.strategies.checkpoint import standing
from director_ctx.history.strategies.config import ContextConfig, cut_by
from director_ctx.history.strategies.keep import keeping
from director_ctx.history.strategies.limits import Limits, pays, protected_tokens, within
from director_ctx.history.strategies.shrink import DEEP, shrink
from director_ctx.history.strategies.summary import NoSummary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from director_ctx.history.agents.components import Options
    from director_ctx.history.agents.originals import NamedCut, Where
    from director_ctx.history.compress.receipt import Receipt
    from director_ctx.history.messages.message import Count

TO_A_TARGET = ("hybrid", "auto", "summary")
COMPRESSED_AFTER = ("sliding_window", "checkpoint", "pruning")
_OPENING = 4
"""Messages by which a conversation is told from others in which the same is cut."""
MOST_SEEN = 10_000
"""Cuts and checkpoints that are known to be counted already."""
ANSWERS = 8
"""So many of the newest are asked how their provider counts. The largest factor counts, so that a limit holds."""
TELLING = 0.25
"""How much a factor has to change before it is said again."""
RECENT = 20
"""Messages by which the size of the next one is judged."""
_CALM, _WARNED, _OVER = 0, 1, 2
"""Below what is warned of, above that, over the limit."""


class ContextManager:
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
        self._seen: dict[str, None] = {}
        """Cuts and checkpoints, in the order in which they came: each is counted once."""
        self._phase: str | None = None
        self._phase_begins = 0
        self._fullness = _CALM
        self.provider_factor = self._told_factor = 1.0
        """The provider's tokens for each of our counter, in the conversation that was seen last."""

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
        self.provider_factor = 1.0
        aim = self._aim(conversation, phase)
        after = list(before)
        if self.config.enabled:
            after = self._shortened(conversation, aim, beside)
        self.tokens = size(after)
        self.metrics.record_input_size(before)
        self.metrics.record_output_size(after)
        self._warn(before, aim, as_provider(self.tokens + beside, self.provider_factor))
        return after

    def _warn(self, messages: Sequence[Message], aim: Aim, total: int) -> None:
        """In the log, each time that a level is passed. `messages` came in; so many tokens go out, with what is beside
        them.
        """
        config = self.config
        before = self._fullness
        self._fullness = _WARNED if total >= config.warn_at else _CALM
        if total > config.limit:
            self._fullness = _OVER
        if self._fullness <= before:
            return
        # Where nothing is cut, nothing was tried to get below the limit.
        if self._fullness == _OVER and config.enabled:
            log().warning(
                "The context has %d tokens, over the limit of %d, and no strategy gets below it: "
                "%d tokens of the messages may not be touched.",
                total,
                config.limit,
                protected_tokens(messages, aim),
            )
        else:
            log().warning("The context has %d of %d tokens.", total, config.limit)

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

    def _shortened(self, conversation: Conversation, aim: Aim, beside: int) -> list[Message]:
        when = self.config.when
        if when == "limit" or (when == "auto" and self.config.strategy in TO_A_TARGET):
            return self._at_limit(conversation, aim, beside)
        messages = conversation.messages
        shorter = self._by_strategy(messages, aim, beside)
        return shorter if self._is_archived(conversation, shorter, aim) else list(messages)

    def _at_limit(
        self,
        conversation: Conversation,
        aim: Aim,
        beside: int,
    ) -> list[Message]:
        """As it was cut before, until the next message would pass the limit."""
        messages = conversation.messages
        # What a conversation is cut by: with other settings it is cut anew.
        names = names_of(
            messages,
            f"{conversation.format} {self.counter.name} {self._patterns} {cut_by(self.config)}",
        )
        name, cut = self._find_cut(names, messages, self._limits(beside))
        now = list(messages)
        since = 0
        if cut is not None:
            now = cut.continued(messages)
            measure(now, self.count)
            since = cut.length
        # Our counter is an estimate; answers say how their provider counts.
        self._learn(now, beside, since)
        limits = self._limits(beside)
        # As large as the next message may well be: as the largest of the newest ones.
        next_size = max((message.tokens for message in messages[-RECENT:]), default=0)
        if limits.with_room(next_size).hold(now):
            return now

        config = self.config
        taken = as_provider(beside, self.provider_factor)
        wanted = room(int(config.target_tokens), int(config.limit), taken)
        target = as_counted(wanted, self.provider_factor)
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

    def _learn(self, messages: Sequence[Message], beside: int, since: int) -> None:
        """How the provider counts, by what it said of its own answers: they are among these messages, which are as they
        go out, and were sent like that since the place `since` of the original.
        """
        factors: list[float] = []
        tokens = beside
        for message in messages:
            usage = getattr(message.raw, "usage_metadata", None)
            told = usage.get("input_tokens") if isinstance(usage, dict) else None
            # What an answer before a cut was made from is not what goes out now.
            if isinstance(told, int) and message.index >= since:
                factor = factor_of(told, tokens)
                factors += [] if factor is None else [factor]
            tokens += sum(block.tokens for block in message.blocks)
        self.provider_factor = max(factors[-ANSWERS:], default=1.0)
        if abs(self.provider_factor - self._told_factor) > TELLING * self._told_factor:
            self._told_factor = self.provider_factor
            log().info(
                "The provider counts %.2f tokens for each of %s.",
                self.provider_factor,
                self.counter.name,
            )

    def _is_worth_it(
        self,
        now: Sequence[Message],
        shorter: Sequence[Message],
        limits: Limits,
        target: int,
    ) -> bool:
        """Whether a cut brings enough for what it costs: a provider's cache."""
        if not limits.count_holds(now) and limits.count_holds(shorter):
            return True
        return pays(size(now), size(shorter), limits.tokens, target)

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
        tokens = as_counted(int(self.config.limit), self.provider_factor) - beside
        return Limits(max(1, tokens), self.config.max_messages)

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
        if not self._is_first(cut):
            return True
        if not self._keeping.keep_originals(conversation, after, receipt):
            del self._seen[cut]  # so that it is tried again
            return False

        self.receipt = receipt
        self.metrics.record_compression(receipt.tokens_in, receipt.tokens_out, strategy)
        for message in after:
            for block in message.blocks:
                if block.action == "checkpoint" and self._is_first(opening + block.text):
                    checkpoint = self.checkpoints.record(standing(before, aim))
                    self.metrics.record_checkpoint(checkpoint.phase, block.tokens)
        return True

    def _is_first(self, name: str) -> bool:
        if name in self._seen:
            return False
        self._seen[name] = None
        if len(self._seen) > MOST_SEEN:
            del self._seen[next(iter(self._seen))]
        return True

    # What was cut, given back to an agent's model: a tool to offer it, and the answers to its calls

    def retrieval_tool(self, wire: str = "openai-chat") -> dict[str, Any]:
        """The tool by which a model gets back what was cut, as an API is told of it: `anthropic`,
        `openai-chat` or `openai-responses`.

        Offer it from the first request on. What is cut from now on names it, unless `retrieval` says
        otherwise.
        """
        self.offer_tool()
        return definition(wire)

    def offer_tool(self) -> bool:
        """Whether models are to have the tool; then what is cut names it, and can be had."""
        if self.config.retrieval == "auto":
            self.config.retrieval = "tool"
        if self.config.retrieval != "tool":
            return False
        self._keeping.hold()
        return True

    def retrieve(self, arguments: object) -> str:
        """What the tool answers to a call with these arguments: an object, or its JSON. What goes
        wrong is an answer, too.
        """
        return self._keeping.answer(arguments)

    async def aretrieve(self, arguments: object) -> str:
        """The same in a thread of its own, so that nothing else waits."""
        from asyncio import to_thread

        return await to_thread(self.retrieve, arguments)
