"""The result: the text as printed, and the account of how it came to be."""

from __future__ import annotations

from director_ctx.base.hashing import text_digest
from director_ctx.base.record import Record, as_dict
from director_ctx.context.ladder import LADDER
from director_ctx.context.layouts import messages, stable_prefix
from director_ctx.context.settings.budget import FILE_LIMIT, OVER, Budget, Counter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from director_ctx.context.fit import Fitting
    from director_ctx.context.layouts import PrintedBlock
    from director_ctx.context.sections import Lack, Omission, Reduction
    from director_ctx.context.settings.targets import Target


class Printed(Record):
    """One section of the printed text."""

    tag: str
    text: str
    tokens: int
    sources: tuple[str, ...]
    protected: bool
    stale: tuple[str, ...] = ()
    """Those of the sources that may be out of date."""

    @property
    def sha256(self) -> str:
        return text_digest(self.text)


class Assembly(Record):
    """A context, ready for an agent."""

    agent: str
    text: str
    sections: tuple[Printed, ...]
    budget: Budget
    counter: Counter
    task: dict[str, Any] | None = None
    reductions: tuple[Reduction, ...] = ()
    omissions: tuple[Omission, ...] = ()
    lacks: tuple[Lack, ...] = ()
    """What the agent needs and does not have; the warnings say it, too."""
    warnings: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    """Which notes were chosen by the kind of task, and by which of its words."""
    stable_prefix_tokens: int = 0
    stable_prefix_chars: int = 0
    whole: int = 0
    """Tokens of all of it, before the ladder took anything."""
    too_large: tuple[Printed, ...] = ()
    """Sections within the budget that a limit to the text itself leaves no space for."""
    recorded: bool = True
    """Whether the project wants its contexts on record."""

    @property
    def over_budget(self) -> bool:
        return self.budget.status == OVER

    @property
    def tokens_by_tag(self) -> dict[str, int]:
        return {section.tag: section.tokens for section in self.sections}

    def as_messages(self) -> list[dict[str, str]]:
        """The rows of `--format messages`."""
        return messages([(section.tag, section.text) for section in self.sections])

    def as_json(self) -> dict[str, Any]:
        """The shape of `--format json`."""
        return {
            "agent": self.agent,
            "task": self.task,
            "text": self.text,
            "sections": [_section_json(section) for section in self.sections],
            "reductions": [as_dict(reduction) for reduction in self.reductions],
            "omissions": [as_dict(omission) for omission in self.omissions],
            "warnings": list(self.warnings),
            "budget": budget_json(self.budget),
            "counter": as_dict(self.counter),
            "stable_prefix_tokens": self.stable_prefix_tokens,
        }

    def account_json(self) -> dict[str, Any]:
        """The same without the text and with targets, as `dctx budget --json` gives it."""
        # Those who print contexts do without.
        from director_ctx.context.settings.targets import (
            above_target,
            target_of,
            target_of_whole,
        )

        whole = self.as_json()
        del whole["text"]
        tokens = self.tokens_by_tag
        above = above_target(tokens, self.budget.window)
        for row in whole["sections"]:
            row["target_percent"] = _target_json(target_of(row["tag"]))
            row["above_target"] = row["tag"] in above
        whole["target_percent"] = _target_json(target_of_whole(tokens))
        return whole


def budget_json(budget: Budget) -> dict[str, Any]:
    """A window that nobody chose, such as one of `--what-if`, comes from nowhere."""
    window: dict[str, Any] = {"window": budget.window}
    if budget.window_from:
        window["window_from"] = budget.window_from
    return {
        **window,
        "limit": budget.limit,
        "used": budget.used,
        "percent": budget.percent,
        "status": budget.status,
    }


def _target_json(target: Target | None) -> list[int] | None:
    """From and to, in percent of the window."""
    if target is None:
        return None
    return [target.usual, target.most]


def _section_json(section: Printed) -> dict[str, Any]:
    row = {
        "tag": section.tag,
        "tokens": section.tokens,
        "chars": len(section.text),
        "sources": list(section.sources),
        "protected": section.protected,
        "sha256": section.sha256,
    }
    if section.stale:
        row["stale"] = list(section.stale)
    return row


def account(fitting: Fitting, count: Callable[[str], int]) -> dict[str, Any]:
    """The part of an assembly that follows from how the text was fitted."""
    # What a provider's cache can take over from one context to the next.
    prefix = stable_prefix(fitting.blocks)
    return {
        "text": fitting.text,
        "sections": printed(fitting.blocks, count),
        "reductions": fitting.reductions,
        "stable_prefix_tokens": count(prefix),
        "stable_prefix_chars": len(prefix),
    }


def printed(blocks: Sequence[PrintedBlock], count: Callable[[str], int]) -> tuple[Printed, ...]:
    sections = []
    for block in blocks:
        section = block.section
        one = Printed(
            tag=section.tag,
            text=block.text,
            tokens=count(block.text),
            sources=section.sources,
            protected=section.protected,
            stale=section.stale,
        )
        sections.append(one)
    return tuple(sections)


RUNG_TITLES = {rung.name: rung.says for rung in LADDER}
# Files are cut before the ladder begins, and are told of like its rungs.
RUNG_TITLES["file-limit"] = f"one file over {FILE_LIMIT:,} tokens: cut at a heading"

_GROUPS = {rung.name: rung.group for rung in LADDER}


def last_rungs(rungs: Sequence[str]) -> list[str]:
    """In words, the lowest rung that each group of sections came to."""
    lowest: dict[str, str] = {}
    for rung in rungs:
        group = _GROUPS.get(rung, rung)
        lowest[group] = RUNG_TITLES[rung]
    return list(lowest.values())


def reduced_line(reductions: Sequence[Reduction], budget: Budget) -> str:
    """One line that says what was shortened."""
    rungs = [reduction.rung for reduction in reductions]
    said = "; ".join(last_rungs(rungs))
    return f"reduced to {budget.used:,} of {budget.limit:,} tokens ({said})"
