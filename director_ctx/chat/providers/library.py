"""The vendors' clients, loaded when one is needed."""

from __future__ import annotations

from director_ctx.base.errors import DctxError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def library(name: str) -> Any:
    try:
        return __import__(name)
    except ImportError as error:
        raise not_installed(name, f" ({error})") from error


def not_installed(name: str, why: str = "") -> DctxError:
    return DctxError(
        f"The library {name} is not installed.", f"pip install 'director-ctx[chat]'{why}"
    )
