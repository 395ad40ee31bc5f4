"""Fits the estimate to a model whose tokenizer is not public, by how its reported input grew with
known text.
"""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

FEWEST = 30
"""Differences. By fewer, nothing is fitted."""
ROUNDS, TOLERANCE = 25, 0.05
"""Times that a fit is refined, and the relative error from which on a difference pulls no harder.
"""
HELD = 4
"""One conversation in so many is held out and only measured."""
_HINT = "Run `dctx tokens calibrate`, which reads your own Claude Code transcripts."
_DATE = 8


class Difference(Record):
    """Between two requests of one conversation: how the input grew, and what is known of the text
    that was added.
    """

    family: str
    conversation: str
    tokens: int
    estimate: int
    blocks: int


class Fit(Record):
    """What a model makes of the estimate: tokens = scale * estimate + overhead for each block of a
    message.
    """

    family: str
    scale: float
    overhead: float
    requests: int
    half: float
    """The share by which half of the held-out differences are off at most; then that of nine in
    ten.
    """
    most: float


def family(model: str) -> str:
    """A model's name without its provider, its date and the size of its window."""
    name = (
        model.strip()
        .casefold()
        .partition("[")[0]
        .partition("@")[0]
        .rpartition("/")[2]
        .rpartition("anthropic.")[2]
    )
    words = name.removesuffix("-latest").partition(":")[0].split("-")
    return "-".join(
        word for word in words if not (len(word) == _DATE and word.isdigit()) and word != "v1"
    )


def fit_all(differences: Sequence[Difference]) -> tuple[Fit, ...]:
    """A fit for each family with enough data, the one with most of it first."""
    by_family: dict[str, list[Difference]] = {}
    for one in differences:
        if one.tokens > 0 and one.estimate > 0:
            by_family.setdefault(one.family, []).append(one)
    enough = sorted((len(many), name) for name, many in by_family.items() if len(many) >= FEWEST)
    fits = (_fit(name, by_family[name]) for _, name in reversed(enough))
    return tuple(fit for fit in fits if _is_sane(fit))


def _fit(name: str, differences: Sequence[Difference]) -> Fit:
    """The weights are of all the data; the error is that of weights which never saw what they are
    judged by.
    """
    conversations = sorted({one.conversation for one in differences})
    kept_out = set(conversations[::HELD]) if len(conversations) >= HELD else set()
    held = [one for one in differences if one.conversation in kept_out] or list(differences[::HELD])
    rest = (
        [one for one in differences if one.conversation not in kept_out]
        if kept_out
        else _others(differences)
    )
    off = sorted(_errors(held, *weigh(rest)))
    return Fit(
        name, *weigh(differences), len(differences), off[len(off) // 2], off[len(off) * 9 // 10]
    )


def _others(differences: Sequence[Difference]) -> list[Difference]:
    return [one for place, one in enumerate(differences) if place % HELD]


def _errors(differences: Sequence[Difference], scale: float, overhead: float) -> list[float]:
    return [
        abs(scale * one.estimate + overhead * one.blocks - one.tokens) / one.tokens
        for one in differences
    ]


def weigh(differences: Sequence[Difference]) -> tuple[float, float]:
    """Scale and overhead: least relative squares, in which what is far off has little say."""
    ratios = sorted(one.tokens / one.estimate for one in differences)
    scale, overhead = ratios[len(ratios) // 2], 0.0
    for _ in range(ROUNDS):
        pull = [min(1, TOLERANCE / max(off, 1e-9)) for off in _errors(differences, scale, overhead)]
        scale, overhead = _least_squares(differences, pull)
    return scale, overhead


def _least_squares(differences: Sequence[Difference], pull: Sequence[float]) -> tuple[float, float]:
    """Two unknowns, neither below zero."""
    ee = eb = bb = e = b = 0.0
    for one, strength in zip(differences, pull, strict=True):
        text, block = one.estimate / one.tokens, one.blocks / one.tokens
        ee, eb, bb = (
            ee + strength * text * text,
            eb + strength * text * block,
            bb + strength * block * block,
        )
        e, b = e + strength * text, b + strength * block
    both = ee * bb - eb * eb
    if both > 1e-9 * ee * bb:
        scale, overhead = (e * bb - b * eb) / both, (b * ee - e * eb) / both
        if scale > 0 and overhead > 0:
            return scale, overhead
    return e / ee, 0.0


def choose_fit(fits: Sequence[Fit], model: str) -> Fit:
    """That of the model's family; of one with all the words of its name; of the one with most data."""
    if not fits:
        raise DctxError("There is no calibration yet.", _HINT)
    wanted = family(model)
    words = set(wanted.split("-"))
    alike = [one for one in fits if one.family == wanted] or [
        one for one in fits if words <= set(one.family.split("-"))
    ]
    return max(alike or fits, key=lambda one: one.requests)


def scaled(estimate: Callable[[str], int], fit: Fit) -> Callable[[str], int]:
    """The overhead belongs to messages, not to a text."""

    def calibrated(text: str) -> int:
        return int(-(-estimate(text) * fit.scale // 1))

    return calibrated


def band(fit: Fit, model: str = "") -> str:
    """In words, with what it was measured on."""
    measured = f"half within {_percent(fit.half)}, nine in ten within {_percent(fit.most)}"
    other = f"; nothing is known of {model}" if model and family(model) not in fit.family else ""
    return f"{measured}, on your own requests to {fit.family}{other}"


def _percent(share: float) -> str:
    return f"{share * 100:.1f}%" if share < 0.0995 else f"{share * 100:.0f}%"


def as_fits(data: Mapping[str, object]) -> tuple[Fit, ...]:
    """What was kept, as far as it can be meant."""
    kept = data.get("fits")
    found = [_as_fit(one) for one in kept] if isinstance(kept, list) else []
    return tuple(one for one in found if one is not None)


def _as_fit(data: object) -> Fit | None:
    if (
        not isinstance(data, dict)
        or set(data) != set(Fit._fields)
        or not isinstance(data["family"], str)
    ):
        return None
    if not all(isinstance(data[name], int | float) for name in Fit._fields[1:]):
        return None
    fit = Fit(**data)
    return fit if _is_sane(fit) else None


def _is_sane(fit: Fit) -> bool:
    """Whether numbers are such as texts and models can have made them."""
    numbers = [getattr(fit, name) for name in Fit._fields[1:]]
    return all(0 <= one < 1e9 for one in numbers) and 0.05 < fit.scale < 20
