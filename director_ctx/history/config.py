"""How contexts are managed, under the names and with the defaults of the design: a dataclass, as users expect one."""

from __future__ import annotations

from dataclasses import dataclass, field

STRATEGIES = ("sliding_window", "compression", "checkpoint", "pruning", "hybrid", "clear", "auto")
LEVELS = ("none", "low", "medium", "high")


@dataclass
class ContextConfig:
    """Configuration for context management."""

    enabled: bool = True
    strategy: str = "sliding_window"

    window_size: int = 15
    preserve_errors: bool = True
    preserve_screenshots: bool = True

    compression_level: str = "medium"
    truncate_snapshots: bool = True
    max_snapshot_depth: int = 3
    summarize_console: bool = True

    auto_checkpoint: bool = True
    checkpoint_phases: list[str] = field(default_factory=lambda: ["login", "cart", "checkout"])
    max_checkpoint_size: int = 500

    importance_threshold: float = 0.3
    merge_similar: bool = True
    keep_error_context: int = 5
