"""Whether somebody can be asked at all, as far as that shows without loading a client or opening a keyring."""

from __future__ import annotations

import os
from importlib.util import find_spec

from director_ctx.chat.providers.keys import VARIABLES, needs_key, no_key
from director_ctx.chat.providers.library import not_installed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.base.errors import DctxError
    from director_ctx.chat.providers.keys import Provider


def why_not(provider: Provider) -> DctxError | None:
    """None where it may go well."""
    if find_spec(provider.name) is None:
        return not_installed(provider.name)
    has_key = os.environ.get(VARIABLES[provider.name]) or find_spec("keyring")
    if needs_key(provider) and not has_key:
        return no_key(provider)
    return None
