"""Credentials in running text: known formats, who logs in by a URL, and what is assigned to a
secret name.
"""

from __future__ import annotations

import re
from functools import cache

from director_ctx.base.secrets.code import is_code, is_name
from director_ctx.base.secrets.formats import HIDDEN, formats_in, without_formats
from director_ctx.base.secrets.names import hides_name
from director_ctx.base.secrets.neighbours import name_beside, without_named
from director_ctx.base.secrets.tables import without_columns
from director_ctx.base.unseen import without_unseen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_NO_PORT = r"(?!\d{1,5}(?:[/?#\s]|$|[\"'<>](?:[\s/>,;)\]}]|$)))"
_USER = re.compile(
    r"(?<=://)(?:[^\s/?#@\"'<>\[\]:]*:[^\s/?#\"'<>]*@"  # user:password@, to the last @ before the path
    rf"|[^\s/?#@\"'<>\[\]:]{{1,99}}:{_NO_PORT}[^\s@\"'<>]{{1,99}}@"  # with a slash in the password
    rf"|[^\s/?#@\[\]:!$&'()*+,;=]{{1,99}}:{_NO_PORT}[^\s/?#@\[\]:!$&'()*+,;=]{{1,200}}@"  # with a quote
    r"|[^\s/?#@\"'<>\[\]:]{20,}+@)"  # a token instead of a user
)
_TRIGGERS = (
    *(
        "pass",
        "pwd",
        "pw",
        "secret",
        "token",
        "key",
        "auth",
        "cookie",
        "cred",
        "bearer",
        "jwt",
        "psk",
        "otp",
        "pin",
        "cvv",
    ),
    *("cvc", "code", "session", "kennwort", "senha", "contrase", "sig", "saml", "ticket"),
    *("пароль", "密码", "密碼", "パスワード"),
)
_SIGN = re.compile(r"[:=>\"'`\uff1a%]|--|ENV |ARG | set |setx ")
"""A text with none of these, or with none of those words, assigns nothing that is hidden."""
MOST_NAMES = 50_000
"""Secret names in one text. Nobody writes that many; from there on everything is hidden, so that it
takes no time.
"""
_QUERY = frozenset("code key sig signature sid ticket samlresponse samlrequest assertion".split())
"""Names that say little by themselves, but carry secrets in the query of a URL."""
_TYPED = r":[ \t]{1,3}[\w.]{1,30}\??[ \t]{1,3}=(?![=>])"
"""password: str = "..." """
_ASSIGNED = re.compile(
    r"(?<![\w.-])(?P<name>[\w.-]++)"
    r"(?P<sign>(?:\\{0,8}[\"'`]|%22)?\]?[ \t]{0,80}"
    rf"(?::=|::|=>|==?|{_TYPED}|\*{{0,2}}[:\uff1a]\*{{0,2}}|%3[DdAa])(?:\s{{0,80}}(?=[\"'])|[ \t]{{0,80}})"
    r"|(?:[\"'`]?\]?[ \t]{1,80}|[\"'`]\]?)(?=[\"'`])|>|[ \t]+)"
)
_QUOTES = ('"', "'", "`")
_QUOTE = re.compile(r"\\{0,8}[\"'`]")
_BARE = re.compile(
    r"(?:(?i:basic|bearer|digest|negotiate|token) {1,3})?"
    r"(?:[^\s\"'`<>&;]|&(?![\w.%-]{1,60}=)|;(?!\s|$|[\w -]{1,40}=))*"
)
_ESCAPED = re.compile(r"(?:(?!%26|%23)[^\s\"'<>&])*")
_BLOCK = re.compile(r"[|>][-+1-9]{0,2}[ \t]{0,20}\r?\n(?P<indent>[ \t]{1,40})")
_REST = re.compile(r"[^\r\n]*")
_LINE = re.compile(r"[^\r\n\"'`]*")
_ELEMENT = re.compile(r"[^<]*")
_WORD_BEFORE = re.compile(r"([A-Za-z]+)[ -]$")
_HALVES = frozenset(("key", "keys", "code", "codes"))
_BRACKET = re.compile(r"[\[\]{}]")
_COUNT = re.compile(r"-?\d[\d,._]{0,19}")
_PROSE = re.compile(r"[ \t]+[^\W\d]")
_WITH_DIGIT = re.compile(r"\S{0,60}\d")
_LONG_WORD = 12
_WHOLE_LINE = ("authorization", "cookie", "passphrase")
"""After these and a colon the whole line is the value."""
_NOTHING = frozenset(
    (
        "",
        "null",
        "none",
        "true",
        "false",
        "yes",
        "no",
        "on",
        "off",
        "undefined",
        "oauth",
        "oauth2",
        "latest",
    )
)
_TEMPLATE = re.compile(r"\{\{[^{}\r\n]{1,200}\}\}")
_TYPES = frozenset(
    "str string text number int integer bool boolean required optional object any".split()
)


