"""What was cut from a context, a sentence for each section."""

from __future__ import annotations

from director_ctx.context.assembly import RUNG_TITLES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    Json = dict[str, Any]


def cuts_by_section(cuts: Iterable[Json]) -> dict[str, str]:
    """By its tag, how far a section came down, with its tokens before the first cut and after the
    last one.
    """
    before: dict[str, int] = {}
    sentences: dict[str, str] = {}
    for cut in cuts:
        tag = cut["tag"]
        before.setdefault(tag, cut["before"])
        sentences[tag] = _sentence(cut, before[tag], cut["after"])
    return sentences


def stand_ins(cuts: Iterable[Json]) -> set[str]:
    """The tags of summaries that stand in the place of files."""
    rungs = [cut["rung"] for cut in cuts if cut["after"]]
    return {rung.replace("-", "_") for rung in rungs if rung.endswith("-summary")}


def _sentence(cut: Json, before: int, after: int) -> str:
    rung = str(cut["rung"])
    says = RUNG_TITLES.get(rung, rung).replace(": ", " ", 1)
    return f"{says}: {before:,} \N{RIGHTWARDS ARROW} {after:,} tokens."


def sections_gone(cuts: Iterable[Json], sections: Iterable[Json]) -> list[Json]:
    """Those of which nothing is left, each with how it went."""
    left = {section["tag"] for section in sections}
    gone = []
    for tag, says in cuts_by_section(cuts).items():
        if tag not in left:
            gone.append({"tag": tag, "cut": says})
    return gone
