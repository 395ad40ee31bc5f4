"""The provider of a chat that is gone on with: the one that it was with, unless another one is asked for."""

from __future__ import annotations

import os

from director_ctx.base.errors import DctxError
from director_ctx.base.text import plain
from director_ctx.chat.providers.keys import (
    ADDRESSES,
    VARIABLES,
    Provider,
    address_for,
    is_loopback,
    named,
    provider_for,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.memory.conversations.chat_records import ChatPoint

VENDORS = ("claude", "gpt-")
"""How the names of models begin that tell their vendor."""


def provider_again(last: ChatPoint, model: str | None, base_url: str | None, root: str) -> Provider:
    """What was said goes to no other vendor and no other address unless the model or the address that is named
    says so.
    """
    before = _provider_of(last)
    if before is None:
        if model or base_url:
            return provider_for(model, base_url)
        raise DctxError(
            f"This chat was with {plain(last.provider[:80])}, which dctx does not know.",
            "Name another one: --model, --base-url.",
        )

    name, model_name = named(model)
    is_guessed = not str(model).startswith((f"{name}:", *VENDORS))
    if not name or (is_guessed and before.base_url and base_url is None):
        # A server of one's own has models of any name.
        name = before.name
    if name != before.name:
        return provider_for(model, base_url)
    address = _address_again(before, base_url, root)
    return Provider(name, model_name or before.model, address)


def _provider_of(point: ChatPoint) -> Provider | None:
    name, _, address = point.provider.partition(" ")
    if name not in VARIABLES:
        return None
    return Provider(name, point.model, address or None)


def _address_again(before: Provider, base_url: str | None, root: str) -> str | None:
    if base_url is not None:
        return address_for(before.name, base_url)
    variable = ADDRESSES[before.name]
    if os.environ.get(variable, "").strip():
        address = address_for(before.name, None)
        now = Provider(before.name, before.model, address)
        if now.identity == before.identity:
            return address
        raise DctxError(
            f"This chat was with {before.place}, and {variable} names {now.place}.",
            f"`--base-url {now.place}` tells that one all that was said; `--base-url {before.place}` goes on there.",
        )
    if not _was_named(before, root):
        raise DctxError(
            f"This chat was with {before.place}, which you have not named on this machine.",
            f"`--base-url {before.place}` goes on there.",
        )
    return address_for(before.name, before.place)


def _was_named(provider: Provider, root: str) -> bool:
    """An address in a store, which others may write, is asked only if this user named it once: a key goes there."""
    if provider.base_url is None or is_loopback(provider.base_url):
        return True
    from director_ctx.context.settings.consents import is_trusted

    return is_trusted(root, _thing(provider), provider.place)


def remember(provider: Provider, root: str) -> None:
    """That the user named this address, which is their own record."""
    if provider.base_url is None or is_loopback(provider.base_url):
        return
    from director_ctx.context.settings.consents import is_trusted, keep

    if is_trusted(root, _thing(provider), provider.place):
        return
    try:
        keep(root, {_thing(provider): provider.place})
    except DctxError:
        pass  # Then it has to be named again.


def _thing(provider: Provider) -> str:
    return f"chat with {provider.place}"
