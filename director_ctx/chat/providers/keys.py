"""Which provider is meant, where it is, and the key for it: from the environment or the system's keyring,
never from an argument or a file of a project.
"""

from __future__ import annotations

import os

from director_ctx.base.errors import DctxError, UsageProblem
from director_ctx.base.record import Record
from director_ctx.base.text import plain

OPENAI, ANTHROPIC = "openai", "anthropic"
VARIABLES = {OPENAI: "OPENAI_API_KEY", ANTHROPIC: "ANTHROPIC_API_KEY"}
ADDRESSES = {OPENAI: "OPENAI_BASE_URL", ANTHROPIC: "ANTHROPIC_BASE_URL"}
OWN = {OPENAI: "https://api.openai.com/v1", ANTHROPIC: "https://api.anthropic.com"}
"""Where the vendors are."""
USUAL = {OPENAI: "gpt-6.1-terra", ANTHROPIC: "claude-sonnet-5-5"}
"""The model, where none is named."""
NO_KEY = "none"
"""For a server of one's own, which asks for none."""
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
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
        return f"{self.name} {without_password(self.base_url)}"

    @property
    def url(self) -> str:
        """Where it is,"""
        return self.base_url or OWN[self.name]

    @property
    def place(self) -> str:
        """and the same for people."""
        return without_password(self.url)


def provider_for(model: str | None, base_url: str | None = None) -> Provider:
    """`openai:MODEL` and `anthropic:MODEL` name both; else the model's name tells."""
    name, model = named(model)
    if not name:
        name = _with_key()
    return Provider(name, model or USUAL[name], address_for(name, base_url))


def named(model: str | None) -> tuple[str, str]:
    """The vendor and the model that are meant; each is empty where it is not said."""
    prefix, colon, rest = (model or "").partition(":")
    if colon and prefix in VARIABLES:
        return prefix, rest
    if not model:
        return "", ""
    return ANTHROPIC if model.startswith("claude") else OPENAI, model


def address_for(name: str, base_url: str | None) -> str | None:
    """The one that is named, else the one of the environment; None for the vendor's own."""
    url = base_url
    what = ""
    if url is None:
        url = os.environ.get(ADDRESSES[name], "").strip()
        what = f"{ADDRESSES[name]} is wrong: "
        if not url:
            return None
    if not _is_address(url):
        shown = plain(without_password(url)[:80])
        raise UsageProblem(
            f"{what}{shown!r} is no address.", "Write it as http://127.0.0.1:8080/v1."
        )
    url = url.rstrip("/")
    return None if url == OWN[name] else url


def _is_address(url: str) -> bool:
    if not url.startswith(("http://", "https://")) or not url.isprintable() or " " in url:
        return False
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(url)
        return bool(parts.hostname) and parts.port != 0
    except ValueError:
        # A port that there is not, or half an address of IPv6.
        return False


def without_password(url: str) -> str:
    """As it may be shown and kept."""
    scheme, colon, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    _, _, host = host.rpartition("@")
    return f"{scheme}{colon}{host}{slash}{path}"


def _with_key() -> str:
    """The provider that there is a key for; of both OpenAI's, which keeps conversations."""
    if os.environ.get(VARIABLES[ANTHROPIC]) and not os.environ.get(VARIABLES[OPENAI]):
        return ANTHROPIC
    return OPENAI


def key_for(provider: Provider) -> str:
    """A key goes to the vendor, by https, or to this machine."""
    if is_in_the_clear(provider.base_url):
        return NO_KEY
    variable = VARIABLES[provider.name]
    key = os.environ.get(variable, "").strip() or _from_keyring(variable).strip()
    if key:
        if not key.isascii() or not key.isprintable():
            raise DctxError(f"{variable} has characters that no key has.", "Copy the key again.")
        return key
    if needs_key(provider):
        raise no_key(provider)
    return NO_KEY


def needs_key(provider: Provider) -> bool:
    """A server on this machine may do without, and an address without https is given none."""
    return not (is_loopback(provider.base_url) or is_in_the_clear(provider.base_url))


def no_key(provider: Provider) -> DctxError:
    variable = VARIABLES[provider.name]
    return DctxError(
        f"There is no key for {provider.name}.",
        f"Set {variable}, or keep it in the system's keyring: `keyring set {SERVICE} {variable}`",
    )


def is_in_the_clear(url: str | None) -> bool:
    return bool(url) and str(url).startswith("http://") and not is_loopback(url)


def is_loopback(url: str | None) -> bool:
    if not url:
        return False
    from urllib.parse import urlsplit

    return urlsplit(url).hostname in LOOPBACK


def proxies_named() -> list[str]:
    """The variables that name one."""
    names: list[str] = []
    for name in PROXIES:
        names += [spelled for spelled in (name, name.casefold()) if os.environ.get(spelled)]
    return names


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
