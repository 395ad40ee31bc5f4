"""One form for the values of a row, whichever database it comes from, so that rows can be told to
be the same; pure.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Values = dict[str, object]

TEXT, NUMBER, TRUTH, MOMENT, DATA = "text", "number", "true or false", "time", "JSON"

LARGEST = 1.7976931348623157e308


def canonical(columns: Mapping[str, str], row: Sequence[object]) -> Values:
    """The row by names; SQLite knows 0 and 1 for true and false, and JSON has no word for infinity."""
    values: Values = {}
    for (name, kind), value in zip(columns.items(), row, strict=True):
        values[name] = _value(kind, value)
    return values


def _value(kind: str, value: object) -> object:
    if value is None:
        return None
    if kind == TRUTH:
        return bool(value)
    if isinstance(value, float) and not -LARGEST <= value <= LARGEST:
        return None
    return value


def same(columns: Mapping[str, str], one: Values, other: Values) -> bool:
    """Whether two rows hold the same; for JSON the order of keys and the blanks do not count."""
    for name, kind in columns.items():
        value = one[name]
        other_value = other[name]
        if value == other_value:
            continue
        if kind != DATA or not isinstance(value, str) or not isinstance(other_value, str):
            return False
        if settled(value) != settled(other_value):
            return False
    return True


def settled(text: str) -> str:
    """JSON in one form: PostgreSQL sorts keys and writes numbers out; what cannot be read is taken
    as it is.
    """
    # Whoever opens a file imports this module for the words above, and compares nothing.
    import json
    from decimal import Decimal

    try:
        # As decimals no digit is lost, and 1 is 1.0.
        data = json.loads(text, parse_float=Decimal, parse_int=Decimal)
        return json.dumps(data, sort_keys=True, separators=(",", ":"), default=_number)
    except (ValueError, RecursionError):
        return text


def _number(value: object) -> str:
    """A number apart from how it was written; never the same as a text."""
    from decimal import Decimal

    assert isinstance(value, Decimal)
    sign, digits, exponent = value.as_tuple()
    # All digits, but for zeros at either end, and how many zeros follow.
    written = "".join(map(str, digits)).lstrip("0")
    short = written.rstrip("0")
    place = int(exponent) + len(written) - len(short) if short else 0
    return f"\x00{'-' if sign and short else ''}{short or '0'}e{place}"


def weight(columns: Mapping[str, str], values: Values) -> int:
    """A number that stands for a row: sums of it are the same for the same rows in any order."""
    import json

    from director_ctx.base.hashing import digest

    plain: list[object] = []
    for kind, value in zip(columns.values(), values.values(), strict=True):
        if kind == DATA and isinstance(value, str):
            plain.append(settled(value))
        else:
            plain.append(_whole(value))
    text = json.dumps(plain)
    return int(digest(text.encode()), 16)


def _whole(value: object) -> object:
    """1.0 as 1: the one database gives it so, the other so."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value
