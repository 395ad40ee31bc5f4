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
ROUNDS = 25
TOLERANCE = 0.05
"""Times that a fit is refined, and the relative error from which on a difference pulls no harder.
"""
HELD = 4
"""One conversation in so many is held out and only measured."""
_HINT = "Run `dctx tokens calibrate`, which reads your own Claude Code transcripts."
_DATE = 8


class InputGrowth(Record):
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


_NUMBERS = ("scale", "overhead", "requests", "half", "most")


def family(model: str) -> str:
    """A model's name without its provider, its date and the size of its window."""
    # `us.anthropic.claude-sonnet-4-20250514-v1:0`, `claude-opus-4-5[1m]`, `claude-sonnet-4@20250514`.
    name = model.strip().casefold()
    for ending in ("[", "@"):
        name, _, _ = name.partition(ending)
    for provider in ("/", "anthropic."):
        _, _, name = name.rpartition(provider)
    name = name.removesuffix("-latest")
    name, _, _ = name.partition(":")

    words = []
    for word in name.split("-"):
        is_date = len(word) == _DATE and word.isdigit()
        if not is_date and word != "v1":
            words.append(word)
    return "-".join(words)


def fit_all(differences: Sequence[InputGrowth]) -> tuple[Fit, ...]:
    """A fit for each family with enough data, the one with most of it first."""
    by_family: dict[str, list[InputGrowth]] = {}
    for difference in differences:
        if difference.tokens > 0 and difference.estimate > 0:
            by_family.setdefault(difference.family, []).append(difference)

    def size_and_name(name: str) -> tuple[int, str]:
        return len(by_family[name]), name

    fits: list[Fit] = []
    for name in sorted(by_family, key=size_and_name, reverse=True):
        known = by_family[name]
        if len(known) < FEWEST:
            break
        fit = _fit(name, known)
        if _is_sane(fit):
            fits.append(fit)
    return tuple(fits)


def _fit(name: str, differences: Sequence[InputGrowth]) -> Fit:
    """The weights are of all the data; the error is that of weights which never saw what they are
    judged by.
    """
    fitted, held_out = _divided(differences)
    scale, overhead = weigh(fitted)
    errors = sorted(_errors(held_out, scale, overhead))

    scale, overhead = weigh(differences)
    return Fit(
        family=name,
        scale=scale,
        overhead=overhead,
        requests=len(differences),
        half=errors[len(errors) // 2],
        most=errors[len(errors) * 9 // 10],
    )


def _divided(
    differences: Sequence[InputGrowth],
) -> tuple[list[InputGrowth], list[InputGrowth]]:
    """What is fitted, and what is held out: whole conversations, if there are enough of them."""
    conversations = sorted({difference.conversation for difference in differences})
    chosen = set(conversations[::HELD])

    fitted: list[InputGrowth] = []
    held_out: list[InputGrowth] = []
    for index, difference in enumerate(differences):
        is_held_out = index % HELD == 0
        # Neighbours in one conversation are alike, so a part of it would tell of the rest.
        if len(conversations) >= HELD:
            is_held_out = difference.conversation in chosen
        if is_held_out:
            held_out.append(difference)
        else:
            fitted.append(difference)
    return fitted, held_out


def _errors(
    differences: Sequence[InputGrowth],
    scale: float,
    overhead: float,
) -> list[float]:
    """By what share of the tokens each is off."""
    errors: list[float] = []
    for difference in differences:
        tokens = scale * difference.estimate + overhead * difference.blocks
        off = abs(tokens - difference.tokens)
        errors.append(off / difference.tokens)
    return errors


def weigh(differences: Sequence[InputGrowth]) -> tuple[float, float]:
    """Scale and overhead: least relative squares, in which what is far off has little say."""
    ratios = [difference.tokens / difference.estimate for difference in differences]
    ratios.sort()
    # It begins with the median, which nothing that is far off can move.
    scale = ratios[len(ratios) // 2]
    overhead = 0.0
    for _ in range(ROUNDS):
        pull: list[float] = []
        for error in _errors(differences, scale, overhead):
            strength = TOLERANCE / max(error, 1e-9)
            pull.append(min(1, strength))
        scale, overhead = _least_squares(differences, pull)
    return scale, overhead


def _least_squares(
    differences: Sequence[InputGrowth], pull: Sequence[float]
) -> tuple[float, float]:
    """Two unknowns, neither below zero."""
    # Sums over all differences: `ee` of estimate * estimate, `eb` of estimate * blocks and so on.
    ee = eb = bb = e = b = 0.0
    for difference, strength in zip(differences, pull, strict=True):
        text = difference.estimate / difference.tokens
        block = difference.blocks / difference.tokens
        ee += strength * text * text
        eb += strength * text * block
        bb += strength * block * block
        e += strength * text
        b += strength * block

    determinant = ee * bb - eb * eb
    is_solvable = determinant > 1e-9 * ee * bb
    if is_solvable:
        scale = (e * bb - b * eb) / determinant
        overhead = (b * ee - e * eb) / determinant
        if scale > 0 and overhead > 0:
            return scale, overhead

    # The scale alone, where blocks grew just as the text did, or would cost less than nothing.
    return e / ee, 0.0


def choose_fit(fits: Sequence[Fit], model: str) -> Fit:
    """That of the model's family; of one with all the words of its name; of the one with most data."""
    if not fits:
        raise DctxError("There is no calibration yet.", _HINT)

    name = family(model)
    words = set(name.split("-"))
    alike = [fit for fit in fits if fit.family == name]
    if not alike:
        for fit in fits:
            if words.issubset(fit.family.split("-")):
                alike.append(fit)
    return max(alike or fits, key=lambda fit: fit.requests)


def scaled(estimate: Callable[[str], int], fit: Fit) -> Callable[[str], int]:
    """The overhead belongs to messages, not to a text."""

    def calibrated(text: str) -> int:
        tokens = estimate(text) * fit.scale
        # Rounded up, as every count is.
        return int(-(-tokens // 1))

    return calibrated


def band(fit: Fit, model: str = "") -> str:
    """In words, with what it was measured on."""
    half = _percent(fit.half)
    most = _percent(fit.most)
    said = f"half within {half}, nine in ten within {most}, on your own requests to {fit.family}"
    if model and family(model) not in fit.family:
        said += f"; nothing is known of {model}"
    return said


def _percent(share: float) -> str:
    percent = share * 100
    if share < 0.0995:
        return f"{percent:.1f}%"
    return f"{percent:.0f}%"


def as_fits(data: Mapping[str, object]) -> tuple[Fit, ...]:
    """What was kept, as far as it can be meant."""
    rows = data.get("fits")
    if not isinstance(rows, list):
        return ()
    fits: list[Fit] = []
    for row in rows:
        fit = _as_fit(row)
        if fit is not None:
            fits.append(fit)
    return tuple(fits)


def _as_fit(data: object) -> Fit | None:
    if not isinstance(data, dict) or set(data) != set(Fit._fields):
        return None
    if not isinstance(data["family"], str):
        return None
    for name in _NUMBERS:
        if not isinstance(data[name], int | float):
            return None

    fit = Fit(**data)
    if not _is_sane(fit):
        return None
    return fit


def _is_sane(fit: Fit) -> bool:
    """Whether numbers are such as texts and models can have made them."""
    for number in (fit.scale, fit.overhead, fit.requests, fit.half, fit.most):
        if not 0 <= number < 1e9:
            return False
    return 0.05 < fit.scale < 20
