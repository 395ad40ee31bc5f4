"""From what a command line says to what a compression is to be. Every mistake is told before
anything is read.
"""

from __future__ import annotations

from director_ctx.base.errors import DctxError, UsageProblem
from director_ctx.base.record import Record
from director_ctx.context.tokens.counting import choose_counter, whole
from director_ctx.history.compress.configured import settled
from director_ctx.history.strategies.config import ContextConfig
from director_ctx.history.strategies.config_values import checked, config_from, setting
from director_ctx.history.strategies.keep import compiled
from director_ctx.history.strategies.shrink import known

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from director_ctx.history.messages.message import Count


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


def wish_of(values: Mapping[str, Any]) -> Wish:
    """What `dctx compress` and `dctx proxy` are told about shortening."""
    target, ratio, window = values["target_tokens"], values["ratio"], values["window"]
    if target is not None and ratio is not None:
        raise UsageProblem("--target-tokens and --ratio exclude each other.", "Give one of them.")
    given = settings(values["config"], values["set_"] or ())
    strategy = values["strategy"] or given.get("strategy")
    _one_strategy(values, strategy, "--")
    if window is not None:
        given["window_size"] = whole(window, "--window")
        strategy = strategy or WINDOW
    patterns = tuple(values["keep"] or ())
    for pattern in patterns:
        compiled(pattern)
    count, counter = choose_counter(values["counter"])

    config = settled(given)
    tokens: int | None = None
    if target is not None:
        tokens = whole(target, "--target-tokens")
    elif ratio is None and "target_tokens" in given:
        tokens = int(config.target_tokens)
    return Wish(
        config,
        count,
        counter.name,
        strategy,
        tokens,
        None if ratio is None else share(ratio),
        patterns,
        values.get("from_"),
        values.get("to"),
        bool(values.get("strict")),
    )


def wish_for(options: Mapping[str, Any]) -> Wish:
    """The same for the library, whose values are numbers and a `ContextConfig`."""
    unknown = sorted(set(options) - _LIBRARY)
    if unknown:
        raise UsageProblem(
            f"compress() has no {unknown[0]}.", "It has: " + ", ".join(sorted(_LIBRARY)) + "."
        )
    target, ratio, window = map(options.get, ("target_tokens", "ratio", "window"))
    if target is not None and ratio is not None:
        raise UsageProblem("target_tokens and ratio exclude each other.", "Give one of them.")
    strategy = options.get("strategy")
    _one_strategy(options, strategy, "")

    config = options.get("config") or ContextConfig()
    changes: dict[str, Any] = {}
    if window is not None:
        changes["window_size"] = window
        strategy = strategy or WINDOW
    config = settled(checked(config, **changes))
    count, counter = choose_counter(options.get("counter"), count=options.get("count"))
    patterns = tuple(options.get("keep") or ())
    for pattern in patterns:
        compiled(pattern)
    return Wish(
        config,
        count,
        counter.name,
        strategy or None,
        target,
        ratio,
        patterns,
        options.get("from_"),
        options.get("to"),
        bool(options.get("strict")),
    )


def _one_strategy(values: Mapping[str, Any], strategy: str | None, flag: str) -> None:
    """A window and a target mean different ones, and neither would do what the other says."""
    if strategy is not None:
        known(strategy)
    if values.get("window") is None or strategy in _WINDOWED:
        return
    window = f"{flag}window is of sliding_window"
    hint = f"Leave {flag}window out, or say {flag}strategy sliding_window."
    if strategy:
        raise UsageProblem(f"{window}; {strategy} does not look at it.", hint)
    for target in ("target_tokens", "ratio"):
        if values.get(target) is None:
            continue
        name = target.replace("_", "-") if flag else target
        takes = f"{flag}{name} takes hybrid, which keeps as many of the newest as fit."
        raise UsageProblem(f"{window}, and {takes}", hint)


_WINDOWED = (WINDOW, "auto")
"""Strategies that a window says something to: auto may choose the sliding one."""
_LIBRARY = frozenset(
    "strategy target_tokens ratio window keep config from_ to strict counter count".split()
)


def settings(path: str | None, flags: Sequence[str]) -> dict[str, Any]:
    """The values of a YAML file, and those of flags on top of them."""
    values: dict[str, Any] = {}
    if path is not None:
        loaded = _loaded(path)
        config_from(loaded, path)
        values.update(loaded or {})
    values.update(setting(flag) for flag in flags)
    return values


def _loaded(path: str) -> Any:
    from director_ctx.base.system.yaml_file import parse_yaml
    from director_ctx.project.reading.locate import absolute

    try:
        with open(absolute(path), encoding="utf-8-sig") as file:
            return parse_yaml(file.read(), path)
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise DctxError(f"--config {path}: {why or error}.", "Name a YAML file.") from error


def share(text: str) -> float:
    """0.2 or 20%."""
    said = text.strip()
    try:
        number = float(said[:-1]) / 100 if said.endswith("%") else float(said)
    except ValueError:
        number = 0.0
    if 0 < number <= 1:
        return number
    hint = "Say 0.2 or 20%, and at most all of it."
    if 1 < number <= 100:
        hint = f"Did you mean {said}%?"
    raise UsageProblem(f"--ratio {text}: that is no share.", hint)
