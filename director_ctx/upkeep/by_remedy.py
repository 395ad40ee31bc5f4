"""What is wrong, sorted by what to do about it, so that nobody reads the same sentence twelve times."""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.base.text import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from director_ctx.upkeep.doctor import Finding
    from director_ctx.upkeep.suspicions import Suspicion


class Complaint(Record):
    """One sentence, and every place that it is true of."""

    says: str
    places: tuple[str, ...]


class Remedy(Record):
    """Something to do, and what it is good for."""

    advice: str
    complaints: tuple[Complaint, ...]


def by_remedy(findings: Sequence[Finding | Suspicion]) -> list[Remedy]:
    """In the order of the first place that each remedy is for."""
    by_advice: dict[str, dict[str, list[str]]] = {}
    for finding in findings:
        places = by_advice.setdefault(finding.advice, {}).setdefault(finding.says, [])
        places.append(place_of(finding))
    return [
        Remedy(advice, tuple(Complaint(says, tuple(places)) for says, places in complaints.items()))
        for advice, complaints in by_advice.items()
    ]


def place_of(finding: Finding | Suspicion) -> str:
    if not finding.line:
        return finding.path
    return f"{finding.path}:{finding.line}"


def remedies_json(findings: Sequence[Finding | Suspicion]) -> list[dict[str, Any]]:
    return [
        {
            "advice": plain(remedy.advice),
            "complaints": [
                {"says": plain(complaint.says), "places": list(complaint.places)}
                for complaint in remedy.complaints
            ],
        }
        for remedy in by_remedy(findings)
    ]