def hides_value(text: str) -> bool:
    """Whether there is something in a text that is not to be shown."""
    return redact(text) != text


def redact(text: str) -> str:
    """The text with `[hidden]` for each credential in it.

    One that is broken by characters which nobody sees is whole for whoever copies it; then they all
    go.
    """
    shown = _redacted(text)
    bare = without_unseen(text)
    if bare == text:
        return shown
    whole = _redacted(bare)
    return whole if whole.count(HIDDEN) > shown.count(HIDDEN) else shown


def _redacted(text: str) -> str:
    lowered = text.casefold()
    if found := formats_in(text, lowered):
        text = without_formats(text, found)
    if _SIGN.search(text):
        if "://" in text and "@" in text:
            text = _USER.sub(f"{HIDDEN}@", text)
        if _has_trigger(lowered):
            text = without_named("".join(_without_assigned(text)))
    if ("\n" in text or "|" in text) and _has_trigger(lowered):
        text = without_columns(text)
    return text


def _has_trigger(lowered: str) -> bool:
    return bool([word for word in _TRIGGERS if word in lowered])


def _without_assigned(text: str) -> Iterator[str]:
    done = names = 0
    for found in _ASSIGNED.finditer(text):
        if found.end() < done or not _may_be_secret(text, found):
            continue
        if (names := names + 1) > MOST_NAMES:
            yield from (text[done : found.start()], HIDDEN)
            return
        start, end = _value_of(text, found)
        if start >= done and _is_hidden(text, found, start, end):
            yield from (text[done:start], HIDDEN)
            done = end
    yield text[done:]


def _may_be_secret(text: str, found: re.Match[str]) -> bool:
    name, sign = found["name"], found["sign"]
    if sign == ">":
        return text[found.start() - 1 : found.start()] == "<" and hides_name(name)
    if sign.isspace() and not _may_be_apart(text, found):
        return False
    return hides_name(_name_of(text, found)) or _in_query(text, found)


def _may_be_apart(text: str, found: re.Match[str]) -> bool:
    """Whether a blank alone may stand between: --token abc, token "abc", a line ENV TOKEN abc, set
    token abc1.
    """
    if found["name"].startswith("--") or text.startswith(_QUOTES, found.end()):
        return True
    start = found.start()
    before = text[max(0, start - 5) : start]
    if before in ("ENV ", "ARG ", "\nENV ", "\nARG "):
        return True
    return before.endswith((" set ", "setx ")) and _WITH_DIGIT.match(text, found.end()) is not None


def _name_of(text: str, found: re.Match[str]) -> str:
    """The name; with the word before it where it is half of a pair: API key. That of a `value`
    stands beside it.
    """
    name = found["name"]
    if name.casefold() in ("value", "val"):
        return name_beside(text, found.start(), found.end())
    if text[found.start() - 1 : found.start()] not in (" ", "-") or name.casefold() not in _HALVES:
        return name
    before = _WORD_BEFORE.search(text, max(0, found.start() - 30), found.start())
    return f"{before[1]} {name}" if before else name


