"""From what a command line says to what a compression is to be. Every mistake is told before
anything is read.
"""

from __future__ import annotations

from director_ctx.base.errors import DctxError, UsageProblem
from director_ctx.base.record import Record
from director_ctx.context.tokens.counting import choose_counter, whole
from director_ctx.history.compress.configured import settled
from director_ctx.history.strategies.config import ContextConfig, checked, config_from, setting
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
    if values["target_tokens"] is not None and values["ratio"] is not None:
        raise UsageProblem("--target-tokens and --ratio exclude each other.", "Give one of them.")
    given = settings(values["config"], values["set_"] or ())
    _one_strategy(values, values["strategy"] or given.get("strategy"), "--")
    if values["window"] is not None:
        given["window_size"] = whole(values["window"], "--window")
    patterns = tuple(values["keep"] or ())
    for pattern in patterns:
        compiled(pattern)
    count, counter = choose_counter(values["counter"])
    windowed = WINDOW if values["window"] is not None else None
    config = settled(given)
    target = (
        int(config.target_tokens) if "target_tokens" in given and values["ratio"] is None else None
    )
    if values["target_tokens"] is not None:
        target = whole(values["target_tokens"], "--target-tokens")
    return Wish(
        config, count, counter.name, values["strategy"] or given.get("strategy") or windowed, target,
        None if values["ratio"] is None else share(values["ratio"]), patterns, values.get("from_"), values.get("to"),
        bool(values.get("strict")),
    )  # fmt: skip


def wish_for(options: Mapping[str, Any]) -> Wish:
    """The same for the library, whose values are numbers and a `ContextConfig`."""
    if unknown := sorted(set(options) - _LIBRARY):
        raise UsageProblem(
            f"compress() has no {unknown[0]}.", "It has: " + ", ".join(sorted(_LIBRARY)) + "."
        )
    if options.get("target_tokens") is not None and options.get("ratio") is not None:
        raise UsageProblem("target_tokens and ratio exclude each other.", "Give one of them.")
    _one_strategy(options, options.get("strategy"), "")
    config, window = options.get("config") or ContextConfig(), options.get("window")
    config = settled(checked(config) if window is None else checked(config, window_size=window))
    count, counter = choose_counter(options.get("counter"), count=options.get("count"))
    for pattern in (patterns := tuple(options.get("keep") or ())):
        compiled(pattern)
    return Wish(
        config, count, counter.name, options.get("strategy") or (None if window is None else WINDOW),
        options.get("target_tokens"), options.get("ratio"), patterns, options.get("from_"), options.get("to"),
        bool(options.get("strict")),
    )  # fmt: skip


def _one_strategy(values: Mapping[str, Any], strategy: str | None, flag: str) -> None:
    """A window and a target mean different ones, and neither would do what the other says."""
    if strategy is not None:
        known(strategy)
    if values.get("window") is None or strategy in _WINDOWED:
        return
    hint = f"Leave {flag}window out, or say {flag}strategy sliding_window."
    if strategy:
        raise UsageProblem(
            f"{flag}window is of sliding_window; {strategy} does not look at it.", hint
        )
    if target := next(
        (name for name in ("target_tokens", "ratio") if values.get(name) is not None), ""
    ):
        said = f"{flag}{target.replace('_', '-') if flag else target}"
        raise UsageProblem(
            f"{flag}window is of sliding_window, and {said} takes hybrid, which keeps as many of the newest as fit.",
            hint,
        )


_WINDOWED = (WINDOW, "auto")
"""Strategies that a window says something to: auto may choose the sliding one."""
_LIBRARY = frozenset(
    "strategy target_tokens ratio window keep config from_ to strict counter count".split()
)


def settings(path: str | None, flags: Sequence[str]) -> dict[str, Any]:
    """The values of a YAML file, and those of flags on top of them."""
    found: dict[str, Any] = {}
    if path is not None:
        loaded = _loaded(path)
        config_from(loaded, path)
        found.update(loaded or {})
    found.update(setting(flag) for flag in flags)
    return found


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
        found = float(said[:-1]) / 100 if said.endswith("%") else float(said)
    except ValueError:
        found = 0.0
    if not 0 < found <= 1:
        meant = (
            f"Did you mean {said}%?"
            if 1 < found <= 100
            else "Say 0.2 or 20%, and at most all of it."
        )
        raise UsageProblem(f"--ratio {text}: that is no share.", meant)
    return found
