"""Which provider is meant, where it is, and the key for it: from the environment or the system's keyring,
never from an argument or a file of a project.
"""

from __future__ import annotations

import os

from director_ctx.base.errors import DctxError, UsageProblem
from director_ctx.base.record import Record

OPENAI, ANTHROPIC = "openai", "anthropic"
VARIABLES = {OPENAI: "OPENAI_API_KEY", ANTHROPIC: "ANTHROPIC_API_KEY"}
ADDRESSES = {OPENAI: "OPENAI_BASE_URL", ANTHROPIC: "ANTHROPIC_BASE_URL"}
USUAL = {OPENAI: "gpt-6.1-terra", ANTHROPIC: "claude-sonnet-5-5"}
"""The model, where none is named."""
NO_KEY = "none"
"""For a server of one's own, which asks for none."""
LOOPBACK = ("127.0.0.1", "localhost", "::1")
SERVICE = "dctx"
"""Under this name a keyring has the keys."""


class Provider(Record):
    name: str
    model: str
    base_url: str | None
    """Of a compatible server; None for the vendor's own."""

    @property
    def identity(self) -> str:
        """Ids of answers are known here, and nowhere else."""
        if not self.base_url:
            return self.name
        return f"{self.name} {self.base_url}"


def provider_for(model: str | None, base_url: str | None = None) -> Provider:
    """`openai:MODEL` and `anthropic:MODEL` name both; else the model's name tells."""
    if base_url is not None and not base_url.startswith(("http://", "https://")):
        raise UsageProblem(
            f"{base_url[:80]!r} is no address.", "Write it as http://127.0.0.1:8080/v1."
        )
    prefix, colon, rest = (model or "").partition(":")
    if colon and prefix in VARIABLES:
        name = prefix
        model = rest
    elif model:
        name = ANTHROPIC if model.startswith("claude") else OPENAI
    else:
        name = _with_key()
    if not model:
        model = USUAL[name]
    return Provider(name, model, base_url or os.environ.get(ADDRESSES[name]) or None)


def _with_key() -> str:
    """The provider that there is a key for; of both OpenAI's, which keeps conversations."""
    if os.environ.get(VARIABLES[ANTHROPIC]) and not os.environ.get(VARIABLES[OPENAI]):
        return ANTHROPIC
    return OPENAI


def key_for(provider: Provider) -> str:
    """A key goes to the vendor, by https, or to this machine."""
    if _is_in_the_clear(provider.base_url):
        return NO_KEY
    variable = VARIABLES[provider.name]
    key = os.environ.get(variable) or _from_keyring(variable)
    if key:
        return key
    if needs_key(provider):
        raise no_key(provider)
    return NO_KEY


def needs_key(provider: Provider) -> bool:
    """A server on this machine may do without, and an address without https is given none."""
    return not (_is_loopback(provider.base_url) or _is_in_the_clear(provider.base_url))


def no_key(provider: Provider) -> DctxError:
    variable = VARIABLES[provider.name]
    return DctxError(
        f"There is no key for {provider.name}.",
        f"Set {variable}, or keep it in the system's keyring: `keyring set {SERVICE} {variable}`",
    )


def _is_in_the_clear(url: str | None) -> bool:
    return bool(url) and str(url).startswith("http://") and not _is_loopback(url)


def _is_loopback(url: str | None) -> bool:
    if not url:
        return False
    from urllib.parse import urlsplit

    return urlsplit(url).hostname in LOOPBACK


def _from_keyring(variable: str) -> str:
    """Where the library for it is installed; a keyring that is locked has none."""
    try:
        import keyring
    except ImportError:
        return ""
    try:
        return str(keyring.get_password(SERVICE, variable) or "")
    except Exception:
        return ""
