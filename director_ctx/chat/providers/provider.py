"""Which provider is meant, where it is, and the key for it: from the environment or the system's keyring,
never from an argument or a file of a project. A chat that is gone on with asks the one that it was with.
"""

from __future__ import annotations

import os
from importlib.util import find_spec
from urllib.parse import urlsplit

from director_ctx.base.errors import DctxError, UsageProblem
from director_ctx.base.record import Record
from director_ctx.base.text import plain
from director_ctx.context.settings import consents

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.memory.conversations.chat_records import ChatPoint

OPENAI, ANTHROPIC = "openai", "anthropic"
VARIABLES = {OPENAI: "OPENAI_API_KEY", ANTHROPIC: "ANTHROPIC_API_KEY"}
ADDRESSES = {OPENAI: "OPENAI_BASE_URL", ANTHROPIC: "ANTHROPIC_BASE_URL"}
OWN = {OPENAI: "https://api.openai.com/v1", ANTHROPIC: "https://api.anthropic.com"}
"""Where the vendors are."""
USUAL = {OPENAI: "gpt-6.1-terra", ANTHROPIC: "claude-sonnet-5-5"}
"""The model, where none is named."""
VENDORS = ("claude", "gpt-")
"""How the names of models begin that tell their vendor."""
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
        return f"{self.name} {self.place}" if self.base_url else self.name

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
        # The one that there is a key for; of both OpenAI, which keeps conversations.
        has_keys = [bool(os.environ.get(variable)) for variable in VARIABLES.values()]
        name = ANTHROPIC if has_keys == [False, True] else OPENAI
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
    url, what = base_url, ""
    if url is None:
        url, what = os.environ.get(ADDRESSES[name], "").strip(), f"{ADDRESSES[name]} is wrong: "
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
    return f"{scheme}{colon}{host.rpartition('@')[2]}{slash}{path}"


def is_in_the_clear(url: str | None) -> bool:
    return bool(url) and str(url).startswith("http://") and not is_loopback(url)


def is_loopback(url: str | None) -> bool:
    return bool(url) and urlsplit(url).hostname in LOOPBACK


def proxies_named() -> list[str]:
    """The variables that name one."""
    spelled = [spelling for name in PROXIES for spelling in (name, name.casefold())]
    return [name for name in spelled if os.environ.get(name)]


# Keys


def key_for(provider: Provider) -> str:
    """A key goes to the vendor, by https, or to this machine."""
    if is_in_the_clear(provider.base_url):
        return NO_KEY
    variable = VARIABLES[provider.name]
    key = os.environ.get(variable, "").strip() or _from_keyring(variable).strip()
    if not key:
        if _needs_key(provider):
            raise _no_key(provider)
        return NO_KEY
    if not key.isascii() or not key.isprintable():
        raise DctxError(f"{variable} has characters that no key has.", "Copy the key again.")
    return key


def _needs_key(provider: Provider) -> bool:
    """A server on this machine may do without, and an address without https is given none."""
    return not (is_loopback(provider.base_url) or is_in_the_clear(provider.base_url))


def _no_key(provider: Provider) -> DctxError:
    variable = VARIABLES[provider.name]
    return DctxError(
        f"There is no key for {provider.name}.",
        f"Set {variable}, or keep it in the system's keyring: `keyring set {SERVICE} {variable}`",
    )


def _from_keyring(variable: str) -> str:
    """Where the library for it is installed; a keyring that is locked has none."""
    try:
        import keyring

        return str(keyring.get_password(SERVICE, variable) or "")
    except Exception:
        return ""


def not_installed(name: str, why: str = "") -> DctxError:
    return DctxError(
        f"The library {name} is not installed.", f"pip install 'director-ctx[chat]'{why}"
    )


def why_not(provider: Provider) -> DctxError | None:
    """Why it cannot be asked, as far as that shows without loading a client or opening a keyring; None where it may
    go well.
    """
    if find_spec(provider.name) is None:
        return not_installed(provider.name)
    has_key = os.environ.get(VARIABLES[provider.name]) or find_spec("keyring")
    return _no_key(provider) if _needs_key(provider) and not has_key else None


# The provider that a chat was with


def provider_again(last: ChatPoint, model: str | None, base_url: str | None, root: str) -> Provider:
    """What was said goes to no other vendor and no other address unless the model or the address that is named
    says so.
    """
    before_name, _, before_address = last.provider.partition(" ")
    if before_name not in VARIABLES:
        if model or base_url:
            return provider_for(model, base_url)
        raise DctxError(
            f"This chat was with {plain(last.provider[:80])}, which dctx does not know.",
            "Name another one: --model, --base-url.",
        )

    before = Provider(before_name, last.model, before_address or None)
    name, model_name = named(model)
    is_guessed = not str(model).startswith((f"{name}:", *VENDORS))
    if not name or (is_guessed and before.base_url and base_url is None):
        # A server of one's own has models of any name.
        name = before.name
    if name != before.name:
        return provider_for(model, base_url)
    return Provider(name, model_name or before.model, _address_again(before, base_url, root))


def _address_again(before: Provider, base_url: str | None, root: str) -> str | None:
    if base_url is not None:
        return address_for(before.name, base_url)
    variable = ADDRESSES[before.name]
    if os.environ.get(variable, "").strip():
        now = before.replace(base_url=address_for(before.name, None))
        if now.identity == before.identity:
            return now.base_url
        raise DctxError(
            f"This chat was with {before.place}, and {variable} names {now.place}.",
            f"`--base-url {now.place}` tells that one all that was said; `--base-url {before.place}` goes on there.",
        )
    # An address in a store, which others may write, is asked only if this user named it once: a key goes there.
    if not _is_named(before, root):
        raise DctxError(
            f"This chat was with {before.place}, which you have not named on this machine.",
            f"`--base-url {before.place}` goes on there.",
        )
    return address_for(before.name, before.place)


def _is_named(provider: Provider, root: str) -> bool:
    if provider.base_url is None or is_loopback(provider.base_url):
        return True
    return consents.is_trusted(root, f"chat with {provider.place}", provider.place)


def remember(provider: Provider, root: str) -> None:
    """That the user named this address, which is their own record."""
    if _is_named(provider, root):
        return
    try:
        consents.keep(root, {f"chat with {provider.place}": provider.place})
    except DctxError:
        pass  # Then it has to be named again.
