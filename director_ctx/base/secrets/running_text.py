"""Credentials in running text: known formats, who logs in by a URL, and what is assigned to a
secret name.
"""

from __future__ import annotations

import re
from functools import cache

from director_ctx.base.secrets.code import is_code, is_name
from director_ctx.base.secrets.find_shapes import HIDDEN, formats_in, without_formats
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
    if whole.count(HIDDEN) > shown.count(HIDDEN):
        return whole
    return shown


def _redacted(text: str) -> str:
    lowered = text.casefold()

    formats = formats_in(text, lowered)
    if formats:
        text = without_formats(text, formats)

    if _SIGN.search(text):
        if "://" in text and "@" in text:
            text = _USER.sub(f"{HIDDEN}@", text)
        if _has_trigger(lowered):
            text = "".join(_without_assigned(text))
            text = without_named(text)

    may_be_table = "\n" in text or "|" in text
    if may_be_table and _has_trigger(lowered):
        text = without_columns(text)
    return text


def _has_trigger(lowered: str) -> bool:
    # A list, because `any` over a generator takes longer for so few words.
    return bool([word for word in _TRIGGERS if word in lowered])


def _without_assigned(text: str) -> Iterator[str]:
    done = 0
    names = 0
    for assigned in _ASSIGNED.finditer(text):
        if assigned.end() < done or not _may_be_secret(text, assigned):
            continue

        names += 1
        if names > MOST_NAMES:
            yield text[done : assigned.start()]
            yield HIDDEN
            return

        start, end = _value_of(text, assigned)
        if start >= done and _is_hidden(text, assigned, start, end):
            yield text[done:start]
            yield HIDDEN
            done = end
    yield text[done:]


def _may_be_secret(text: str, assigned: re.Match[str]) -> bool:
    sign = assigned["sign"]
    if sign == ">":
        return _char_before(text, assigned) == "<" and hides_name(assigned["name"])
    if sign.isspace() and not _may_be_apart(text, assigned):
        return False
    return hides_name(_name_of(text, assigned)) or _in_query(text, assigned)


def _char_before(text: str, assigned: re.Match[str]) -> str:
    """What stands right before the name; nothing at the beginning of a text."""
    start = assigned.start()
    return text[start - 1 : start]


def _may_be_apart(text: str, assigned: re.Match[str]) -> bool:
    """Whether a blank alone may stand between: --token abc, token "abc", a line ENV TOKEN abc, set
    token abc1.
    """
    start, end = assigned.span()
    if assigned["name"].startswith("--") or text.startswith(_QUOTES, end):
        return True

    before = text[max(0, start - 5) : start]
    if before in ("ENV ", "ARG ", "\nENV ", "\nARG "):
        return True
    if before.endswith((" set ", "setx ")):
        return _WITH_DIGIT.match(text, end) is not None
    return False


def _name_of(text: str, assigned: re.Match[str]) -> str:
    """The name; with the word before it where it is half of a pair: API key. That of a `value`
    stands beside it.
    """
    name = assigned["name"]
    start, end = assigned.span()
    if name.casefold() in ("value", "val"):
        return name_beside(text, start, end)

    is_second_word = _char_before(text, assigned) in (" ", "-")
    if not is_second_word or name.casefold() not in _HALVES:
        return name
    word = _WORD_BEFORE.search(text, max(0, start - 30), start)
    if not word:
        return name
    return f"{word[1]} {name}"


def _in_query(text: str, assigned: re.Match[str]) -> bool:
    name = assigned["name"].casefold()
    if assigned["sign"].casefold() == "%3d":
        # The ? or & before it is escaped as well, and its digits look like letters of the name.
        bare = name.removeprefix("3f").removeprefix("26")
        return bare in _QUERY
    return name in _QUERY and _char_before(text, assigned) in ("?", "&", "#")


