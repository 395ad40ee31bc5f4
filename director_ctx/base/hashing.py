"""SHA-256 without OpenSSL: importing `hashlib` costs 2 ms, the small module behind it a tenth of
that.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any


def _find() -> Callable[[bytes], Any]:
    """The module is called `_sha256` in Python 3.11 and `_sha2` from 3.12 on; `hashlib` is
    everywhere.
    """
    for name in ("_sha2", "_sha256", "hashlib"):
        try:
            found: Callable[[bytes], Any] = __import__(name).sha256
        except ImportError:
            continue
        return found
    raise ImportError("this Python has no SHA-256")


_sha256 = _find()


def digest(data: bytes) -> str:
    """The SHA-256 of some bytes, in hex."""
    return str(_sha256(data).hexdigest())


def running_digest() -> Any:
    """A SHA-256 that is fed piece by piece."""
    return _sha256(b"")


SHOWN = 12
"""Digits of a hash that people are shown. They name it, but somebody can make two texts that have
them in common, so what is kept and compared is the whole.
"""


def shown(names: Sequence[str]) -> list[str]:
    """The beginnings of hashes, as short as still tells all of them apart."""
    different = set(names)
    digits = SHOWN
    while len({name[:digits] for name in different}) < len(different):
        digits += 4
    return [name[:digits] for name in names]


def text_digest(text: str) -> str:
    """The SHA-256 of a text as it is printed."""
    return digest(text.encode("utf-8", "replace"))