def _in_query(text: str, found: re.Match[str]) -> bool:
    name = found["name"].casefold()
    if found["sign"].casefold() == "%3d":
        return name.removeprefix("3f").removeprefix("26") in _QUERY
    return name in _QUERY and text[found.start() - 1 : found.start()] in ("?", "&", "#")


def _value_of(text: str, found: re.Match[str]) -> tuple[int, int]:
    """From where to where the value goes, without what quotes it."""
    start, sign = found.end(), found["sign"]
    if sign == ">":
        return start, _end(_ELEMENT, text, start)
    if "%" in sign:
        return start, _end(_ESCAPED, text, start)
    if quote := _QUOTE.match(text, start):
        closing = _unescaped(quote[0]).search(text, quote.end())
        return quote.end(), closing.start() if closing else len(text)
    if block := _BLOCK.match(text, start):
        return block.end(), _end_of_block(text, block)
    if text.startswith(("{", "["), start) and not text.startswith(HIDDEN, start):
        return start, _closing(text, start)
    if ":" in sign and found["name"].casefold().endswith(_WHOLE_LINE):
        return start, start + len(text[start : _end(_LINE, text, start)].rstrip())
    end = start + len(text[start : _end(_BARE, text, start)].rstrip(",)}]"))
    return start, end + 1 if text[start:end].endswith(HIDDEN[:-1]) else end


def _end_of_block(text: str, block: re.Match[str]) -> int:
    """Where the lines end that are indented at least as far as the first of a block in YAML."""
    end = _end(_REST, text, block.end())
    while text.startswith(f"\n{block['indent']}", end) or text.startswith(
        f"\r\n{block['indent']}", end
    ):
        end = _end(_REST, text, text.index("\n", end) + 1)
    return end


@cache
def _unescaped(quote: str) -> re.Pattern[str]:
    return re.compile(r"(?<!\\)" + re.escape(quote))


def _closing(text: str, start: int) -> int:
    """Where what opens here is closed again; the end of the text if nowhere."""
    depth = 0
    for found in _BRACKET.finditer(text, start):
        depth += 1 if found[0] in "[{" else -1
        if not depth:
            return found.end()
    return len(text)


def _end(pattern: re.Pattern[str], text: str, start: int) -> int:
    found = pattern.match(text, start)
    return found.end() if found else start


def _is_hidden(text: str, found: re.Match[str], start: int, end: int) -> bool:
    value, sign = text[start:end], found["sign"]
    if value == HIDDEN or value.casefold() in _NOTHING:
        return False
    if _TEMPLATE.fullmatch(value):
        return False
    if start == found.end() and _is_spoken_of(text, found, start, end):
        return False
    if sign == ">":
        return end == len(text) or text.startswith(("</", "<!"), end)
    if value[:1] in ("{", "["):
        return hides_name(found["name"], ["?"] if value[0] == "[" else {"?": 1})
    if _COUNT.fullmatch(value):
        return hides_name(_name_of(text, found), 1) or _in_query(text, found)
    if value.isalpha() and len(value) < _LONG_WORD and _in_query(text, found):
        return hides_name(_name_of(text, found))  # ?key=title
    return len(value) > 2 or any(map(str.isalnum, value))  # token == "("


def _is_spoken_of(text: str, found: re.Match[str], start: int, end: int) -> bool:
    """Whether a value without quotes is a type, a sentence, or code that fetches it."""
    value = text[start:end]
    if (
        ":" in found["sign"]
        and value.isalpha()
        and (value.casefold() in _TYPES or _PROSE.match(text, end))
    ):
        return True  # Password: forgot it?
    if found["sign"].isspace() and value.isupper() and value.casefold() in _TYPES:
        return True  # --password TEXT
    return is_code(text, start) or (
        is_name(value) and hides_name(value) and _is_taken_over(found["name"], value)
    )


def _is_taken_over(name: str, value: str) -> bool:
    """login(password=db.password), self.token = token; but not PASSWORD=secret."""
    return "." in value or "_" in value or name.endswith(f".{value}")
