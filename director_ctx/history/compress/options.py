"""From what a command line or a program says to what a compression is to be. Every mistake is told
before anything is read.
"""

from __future__ import annotations

from director_ctx.base.errors import UsageProblem
from director_ctx.base.record import Record
from director_ctx.context.tokens.counting import choose_counter, whole
from director_ctx.history.compress.configured import settled
from director_ctx.history.compress.progress import nobody
from director_ctx.history.compress.project_here import ProjectHere
from director_ctx.history.strategies.config import (
    DEFAULT_SHARE,
    SUMMARY,
    ContextConfig,
    checked,
    setting,
    share_of,
)
from director_ctx.history.strategies.keep import compiled
from director_ctx.history.strategies.shrink import known

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from director_ctx.history.compress.progress import Tell
    from director_ctx.history.messages.message import Count
    from director_ctx.history.messages.target import WriteSummary


HYBRID, WINDOW = "hybrid", "sliding_window"


class Wish(Record):
    """What a compression is to be."""

    config: ContextConfig
    count: Count
    counter: str = "chars/4"
    strategy: str | None = None
    target: int | None = None
    ratio: float | None = None
    keep: tuple[str, ...] = ()
    format: str | None = None
    to: str | None = None
    strict: bool = False
    is_open: bool = False
    """Whether neither a size nor a strategy was named."""
    tell: Tell = nobody
    """Hears what is done already."""


def strategy_of(wish: Wish) -> str:
    """The strategy that was named; else the one that works to a target, if there is one."""
    if wish.strategy:
        return wish.strategy
    has_target = wish.target is not None or wish.ratio is not None
    return HYBRID if has_target else wish.config.strategy


def with_default(wish: Wish) -> Wish:
    """The wish with the usual size, where whoever asks named neither a size nor a strategy."""
    return wish.replace(ratio=DEFAULT_SHARE) if takes_default(wish) else wish


def takes_default(wish: Wish) -> bool:
    return wish.is_open and wish.config.enabled


def wish_of(
    values: Mapping[str, Any],
    here: ProjectHere | None = None,
    window: int = 0,
) -> Wish:
    """What `dctx compress` and `dctx history proxy` are told about shortening: options with their texts.
    `window` is that of the model that is asked, where somebody knows it.
    """
    _one_target(values, "--target-tokens", "--ratio")
    own_settings = settings(values["set_"] or ())
    strategy = values["strategy"] or own_settings.get("strategy")
    if strategy is not None:
        known(strategy)
    if values.get("using") is not None:
        own_settings["using"] = values["using"]
    if "using" in own_settings:
        # Naming who writes the summary names the strategy.
        strategy = _summary_only(strategy)
    patterns = _patterns(values)
    count, counter = choose_counter(values["counter"])
    config = settled(own_settings, here or ProjectHere(values["root"]), window)

    ratio = None
    target: int | None = None
    if values["target_tokens"] is not None:
        target = whole(values["target_tokens"], "--target-tokens")
    elif values.get("ratio") is not None:
        ratio = share(values["ratio"])
    elif "target_tokens" in own_settings:
        target = int(config.target_tokens)

    has_size = target is not None or ratio is not None
    names_window = "window_size" in own_settings
    is_open = not (has_size or strategy or names_window)
    return Wish(
        config=config,
        count=count,
        counter=counter.name,
        strategy=strategy,
        target=target,
        ratio=ratio,
        keep=patterns,
        format=values.get("from_"),
        to=values.get("to"),
        is_open=is_open,
    )


def wish_for(options: Mapping[str, Any], here: ProjectHere) -> Wish:
    """The same for the library, whose values are numbers and a `ContextConfig`."""
    unknown = sorted(set(options) - _LIBRARY)
    if unknown:
        names = ", ".join(sorted(_LIBRARY))
        raise UsageProblem(f"compress() has no {unknown[0]}.", f"It has: {names}.")
    _one_target(options, "target_tokens", "ratio")
    strategy = options.get("strategy")
    _one_strategy(options, strategy)

    changes: dict[str, Any] = {}
    if options.get("window") is not None:
        changes["window_size"] = options["window"]
        strategy = strategy or WINDOW
    config = checked(options.get("config") or ContextConfig(), **changes)
    config = settled(config, here)
    count, counter = choose_counter(options.get("counter"), count=options.get("count"))
    patterns = _patterns(options)

    # A configuration always names a strategy, be it that of its defaults.
    deciding = (strategy, options.get("config"), options.get("target_tokens"), options.get("ratio"))
    is_open = all(value is None for value in deciding)
    return Wish(
        config=config,
        count=count,
        counter=counter.name,
        strategy=strategy or None,
        target=options.get("target_tokens"),
        ratio=options.get("ratio"),
        keep=patterns,
        format=options.get("from_"),
        to=options.get("to"),
        strict=bool(options.get("strict")),
        is_open=is_open,
    )


def _summary_only(strategy: str | None) -> str:
    if strategy in (None, SUMMARY):
        return SUMMARY
    raise UsageProblem(
        f"--using is of summary; {strategy} asks nobody.",
        "Leave --using out, or say --strategy summary.",
    )


def _patterns(values: Mapping[str, Any]) -> tuple[str, ...]:
    """What is to be kept, once it is known that every pattern is one."""
    patterns = tuple(values.get("keep") or ())
    for pattern in patterns:
        compiled(pattern)
    return patterns


def _one_target(values: Mapping[str, Any], tokens: str, ratio: str) -> None:
    """Tokens or a share of them, by the names that whoever asks has for both."""
    if values.get("target_tokens") is None or values.get("ratio") is None:
        return
    raise UsageProblem(f"{tokens} and {ratio} exclude each other.", "Give one of them.")


def _one_strategy(values: Mapping[str, Any], strategy: str | None) -> None:
    """A window and a target mean different ones, and neither would do what the other says."""
    if strategy is not None:
        known(strategy)
    if values.get("window") is None or strategy in _WINDOWED:
        return
    window = "window is of sliding_window"
    hint = "Leave window out, or say strategy sliding_window."
    if strategy:
        raise UsageProblem(f"{window}; {strategy} does not look at it.", hint)
    for target in ("target_tokens", "ratio"):
        if values.get(target) is not None:
            takes = f"{target} takes hybrid, which keeps as many of the newest as fit."
            raise UsageProblem(f"{window}, and {takes}", hint)


_WINDOWED = (WINDOW, "auto")
"""Strategies that a window says something to: auto may choose the sliding one."""
_LIBRARY = frozenset(
    "strategy target_tokens ratio window keep config from_ to strict counter count".split()
)


def settings(flags: Sequence[str]) -> dict[str, Any]:
    """The values of `--set`."""
    return dict(map(setting, flags))


def share(text: str) -> float:
    """0.2 or 20%."""
    written = text.strip()
    try:
        number = share_of(written)
    except ValueError:
        number = 0.0
    if 0 < number <= 1:
        return number
    hint = "Say 0.2 or 20%, and at most all of it."
    if 1 < number <= 100:
        hint = f"Did you mean {written}%?"
    raise UsageProblem(f"--ratio {text}: that is not a share.", hint)


_WRITERS = "director_ctx.history.summaries.summarize"


def summary_writer(strategy: str, config: ContextConfig, count: Count) -> WriteSummary | None:
    """None for every other strategy."""
    if strategy != SUMMARY:
        return None
    # By its name, as strategies are: what writes summaries stands above this room, and is imported
    # only where somebody wants one.
    module = __import__(_WRITERS, fromlist=["writer_of"])
    writer: WriteSummary = module.writer_of(config.using, count)
    return writer
