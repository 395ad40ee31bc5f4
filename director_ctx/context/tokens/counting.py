"""From a counter's name to the callable that counts and the value that says how far to trust it."""

from __future__ import annotations

from director_ctx.base.errors import UsageProblem
from director_ctx.context.settings.budget import (
    CHARS,
    COUNTERS,
    ENCODINGS,
    Counter,
    count_chars,
    find_model,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from director_ctx.context.settings.budget import Model
    from director_ctx.context.settings.request import Request, Settings

    Count = Callable[[str], int]


def settle_counter(
    counter: str | Counter | None,
    count: Count | None,
    request: Request,
    settings: Settings,
) -> tuple[Count, Counter]:
    """The one asked for, else that of `dctx.yaml`, else a token for every four characters."""
    if counter is None:
        counter = settings.counter
    return choose_counter(counter, request.model or settings.model, settings.models, count)


def choose_counter(
    counter: str | Counter | None,
    model: str | None = None,
    models: Mapping[str, Model] | None = None,
    count: Count | None = None,
) -> tuple[Count, Counter]:
    """By name; or a callable of one's own, with a `Counter` or a name to stand for it."""
    if isinstance(counter, str) and not counter.strip():
        raise UsageProblem("--counter is empty.", "Choose one of: " + ", ".join(COUNTERS))
    if count is not None:
        if not isinstance(counter, Counter):
            counter = Counter(counter or "a counter of your own")
        return count, counter

    name = counter or "chars/4"
    if isinstance(name, Counter):
        name = name.name
    name = name.strip().casefold()
    if name in ("chars/4", "chars"):
        return count_chars, CHARS
    if name == "estimate":
        return _estimate()
    if name in ENCODINGS:
        return _encoding(name, model, models)
    raise UsageProblem(f"There is no counter {name!r}.", "Choose one of: " + ", ".join(COUNTERS))


def counter_of(count: Count | str | None) -> tuple[Count, Counter]:
    """As a program says it: a callable of its own, or the name of a counter."""
    if callable(count):
        return choose_counter(None, count=count)
    return choose_counter(count)


def whole(text: str, option: str, example: str = "20000") -> int:
    """A number of tokens or messages, such as 20000, 20,000 or 20k."""
    digits = text.strip().casefold()
    for mark in ("_", ","):
        digits = digits.replace(mark, "")
    unit = 1
    if digits.endswith("k"):
        digits = digits.removesuffix("k")
        unit = 1000

    is_number = digits.isascii() and digits.isdigit() and len(digits) < 10
    if not is_number or int(digits) == 0:
        raise UsageProblem(
            f"{option} {text}: that is no number above 0.",
            f"Say how many, such as {example}.",
        )
    return int(digits) * unit


def _estimate() -> tuple[Count, Counter]:
    from director_ctx.context.tokens.estimate import BAND, estimate

    return estimate, Counter("estimate", band=BAND)


def _encoding(
    name: str,
    model: str | None,
    models: Mapping[str, Model] | None,
) -> tuple[Count, Counter]:
    from director_ctx.context.tokens.cache import counts

    def load() -> Count:
        from director_ctx.context.tokens.tokenizers import load

        return load(name)

    return counts(name, load), exactness(name, model, models)


def exactness(
    encoding: str,
    model: str | None,
    models: Mapping[str, Model] | None = None,
) -> Counter:
    """An encoding is exact for the models that use it, and for no other."""
    if not model:
        return Counter(encoding, True, f"exact for models that use {encoding}")

    uses = ""
    known = find_model(model, models)
    if known:
        uses = known.tokenizer.casefold()

    if uses == encoding:
        return Counter(encoding, True, f"exact for {model}")
    if uses in ENCODINGS:
        why = f"{model} uses {uses}"
    elif uses:
        why = f"{uses.capitalize()}'s tokenizer is not public"
    else:
        why = f"what {model} uses is not known"
    return Counter(encoding, False, f"exact for {encoding}; {why}")
