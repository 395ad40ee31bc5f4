"""How contexts are managed, under the names and with the defaults of the design: a dataclass, as
users expect one; and how one is made of what users say: mappings, `NAME=VALUE`, objects made by hand.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from director_ctx.base.errors import UsageProblem
from director_ctx.context.settings.budget import URGENT, WARN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


STRATEGIES = ("sliding_window", "compression", "checkpoint", "pruning", "hybrid", "clear", "auto")
SUMMARY = "summary"
"""The one strategy by which somebody else writes what stands for the others; never chosen by itself."""
LEVELS = ("none", "low", "medium", "high")
DETECTIONS = ("structural", "substring")
WHEN = ("auto", "always", "limit")
RETRIEVALS = ("auto", "command", "tool", "mcp", "none")
TARGET = 20_000
DEFAULT_SHARE = 0.5
"""What stays of a conversation where neither a size nor a strategy is named: little enough to be worth
it, and of what an agent goes back to, nearly everything survives (docs/compressing.md).
"""
WEIGHTS = {
    "recent": 0.3,
    "error": 0.6,
    "state": 0.5,
    "user": 1.0,
    "edit": 0.3,
    "said": 0.15,
    "result": 0.1,
}


@dataclass
class ContextConfig:
    """Configuration for context management."""

    enabled: bool = True
    strategy: str = "sliding_window"
    when: str = "auto"
    """In front of a model: always, at the limit only, or auto: at the limit where the strategy
    works to a target.
    """
    model: str = ""
    """Its window is what shares of it are taken of; by a name of `dctx profiles --models`."""
    limit: int | float = URGENT
    """Tokens, or a share of the model's window, such as 0.9. So are the next two."""
    warn_at: int | float = 0
    """160,000 tokens if nothing is said, or less where the limit is lower."""
    target_tokens: int | float = 0
    """20,000 tokens if nothing is said, and at most half of the limit."""
    max_messages: int = 0
    """Above so many it cuts, however short they are; 0 is any number."""
    max_conversations: int = 256
    """So many go on as they were cut, those that were seen last."""

    retrieval: str = "auto"
    """How what was cut says that it can be had again: by the tool `dctx_original`, by the command
    `dctx restore`, by the tool of `dctx mcp`, or not at all. auto: by the tool where one is offered,
    else by the command, and not at all where originals are not kept.
    """

    window_size: int = 15
    preserve_errors: bool = True
    error_detection: str = "structural"
    """Or "substring": whatever has the word "error" in it, which keeps more than half of most
    coding runs.
    """
    preserve_keywords: list[str] = field(
        default_factory=lambda: ["logged in", "cart updated", "order completed"]
    )
    preserve_screenshots: bool = True

    compression_level: str = "medium"
    truncate_snapshots: bool = True
    max_snapshot_depth: int = 3
    snapshot_differences: bool = True
    summarize_console: bool = True
    max_result_chars: int = 1000
    max_agent_chars: int = 2000
    protect_newest: int = 2000
    """As many tokens of the newest results stay whole."""

    keep_results: int = 3
    clear_at_least: int = 0
    """Tokens; clearing that would free fewer is not worth a provider's cache."""
    exclude_tools: list[str] = field(default_factory=list)
    """Tools whose results are never cleared."""

    auto_checkpoint: bool = True
    checkpoint_phases: list[str] = field(default_factory=lambda: ["login", "cart", "checkout"])
    max_checkpoint_size: int = 500
    phase_turns: int = 5
    """A phase that was not named has at least so many turns."""

    importance_threshold: float = 0.3
    importance_weights: dict[str, float] = field(default_factory=lambda: dict(WEIGHTS))
    merge_similar: bool = True
    keep_error_context: int = 5

    using: str = "extractive"
    """Who writes the summary of the strategy `summary`: extractive, a command, anthropic:MODEL or
    openai:MODEL.
    """

    def __post_init__(self) -> None:
        if isinstance(self.limit, float):
            return  # what follows from it is known with the model's window
        self.warn_at = self.warn_at or min(WARN, self.limit * 8 // 9 or 1)
        self.target_tokens = self.target_tokens or min(TARGET, self.limit // 2 or 1)


SHARES = ("limit", "warn_at", "target_tokens")
"""Settings that are tokens, or a share of the model's window."""
NOT_OF_A_CUT = ("enabled", "when", "model", "warn_at", "max_conversations")
"""Settings that change nothing in what a cut leaves."""
CHOICES = {
    "strategy": (*STRATEGIES, SUMMARY),
    "compression_level": LEVELS,
    "error_detection": DETECTIONS,
    "when": WHEN,
    "retrieval": RETRIEVALS,
}


def cut_by(config: ContextConfig) -> str:
    """What a cut depends on; the same text for the same settings."""
    return repr([item for item in vars(config).items() if item[0] not in NOT_OF_A_CUT])


def without_archive(config: ContextConfig) -> ContextConfig:
    """The same where no originals are kept: then no way to them is named, unless one was asked for."""
    if config.retrieval != "auto":
        return config
    return replace(config, retrieval="none")


def has_shares(config: ContextConfig) -> bool:
    return any(isinstance(getattr(config, name), float) for name in SHARES)


_KINDS = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a word",
    list: "a list of texts",
    dict: "numbers by name",
}
_TOKENS_OR_SHARE = "a whole number, or a share of the model's window such as 0.9"
_WORDS = {
    "true": True,
    "yes": True,
    "on": True,
    "1": True,
    "false": False,
    "no": False,
    "off": False,
    "0": False,
}
_OPTIONS = ("keep", "ratio", "counter", "from", "to")
"""What is said beside the settings."""
_LONGEST_SHOWN = 60
"""Characters of a value in an error."""
_LEAST = {
    "window_size": 1,
    "limit": 1,
    "warn_at": 1,
    "target_tokens": 1,
    "phase_turns": 1,
    "max_checkpoint_size": 50,
    "max_conversations": 1,
}


def config_from(values: object, where: str = "The settings") -> ContextConfig:
    """The configuration that a mapping describes; every mistake in it is told at once."""
    if values is None:
        return ContextConfig()
    if not isinstance(values, dict):
        raise UsageProblem(
            f"{where} are no mapping.", "Write a name, a colon and a value on each line."
        )
    config = ContextConfig()
    problems = list(filter(None, (_problem(config, *item) for item in values.items())))
    if not problems:
        fields = {name: _field_value(config, name, value) for name, value in values.items()}
        config = ContextConfig(**fields)
        problems = _problems_together(config)
    if problems:
        raise UsageProblem(
            f"{where} cannot be used", "The names are those of ContextConfig.", each=tuple(problems)
        )
    return config


def checked(config: ContextConfig, **changes: Any) -> ContextConfig:
    """A configuration that was made by hand, once it is known to make sense."""
    # Numbers of 0 that follow from others are left out, so that they follow anew.
    values = {name: value for name, value in vars(config).items() if value or name not in SHARES}
    return config_from({**values, **changes}, "The configuration")


def in_tokens(config: ContextConfig, window: int) -> ContextConfig:
    """The same, with shares of a window as tokens."""
    tokens: dict[str, int] = {}
    for name in SHARES:
        share = getattr(config, name)
        if isinstance(share, float):
            tokens[name] = max(1, int(share * window))
    return checked(config, **tokens)


def setting(text: str) -> tuple[str, Any]:
    """`NAME=VALUE`, read as the kind of value that the name has."""
    said_name, equals, written = text.partition("=")
    name = said_name.strip().replace("-", "_")
    written = written.strip()
    default = ContextConfig()
    if not equals:
        raise UsageProblem(
            f"{text!r} is no setting.", "Write NAME=VALUE, such as compression_level=high."
        )
    if name not in vars(default):
        raise UsageProblem(_unknown(name) + ".", "The names are those of ContextConfig.")

    value: Any = _share(written) if name in SHARES else None
    if value is None:
        value = _read(type(getattr(default, name)), written)
    # What could not be read is named as it was written.
    problem = _problem(default, name, written if value is None else value)
    if problem:
        raise UsageProblem(f"{problem}.", "Write NAME=VALUE, such as compression_level=high.")
    return name, value


def _share(value: str) -> float | None:
    """0.9 or 90%; None if it is no share."""
    try:
        share = share_of(value)
    except ValueError:
        return None
    # 1 is a token, 1.0 is all of them.
    if value.isdigit() or not 0 < share <= 1:
        return None
    return share


def share_of(text: str) -> float:
    """What 0.9 and 90% mean; a `ValueError` for what is no number."""
    if text.endswith("%"):
        return float(text[:-1]) / 100
    return float(text)


def _read(kind: type, value: str) -> Any:
    """The value of a flag; None if it is not of its kind."""
    if kind is bool:
        return _WORDS.get(value.lower())
    try:
        if kind in (int, float):
            return kind(value.replace("_", ""))
        parts = list(filter(None, map(str.strip, value.split(","))))
        if kind is dict:
            named = [part.partition("=") for part in parts]
            return {name.strip(): float(number) for name, _, number in named}
    except ValueError:
        return None
    return parts if kind is list else value


def _problem(default: ContextConfig, name: object, value: object) -> str:
    """What is wrong with one setting; empty if nothing is."""
    if not isinstance(name, str) or name not in vars(default):
        return _unknown(name)
    kind = type(getattr(default, name))
    has_to_be = _has_to_be(kind, name, value)
    if has_to_be:
        return f"{name} is {_shown(value)}; it has to be {has_to_be}"
    unknown = [key for key in value if key not in WEIGHTS] if isinstance(value, dict) else []
    if unknown:
        return f"{name} has no {_shown(unknown[0])}; there are {', '.join(WEIGHTS)}"
    return ""


def _has_to_be(kind: type, name: str, value: object) -> str:
    """What a value has to be, where it is something else."""
    if name in SHARES and isinstance(value, float):
        return "" if 0 < value <= 1 else _TOKENS_OR_SHARE
    if not _is_of_kind(kind, value):
        return _TOKENS_OR_SHARE if name in SHARES else _KINDS[kind]
    if name in CHOICES and value not in CHOICES[name]:
        return f"one of {', '.join(CHOICES[name])}"
    if isinstance(value, int | float) and kind is not bool:
        least = _LEAST.get(name, 0)
        if value < least:
            return f"at least {least}"
        if name == "importance_threshold" and not value <= 1:
            return "at most 1"
    return ""


def _is_of_kind(kind: type, value: object) -> bool:
    if kind is bool:
        return isinstance(value, bool)
    # For Python it is a number.
    if isinstance(value, bool):
        return False
    if kind is list:
        return isinstance(value, list) and all(isinstance(one, str) and one for one in value)
    if kind is dict:
        return isinstance(value, dict) and all(map(_is_number, value.values()))
    if kind is float:
        return _is_number(value)
    return isinstance(value, kind)


def _is_number(value: object) -> bool:
    """One that can be counted with; JSON and YAML have infinity and what is no number, too."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) < float("inf")


def _field_value(default: ContextConfig, name: str, value: Any) -> Any:
    """The value as the field has it: a copy where it can be changed, and weights that were not
    named.
    """
    if name == "importance_weights":
        return {**WEIGHTS, **value}
    kind = type(getattr(default, name))
    if kind in (list, float, str):
        return kind(value)
    return value


def _problems_together(config: ContextConfig) -> list[str]:
    """What is wrong with settings that are right one by one."""
    problems: list[str] = []
    limit = config.limit
    # Shares are compared once they are tokens.
    if config.warn_at > limit and not has_shares(config):
        problems.append(f"warn_at is {config.warn_at}; it has to be at most the limit, {limit}")
    if config.target_tokens >= limit and not has_shares(config):
        target = config.target_tokens
        problems.append(f"target_tokens is {target}; it has to be less than the limit, {limit}")
    return problems


def _unknown(name: object) -> str:
    from difflib import get_close_matches

    unknown = f"there is no {_shown(name)}"
    if name in _OPTIONS:
        return f"{unknown}; --{name} says it"
    near = get_close_matches(str(name), vars(ContextConfig()), 1)
    if near:
        return f"{unknown}; did you mean {near[0]}?"
    return unknown


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 3] + "..."
