"""Whether what has this name is nobody's business. The words of a name decide, as data."""

from __future__ import annotations

import re
from functools import lru_cache

SECRET = frozenset(
    "password passwords passwd pwd pw passphrase passphrases passcode passkey secret secrets token apikey apikeys"
    " authorization cookie cookies bearer jwt otp totp pin cvv cvc passwort kennwort senha contrasena contraseña"
    " motdepasse".split()
)
"""A word of these hides whatever it names: a text, a number, an object, a list."""
SECRET_ENDS = (
    *(
        "password",
        "passwd",
        "pwd",
        "passphrase",
        "passwort",
        "secret",
        "token",
        "credentials",
        "apikey",
        "secretkey",
    ),
    *("accesskey", "accountkey", "authkey", "masterkey", "privatekey", "sharedkey"),
    *("пароль", "密码", "密碼", "パスワード"),
)
"""The same, written together as in PGPASSWORD or authtoken."""
SECRET_TEXTS = frozenset("credential credentials cred creds tokens pass auth sessionid psk".split())
"""As the last word these hide a text, or a list of texts. An object is opened, and a number is a
count.
"""
INNOCENT = frozenset("compass bypass surpass trespass overpass underpass encompass".split())
"""Words that end in `pass` and mean none."""
SECRET_KEYS = frozenset(
    "api access private secret encryption decryption signing account shared auth master subscription service ssh"
    " deploy session license storage webhook cloud cloudant cl softlayer sl ibm iam cos hmac".split()
)
"""What makes a secret of a `key` that follows."""
SECRET_CODES = frozenset(
    "recovery backup otp mfa verification auth authorization pin security".split()
)
"""The same for a `code`."""
SECRET_IDS = frozenset("secret session cookie".split())
"""The same for an `id`."""
HARMLESS = frozenset(
    "count counts limit limits budget length len type kind url uri endpoint name names field fields selector xpath"
    " label hint title placeholder required enabled visible present valid policy expires expiry expiration ttl path"
    " file usage used total max min size rules strength age page form banner consent status state error location"
    " method provider source at button input link css xpath color domain issuer manager meter symbol address arn"
    " version accepted changed ref refs stdin"
    " py js jsx ts tsx css scss html htm md go rs rb php java kt swift cpp svg png jpg".split()
)
"""A last word that makes the name speak about the secret: token_count, passwordField, secret_name,
token_store.py.
"""
PAGING = frozenset("next page continuation cursor sync".split())
"""Before a last `token` these make it a place in a list: nextPageToken."""
COUNTING = frozenset("max min num n total used".split())
"""A first word that makes a number a count: max_token."""
_WORDS = re.compile(r"[A-Z]+(?![a-zß-öø-ÿ])|[A-Z]?[^\W\dA-Z_]+")
_LONG = 200
_ANYTHING, _TEXTS, _NOTHING = "anything", "texts", "nothing"


def hides_name(name: str, value: object = "?") -> bool:
    """Whether a value of this name is hidden. What is empty, or only yes or no, never is."""
    if value is None or isinstance(value, bool) or value in ("", [], {}):
        return False
    what = _hidden_by(_both_ends(name))
    if what is _ANYTHING:
        if isinstance(value, (int, float)):
            return words_of(name)[0] not in COUNTING
        return True
    return what is _TEXTS and _is_texts(value)


@lru_cache(5000)
def _hidden_by(name: str) -> str:
    """What a name hides: anything, texts only, or nothing. The same names come again and again."""
    words = words_of(name)
    if not words or words[-1] in HARMLESS or _is_harmless_pair(words[-2:]):
        return _NOTHING

    # In small letters `PassWord` is one word, not two.
    variants = (words, words_of(name.casefold()))
    for variant in variants:
        if any(map(_is_secret_word, variant)) or _has_secret_pair(variant):
            return _ANYTHING
    for variant in variants:
        if _hides_texts(variant[-1]):
            return _TEXTS
    return _NOTHING


def words_of(name: str) -> list[str]:
    """The words of a name in snake_case, kebab-case, camelCase or with dots."""
    return [word.casefold() for word in _WORDS.findall(_both_ends(name))]


def _both_ends(name: str) -> str:
    """Of a name that is endless, what stands first and last in it."""
    if len(name) <= 2 * _LONG:
        return name
    return f"{name[:_LONG]} {name[-_LONG:]}"


def _is_secret_word(word: str) -> bool:
    return word in SECRET or word.endswith(SECRET_ENDS)


_PAIRS = {
    "key": SECRET_KEYS,
    "keys": SECRET_KEYS,
    "code": SECRET_CODES,
    "codes": SECRET_CODES,
    "id": SECRET_IDS,
}


def _has_secret_pair(words: list[str]) -> bool:
    for first, second in zip(words, words[1:], strict=False):
        if first in _PAIRS.get(second, ()):
            return True
        if second == "key" and first.endswith(("api", "access")):
            return True
    return False


def _is_harmless_pair(last: list[str]) -> bool:
    """A token that is a place in a list, or the id of a key."""
    if len(last) != 2:
        return False
    before, word = last
    if word == "token":
        return before in PAGING
    return word == "id" and before not in SECRET_IDS


def _hides_texts(word: str) -> bool:
    return word in SECRET_TEXTS or (word.endswith("pass") and word not in INNOCENT)


def _is_texts(value: object) -> bool:
    if isinstance(value, list):
        return all(isinstance(element, str) for element in value)
    return isinstance(value, str)
