"""Frozen values without the cost of `dataclasses` (11 ms at every start)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, ClassVar, Self, dataclass_transform
else:

    def dataclass_transform(**_: object):
        return lambda cls: cls


@dataclass_transform(frozen_default=True)
class _RecordType(type):
    """Turns the annotations of a class into slots and constructor arguments."""

    _fields: tuple[str, ...]
    _defaults: Mapping[str, object]
    _setters: tuple[Callable[[object, object], None], ...]

    def __new__(mcs, name: str, bases: tuple[type, ...], space: dict[str, Any]) -> _RecordType:
        annotated = space.get("__annotations__", ())
        own = tuple(field for field in annotated if field[0] != "_")
        defaults: dict[str, object] = {}
        for field in own:
            if field in space:
                # A slot and a value of one name cannot both be in a class.
                defaults[field] = space.pop(field)
        space["__slots__"] = own
        cls = super().__new__(mcs, name, bases, space)
        cls._fields = own
        cls._defaults = defaults
        for base in bases:
            if isinstance(base, _RecordType):
                cls._fields = base._fields + own
                cls._defaults = {**base._defaults, **defaults}
                break
        # The slots themselves put a value in: `__setattr__` is closed.
        cls._setters = tuple(getattr(cls, field).__set__ for field in cls._fields)
        return cls


class Record(metaclass=_RecordType):
    """An immutable value: equal by content, changed only by `replace`."""

    _fields: ClassVar[tuple[str, ...]]
    _defaults: ClassVar[Mapping[str, object]]
    _setters: ClassVar[tuple[Callable[[object, object], None], ...]]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        values = args
        if kwargs or len(args) != len(self._fields):
            values = self._filled(args, kwargs)
        for put, value in zip(self._setters, values, strict=True):
            put(self, value)

    def _filled(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        """Every value in the order of the fields, with defaults where none is given."""
        fields = self._fields
        by_place = dict(zip(fields, args, strict=False))
        values = {**self._defaults, **by_place, **kwargs}
        wrong = set(values).symmetric_difference(fields)
        wrong |= by_place.keys() & kwargs.keys()
        if wrong or len(args) > len(fields):
            names = ", ".join(sorted(wrong))
            raise TypeError(f"{type(self).__name__}: missing, unknown or twice: {names}")
        return tuple(values[name] for name in fields)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen; use replace({name}=...)")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen")

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return type(self) is type(other) and _values(self) == _values(other)

    def __hash__(self) -> int:
        return hash((type(self).__name__, _values(self)))

    def __repr__(self) -> str:
        inside = ", ".join(f"{name}={getattr(self, name)!r}" for name in self._fields)
        return f"{type(self).__name__}({inside})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), _values(self)

    def replace(self, **changes: Any) -> Self:
        """A copy with some fields changed."""
        return type(self)(**{**as_dict(self), **changes})


def _values(record: Record) -> tuple[object, ...]:
    return tuple(getattr(record, name) for name in record._fields)


def as_dict(record: Record) -> dict[str, Any]:
    """The record's own fields, one level deep."""
    return {name: getattr(record, name) for name in record._fields}
