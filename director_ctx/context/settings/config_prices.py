"""The prices of a project's `dctx.yaml`, or of a file of the same form."""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.context.settings.config_check import Checker
from director_ctx.context.settings.prices import Price

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

HIGHEST = 100_000
"""Dollars for a million tokens."""


def read_prices(check: Checker, value: object, path: str = "prices") -> Mapping[str, Price]:
    """By model. What is sent costs the same whether the cache keeps it or not, unless the row says
    otherwise.
    """
    prices = {}
    for model, row in check.mapping(path, value).items():
        own_path = model
        if path:
            own_path = f"{path}.{model}"
        prices[model] = _price(check, own_path, row)
    return prices


def _price(check: Checker, path: str, row: object) -> Price:
    given = check.mapping(path, row, Price._fields)
    numbers = {}
    for key, value in given.items():
        numbers[key] = _dollars(check, f"{path}.{key}", value)
    for key in ("input", "output"):
        if key not in given:
            check.wrong(f"{path}.{key}", "is missing")

    sent = numbers.get("input", 0.0)
    return Price(
        input=sent,
        cache_write=numbers.get("cache_write", sent),
        cache_read=numbers.get("cache_read", sent),
        output=numbers.get("output", 0.0),
    )


def _dollars(check: Checker, path: str, value: object) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not 0 <= value <= HIGHEST:  # type: ignore[operator]
        check.wrong(path, "must be dollars for a million tokens, such as 2.5")
        return 0.0
    return float(value)  # type: ignore[arg-type]


def prices_of(data: object, name: str) -> Mapping[str, Price]:
    """The whole of a file of prices; every mistake in it at once."""
    check = Checker()
    prices = read_prices(check, data, "")
    if check.mistakes:
        hint = "`dctx profiles --prices` shows prices in this form."
        raise DctxError(f"{name} has mistakes.", hint, tuple(check.mistakes))
    return prices
