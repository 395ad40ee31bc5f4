"""How contexts are managed, under the names and with the defaults of the design: a dataclass, as
users expect one.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from director_ctx.context.settings.budget import URGENT, WARN

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
    settings: list[tuple[str, object]] = []
    for name, value in vars(config).items():
        if name not in NOT_OF_A_CUT:
            settings.append((name, value))
    return repr(settings)


def without_archive(config: ContextConfig) -> ContextConfig:
    """The same where no originals are kept: then no way to them is named, unless one was asked for."""
    if config.retrieval != "auto":
        return config
    return replace(config, retrieval="none")


def has_shares(config: ContextConfig) -> bool:
    return any(isinstance(getattr(config, name), float) for name in SHARES)
