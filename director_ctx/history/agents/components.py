"""The parts of a context manager, each usable alone: one strategy, for messages of any kind."""

from __future__ import annotations

from enum import StrEnum

from director_ctx.base.record import Record, as_dict
from director_ctx.context.tokens.counting import counter_of
from director_ctx.history.agents.originals import Keeping, receipt_of
from director_ctx.history.agents.program_messages import Processed, decoded
from director_ctx.history.compress.configured import settled
from director_ctx.history.messages.message import measure
from director_ctx.history.messages.target import Aim
from director_ctx.history.strategies.config import WEIGHTS, ContextConfig, checked
from director_ctx.history.strategies.keep import keeping
from director_ctx.history.strategies.shrink import shrink

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, TypedDict, Unpack

    from director_ctx.history.agents.originals import Where
    from director_ctx.history.messages.message import Count

    class Options(TypedDict, total=False):
        """What every part can be told beside its own setting; as a manager takes it."""

        config: ContextConfig | None
        count: Count | str | None
        keep: Sequence[str]
        archive: Where


class CompressionLevel(StrEnum):
    """How much of a long message goes. Each is the same as its name in lower case."""

    NONE = "none"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class PruningRules(Record):
    """What is too unimportant to stay; under the names of `ContextConfig`."""

    importance_threshold: float = 0.3
    merge_similar: bool = True
    preserve_errors: bool = True
    keep_error_context: int = 5
    importance_weights: Mapping[str, float] = {}
    """Those that are not named are as they are."""


class _Component:
    """One strategy, with its settings. What it cuts is kept before it returns, as a manager keeps
    it.
    """

    strategy: str

    def __init__(self, own: Mapping[str, Any], options: Options) -> None:
        """`own` are settings that were named, which go before those of `config`."""
        named = {name: value for name, value in own.items() if value is not None}
        self.config = settled(checked(options.get("config") or ContextConfig(), **named))
        """A manager puts its own here, so that both read the same."""
        self.count, self._counter = counter_of(options.get("count"))
        self._patterns = tuple(options.get("keep", ()))
        self._keeping = Keeping(options.get("archive", True))

    def _shortened(self, messages: Any, target: int | None = None) -> Processed:
        """The messages that stay, as they came; all of them, where the originals cannot be kept."""
        if isinstance(messages, list) and not messages:
            return Processed()
        conversation, encode = decoded(messages)
        before = conversation.messages
        measure(before, self.count)

        aim = Aim(
            count=self.count,
            config=self._keeping.told(self.config),
            target=target,
            keep=keeping(before, self._patterns),
            native=conversation.native,
        )
        after = shrink(before, self.strategy, aim)
        receipt = receipt_of(conversation, after, self.strategy, self._counter.name)
        # Nothing goes out shorter before its original is kept.
        if receipt.cuts and not self._keeping.keep_originals(conversation, after, receipt):
            after = before
        return Processed(encode(conversation, after))

    def _set(self, **settings: Any) -> None:
        """In the configuration that this part shares with its manager, once it is known to make
        sense.
        """
        checked(self.config, **settings)
        # In place: a changed copy would be read by this part alone.
        for name, value in settings.items():
            setattr(self.config, name, value)


class SlidingWindow(_Component):
    """Maintains a sliding window of recent messages."""

    strategy = "sliding_window"

    def __init__(self, window_size: int | None = None, **options: Unpack[Options]) -> None:
        """15 messages, if nobody says otherwise; errors, changes of state and the first words stay
        as well.
        """
        super().__init__({"window_size": window_size}, options)

    @property
    def window_size(self) -> int:
        return self.config.window_size

    @window_size.setter
    def window_size(self, size: int) -> None:
        self._set(window_size=size)

    def apply(self, messages: Any) -> Processed:
        """Apply sliding window to message history."""
        return self._shortened(messages)


class MessageCompressor(_Component):
    """Compresses message content while preserving meaning."""

    strategy = "compression"

    def __init__(self, level: str | None = None, **options: Unpack[Options]) -> None:
        """`none`, `low`, `medium` or `high`, also as `CompressionLevel`."""
        super().__init__({"compression_level": level}, options)

    @property
    def level(self) -> str:
        return self.config.compression_level

    @level.setter
    def level(self, level: str) -> None:
        self._set(compression_level=str(level))

    def compress(self, messages: Any) -> Processed:
        """Compress messages based on compression level. The result can also be awaited."""
        return self._shortened(messages)


class IntelligentPruner(_Component):
    """Intelligently prunes messages based on importance."""

    strategy = "pruning"

    def __init__(self, rules: PruningRules | None = None, **options: Unpack[Options]) -> None:
        super().__init__(_settings_of(rules) if rules else {}, options)

    @property
    def rules(self) -> PruningRules:
        return PruningRules(*(getattr(self.config, name) for name in PruningRules._fields))

    @rules.setter
    def rules(self, rules: PruningRules) -> None:
        self._set(**_settings_of(rules))

    def prune(self, messages: Any, target_size: int | None = None) -> Processed:
        """What matters too little goes; with a `target_size` in tokens, whatever matters least."""
        return self._shortened(messages, target_size)


def _settings_of(rules: PruningRules) -> dict[str, Any]:
    return {**as_dict(rules), "importance_weights": {**WEIGHTS, **rules.importance_weights}}
