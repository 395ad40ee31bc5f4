"""A text as words in small letters and the marks between them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    Words = tuple[str, ...]

REACH = 40
"""Words and marks that may stand between what belongs together."""
QUOTE, LINE, CUT = '"', "\n", "…"
MARKS = frozenset('"()[]{}<>|,;:!?=.\n…—→')
ENDS = frozenset(".!?;\n")
_SPACED = str.maketrans(
    {
        **{mark: f" {mark} " for mark in "()[]{}|,;:!?=\n—→…<>"},
        **dict.fromkeys('"“”„«»`「」『』*', f" {QUOTE} "),
        "\\": "/", "\u2019": "'", "\u2013": "-", "\uff08": " ( ", "\uff09": " ) ", "\uff1a": " : ", "\u3002": " . ",
        "\u3001": " , ",
    }
)  # fmt: skip
_SPEAKERS = frozenset("user assistant human ai system".split())
STOP = frozenset(
    "a an the of for to in on at by with and or from into as is are be it its this that these those your our my"
    " their please s".split()
)
"""Words that tell no title from another."""
_COUNTED = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen".split()
)  # fmt: skip


def tokens_of(text: str) -> list[str]:
    """Words in small letters, and the marks between them."""
    text = text.casefold().replace("\t", " ").replace("\r", "")
    if not text.isascii():
        from unicodedata import normalize

        text = normalize("NFC", text)
    text = text.replace("'s ", " ").replace(" '", f" {QUOTE} ").replace("' ", f" {QUOTE} ")
    tokens: list[str] = []
    for word in text.replace("...", CUT).translate(_SPACED).replace(". ", " . ").split(" "):
        bare = word if word in MARKS else word.rstrip(".")
        if bare:
            tokens.append(bare)
        if word != bare:
            tokens.append(".")
    return tokens


def prose_of(tokens: Sequence[str]) -> list[str]:
    """Without code, quoted mail and traces of a stack; without the marks of lists and headings."""
    lines: list[list[str]] = [[]]
    for token in tokens:
        if token == LINE:
            lines.append([])
        else:
            lines[-1].append(token)
    spoken: list[str] = []
    is_code = False
    for line in lines:
        is_fence = line[:3] == [QUOTE] * 3 or line[:1] == ["~~~"]
        is_code ^= is_fence
        # A quoted mail, or a transcript of another conversation.
        is_quoted = line[:1] == [">"] or (line[1:2] == [":"] and line[0] in _SPEAKERS)
        is_trace = line[:1] in (["at"], ["file"]) and ("(" in line or "line" in line)
        if not (is_fence or is_code or is_quoted or is_trace):
            while line and (
                not line[0].strip("#-+•") or (line[0].isdecimal() and line[1:2] == ["."])
            ):
                del line[0]
            spoken += line
        spoken.append(LINE)
    return spoken


def words_in(token: str) -> list[str]:
    """The words of a token such as `create-image`."""
    if token in MARKS:
        return []
    return token.replace("-", " ").replace("_", " ").replace("&", " ").strip("'").split()


def spoken(tokens: Sequence[str]) -> list[tuple[str, int]]:
    """The words that tell titles apart, each with its place."""
    return [
        (word, at)
        for at, token in enumerate(tokens)
        for word in words_in(token)
        if word not in STOP
    ]


def content(text: str) -> Words:
    return tuple(word for word, _ in spoken(tokens_of(text)))


def number_in(token: str) -> int | None:
    token = token.lstrip("#")
    if token.isascii() and token.isdigit() and len(token) <= 6:
        return int(token)
    return _COUNTED.index(token) if token in _COUNTED else None


def before_it(tokens: Sequence[str], at: int, most: int) -> list[str]:
    """The words before a place, back to the beginning of its sentence."""
    words: list[str] = []
    for token in reversed(tokens[max(0, at - REACH) : at]):
        if token in ENDS or len(words) == most:
            break
        if token not in MARKS:
            words.insert(0, token.replace("'", ""))
    return words


def behind_it(tokens: Sequence[str], at: int, most: int) -> list[str]:
    """The words behind a place, to the end of its clause."""
    words: list[str] = []
    for token in tokens[at : at + REACH]:
        if token in ENDS or len(words) == most:
            break
        if token not in MARKS:
            words.append(token.replace("'", ""))
    return words