def _value_of(text: str, assigned: re.Match[str]) -> tuple[int, int]:
    """From where to where the value goes, without what quotes it."""
    start = assigned.end()
    sign = assigned["sign"]
    if sign == ">":
        return start, _end(_ELEMENT, text, start)
    if "%" in sign:
        return start, _end(_ESCAPED, text, start)

    quote = _QUOTE.match(text, start)
    if quote:
        closing = _unescaped(quote[0]).search(text, quote.end())
        if closing is None:
            return quote.end(), len(text)
        return quote.end(), closing.start()

    block = _BLOCK.match(text, start)
    if block:
        return block.end(), _end_of_block(text, block)

    if text.startswith(("{", "["), start) and not text.startswith(HIDDEN, start):
        return start, _closing(text, start)

    if ":" in sign and assigned["name"].casefold().endswith(_WHOLE_LINE):
        line = text[start : _end(_LINE, text, start)]
        return start, start + len(line.rstrip())

    return start, _end_of_bare(text, start)


def _end_of_bare(text: str, start: int) -> int:
    """Where a value without quotes ends, without what closes a call or a list around it."""
    bare = text[start : _end(_BARE, text, start)].rstrip(",)}]")
    end = start + len(bare)
    if bare.endswith(HIDDEN[:-1]):
        # The bracket that was taken off is the one of an earlier [hidden].
        end += 1
    return end


def _end_of_block(text: str, block: re.Match[str]) -> int:
    """Where the lines end that are indented at least as far as the first of a block in YAML."""
    indent = block["indent"]
    next_lines = (f"\n{indent}", f"\r\n{indent}")
    end = _end(_REST, text, block.end())
    while text.startswith(next_lines, end):
        start_of_line = text.index("\n", end) + 1
        end = _end(_REST, text, start_of_line)
    return end


@cache
def _unescaped(quote: str) -> re.Pattern[str]:
    return re.compile(r"(?<!\\)" + re.escape(quote))


def _closing(text: str, start: int) -> int:
    """Where what opens here is closed again; the end of the text if nowhere."""
    depth = 0
    for bracket in _BRACKET.finditer(text, start):
        if bracket[0] in "[{":
            depth += 1
        else:
            depth -= 1
        if not depth:
            return bracket.end()
    return len(text)


def _end(pattern: re.Pattern[str], text: str, start: int) -> int:
    matched = pattern.match(text, start)
    if matched is None:
        return start
    return matched.end()


def _is_hidden(text: str, assigned: re.Match[str], start: int, end: int) -> bool:
    value = text[start:end]
    if value == HIDDEN or value.casefold() in _NOTHING:
        return False
    if _TEMPLATE.fullmatch(value):
        return False

    is_quoted = start != assigned.end()
    if not is_quoted and _is_spoken_of(text, assigned, start, end):
        return False

    if assigned["sign"] == ">":
        return end == len(text) or text.startswith(("</", "<!"), end)

    # What is in a list or an object does not count here, only that there is something.
    if value.startswith("["):
        return hides_name(assigned["name"], ["?"])
    if value.startswith("{"):
        return hides_name(assigned["name"], {"?": 1})

    if _COUNT.fullmatch(value):
        return hides_name(_name_of(text, assigned), 1) or _in_query(text, assigned)
    if value.isalpha() and len(value) < _LONG_WORD and _in_query(text, assigned):
        return hides_name(_name_of(text, assigned))  # ?key=title
    return len(value) > 2 or any(map(str.isalnum, value))  # token == "("


def _is_spoken_of(text: str, assigned: re.Match[str], start: int, end: int) -> bool:
    """Whether a value without quotes is a type, a sentence, or code that fetches it."""
    value = text[start:end]
    sign = assigned["sign"]
    is_type = value.casefold() in _TYPES
    if ":" in sign and value.isalpha() and (is_type or _PROSE.match(text, end)):
        return True  # Password: forgot it?
    if sign.isspace() and value.isupper() and is_type:
        return True  # --password TEXT
    if is_code(text, start):
        return True
    return is_name(value) and hides_name(value) and _is_taken_over(assigned["name"], value)


def _is_taken_over(name: str, value: str) -> bool:
    """login(password=db.password), self.token = token; but not PASSWORD=secret."""
    return "." in value or "_" in value or name.endswith(f".{value}")
