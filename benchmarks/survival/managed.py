"""usage: python -m benchmarks.survival.managed

The strategies at their own ratio on runs in a browser, as a `ContextManager` applies them: what
stays, and the time.
"""

from __future__ import annotations

import json
import time
from statistics import mean, median
from typing import TYPE_CHECKING

from benchmarks.survival.judge import LOST
from benchmarks.survival.shop import shopping
from benchmarks.survival.trial import Case, attempt, cases
from director_ctx import ContextConfig, ContextManager
from director_ctx.history.agents.manager import COMPRESSED_AFTER
from director_ctx.history.messages.target import Aim
from director_ctx.history.strategies.shrink import shrink

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.survival.methods import Method
    from director_ctx.history.messages.message import Message

STRATEGIES = ("compression", "sliding_window", "checkpoint", "pruning", "clear", "auto")
STEP = 1.0
"""Seconds that one step of an agent takes at the very least: a model's answer and what a browser
does.
"""


def main() -> None:
    found = [case for run in shopping() for case in cases(run)]
    print(
        f"{len(found)} cuts of {len({case.run.name for case in found})} runs in a browser; tokens are characters / 4"
    )
    print(
        f"{'strategy':28}{'tokens left':>12}{'retained':>10}{'lost':>7}{'ms a step':>11}{'of a run':>10}"
    )
    for name in STRATEGIES:
        for level in ("none", "medium") if name in COMPRESSED_AFTER else ("medium",):
            print(_row(name, level, found))


def _row(name: str, level: str, found: Sequence[Case]) -> str:
    trials = [attempt(case, name, _method(name, level)) for case in found]
    verdicts = [verdict for trial in trials for _, verdict in trial.verdicts]
    lost = sum(verdict == LOST for verdict in verdicts) / len(verdicts)
    kept = mean(share for trial in trials if (share := trial.share("retained")) is not None)
    step = median(_step(case, name, level) for case in found)
    said = f"{name} + compression" if name in COMPRESSED_AFTER and level != "none" else name
    left = mean(trial.reached for trial in trials)
    return (
        f"{said:28}{left:>12.0%}{kept:>10.1%}{lost:>7.1%}{step * 1000:>11.1f}{step / STEP:>10.2%}"
    )


def _method(name: str, level: str) -> Method:
    config = ContextConfig(strategy=name, compression_level=level)

    def shorter(messages: Sequence[Message], target: int) -> list[Message]:
        aim = Aim(lambda text: -(-len(text) // 4), config)
        made = shrink(messages, name, aim)
        return (
            shrink(made, "compression", aim)
            if name in COMPRESSED_AFTER and level != "none"
            else made
        )

    return shorter


def _step(case: Case, name: str, level: str) -> float:
    """Seconds that one call of the manager takes, everything in it: reading, shortening, writing;
    not the archive.
    """
    messages = json.loads(json.dumps(case.conversation.frame))
    manager = ContextManager(
        ContextConfig(strategy=name, compression_level=level, when="always"), archive=False
    )
    start = time.perf_counter()
    manager.process_messages(messages if isinstance(messages, list) else messages["messages"])
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
