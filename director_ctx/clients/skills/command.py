"""A command of a skill, taken apart without a shell: plain words, the idioms around them, and words
that are only data.

What these are is the whole grammar: `WORDS [2>/dev/null] [| head [-N]] [|| true | || echo TEXT]`, a
line each. Everything else is a shell's business, and `NeedsShell` says why.
"""

from __future__ import annotations

import re
from functools import lru_cache

from director_ctx.base.record import Record
from director_ctx.clients.skills.arguments import Values, is_argument, pattern, value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from director_ctx.clients.skills.arguments import Values


QUIET = "2>/dev/null"
MERGED = "2>&1"
OR = "||"
PIPE = "|"
HEAD = 10
"""Lines that `head` prints where it is not told how many."""
_ESCAPED = re.compile(r'\\(["\\$`])')
_TOKENS = (
    r"(?P<blank>[ \t]+)|(?P<quiet>(?<!\S)2>[ \t]*/dev/null(?=[\s|]|$))|(?P<merged>(?<!\S)2>&1(?=[\s|]|$))"
    r"|(?P<operator>\|\|?)|'(?P<single>[^']*)'|\"(?P<double>(?:[^\"\\]|\\.)*)\"|(?P<placeholder>{placeholder})"
    r"|\\(?P<escape>.)|(?P<bare>[\w@%+=:,./^-][\w@%+=:,./^~-]*)"
)


class NeedsShell(Exception):
    """Why a command is more than plain words."""


class WordPart(Record):
    """A part of a word: as it stands, or a placeholder."""

    text: str
    open: bool = False


class Word(Record):
    pieces: tuple[WordPart, ...]
    quoted: bool
    """Whether a quote is in it; an empty word without one is none."""


class SkillCommand(Record):
    """One command and what the shell would do around it."""

    words: tuple[Word, ...]
    quiet: bool = False
    """Whether its complaints are thrown away."""
    head: int | None = None
    """How many lines of its output are wanted."""
    instead: tuple[Word, ...] | None = None
    """What is echoed where it fails; None where its failure counts."""


class Filled(Record):
    """A line whose words are what they will be."""

    words: tuple[str, ...]
    quiet: bool
    head: int | None
    instead: str | None


def parse(command: str, names: Sequence[str] = ()) -> tuple[SkillCommand, ...]:
    """The lines of a command. Raises `NeedsShell`."""
    lines: list[SkillCommand] = []
    for written in command.split("\n"):
        text = written.strip()
        if text and not text.startswith("#"):
            tokens = list(_tokens(text, names))
            lines.append(_line(tokens))
    if not lines:
        raise NeedsShell("there is no command in it")
    return tuple(lines)


def fill(lines: Sequence[SkillCommand], values: Values) -> tuple[Filled, ...]:
    """The same with its placeholders filled in. Raises `NeedsShell` where one may not stand."""
    return tuple(_filled(line, values) for line in lines)


def _filled(line: SkillCommand, values: Values) -> Filled:
    if takes_argument(line.words[0], values):
        raise NeedsShell("an argument may not name the command")

    words: list[str] = []
    for word in line.words:
        text = _word(word, values)
        # As in a shell: nothing is no word, unless it is quoted.
        if text or word.quoted:
            words.append(text)
    instead = None
    if line.instead is not None:
        instead_words = [_word(word, values) for word in line.instead]
        instead = " ".join(instead_words)
    return Filled(
        words=tuple(words),
        quiet=line.quiet,
        head=line.head,
        instead=instead,
    )


def takes_argument(word: Word, values: Values) -> bool:
    """Whether an argument is a part of it."""
    return any(is_open(piece, values) for piece in word.pieces)


def _word(word: Word, values: Values) -> str:
    pieces = [_piece(piece, values) for piece in word.pieces]
    text = "".join(pieces)
    if text.startswith("-") and is_open(word.pieces[0], values):
        raise NeedsShell("an argument may not be an option")
    return text


def _piece(piece: WordPart, values: Values) -> str:
    placeholder = _placeholder(piece, values)
    if placeholder is None:
        return piece.text
    known = value(placeholder, values)
    if known is None:
        if is_argument(placeholder):
            return ""
        raise NeedsShell(f"{piece.text} is not known here")
    # No process can be started with one.
    if "\0" in known:
        raise NeedsShell("an argument may not hold a NUL")
    return known


def _placeholder(piece: WordPart, values: Values) -> re.Match[str] | None:
    if not piece.open:
        return None
    return pattern(values.names).fullmatch(piece.text)


def is_open(piece: WordPart, values: Values) -> bool:
    """Whether an argument stands there."""
    placeholder = _placeholder(piece, values)
    if placeholder is None:
        return False
    return is_argument(placeholder)


def _tokens(line: str, names: Sequence[str]) -> Iterator[Word | str]:
    """Words, and the idioms between them as strings."""
    shape = _shape(tuple(names))
    pieces: list[WordPart] = []
    quoted = False
    at = 0
    while at < len(line):
        match = shape.match(line, at)
        if match is None:
            raise NeedsShell(_complaint(line[at:]))
        at = match.end()

        idiom = _idiom(match)
        ends_word = bool(match["blank"]) or bool(idiom)
        if not ends_word:
            pieces += _pieces(match, names)
            quoted = quoted or match[0].startswith(("'", '"'))
            continue
        if pieces or quoted:
            yield Word(tuple(pieces), quoted)
        pieces = []
        quoted = False
        if idiom:
            yield idiom
    if pieces or quoted:
        yield Word(tuple(pieces), quoted)


@lru_cache(maxsize=8)
def _shape(names: tuple[str, ...]) -> re.Pattern[str]:
    placeholder = pattern(names).pattern
    return re.compile(_TOKENS.format(placeholder=placeholder))


def _idiom(match: re.Match[str]) -> str:
    if match["quiet"]:
        return QUIET
    if match["merged"]:
        return MERGED
    return match["operator"] or ""


def _complaint(rest: str) -> str:
    """What a shell would be needed for."""
    first_word = rest.split(maxsplit=1)[0]
    word = first_word[:40]
    if word.startswith(("$", "*", "?", "[", "{", "~")):
        return f"it needs a shell, to work out {word}"
    sign = re.match(r"&&?|;|>>?|<<?|[()`]", word)
    if sign:
        return f"it needs a shell, because of the {sign[0]} in it"
    return f"it needs a shell, to read {word}"


def _pieces(match: re.Match[str], names: Sequence[str]) -> Iterator[WordPart]:
    if match["placeholder"]:
        yield _open(match[0])
    elif match["single"] is not None:
        yield from _inside(match["single"], names, double=False)
    elif match["double"] is not None:
        yield from _inside(match["double"], names, double=True)
    else:
        text = match["escape"] or match["bare"]
        yield WordPart(text)


def _inside(
    text: str,
    names: Sequence[str],
    double: bool,
) -> Iterator[WordPart]:
    """What is between quotes; in double ones a shell would still expand."""
    at = 0
    for placeholder in pattern(names).finditer(text):
        before = text[at : placeholder.start()]
        yield from _between(before, double)
        yield _open(placeholder[0])
        at = placeholder.end()
    rest = text[at:]
    yield from _between(rest, double)


def _between(text: str, double: bool) -> Iterator[WordPart]:
    """What is between two placeholders."""
    if not text:
        return
    if not double:
        yield WordPart(text)
        return
    without_escaped = _ESCAPED.sub("", text)
    if "$" in without_escaped or "`" in without_escaped:
        raise NeedsShell("it needs a shell, to work out what stands between its quotes")
    unescaped = _ESCAPED.sub(r"\1", text)
    yield WordPart(unescaped)


def _open(text: str) -> WordPart:
    """A placeholder; one that is escaped is a dollar and nothing more."""
    if text == r"\$":
        return WordPart("$")
    return WordPart(text, open=True)


def _line(tokens: list[Word | str]) -> SkillCommand:
    front, fallback = _cut(tokens, OR)
    main, tail = _cut(front, PIPE)
    words = _only_words(main)
    behind = [*(fallback or ()), *(tail or ())]
    # What is behind a pipe or an `||` has no second one.
    has_second = OR in behind or PIPE in behind
    if not words or has_second:
        raise NeedsShell("it needs a shell, for its pipes")
    if "=" in literal(words[0]):
        raise NeedsShell("it sets a variable")

    quiet = QUIET in main
    head = None
    if tail is not None:
        quiet = quiet or QUIET in tail
        head = _head(tail)
    instead = None
    if fallback is not None:
        instead = _instead(fallback)
    return SkillCommand(
        words=words,
        quiet=quiet,
        head=head,
        instead=instead,
    )


def _cut(
    tokens: list[Word | str],
    operator: str,
) -> tuple[list[Word | str], list[Word | str] | None]:
    if operator not in tokens:
        return tokens, None
    index = tokens.index(operator)
    before = tokens[:index]
    behind = tokens[index + 1 :]
    return before, behind


def _only_words(tokens: Sequence[Word | str]) -> tuple[Word, ...]:
    return tuple(token for token in tokens if isinstance(token, Word))


def literal(word: Word) -> str:
    """A word as it is written, without its quotes."""
    return "".join(piece.text for piece in word.pieces)


def _head(tail: list[Word | str]) -> int:
    """`head`, `head -5`, `head -n 5` and `head -n5`."""
    words = [literal(word) for word in _only_words(tail)]
    if words == ["head"]:
        return HEAD

    is_option = len(words) > 1 and words[1].startswith("-")
    option = "".join(words[1:])
    number = option.removeprefix("-").removeprefix("n")
    # `isdigit` alone is true of digits that no number is made of, such as a small two.
    is_number = number.isascii() and number.isdigit()
    if words[:1] != ["head"] or not is_number or not is_option:
        raise NeedsShell("it is piped into something other than `head -N`")
    # Python refuses to read a number of thousands of digits.
    return int(number[:9])


def _instead(fallback: list[Word | str]) -> tuple[Word, ...]:
    words = _only_words(fallback)
    texts = [literal(word) for word in words]
    if texts in (["true"], [":"]):
        return ()
    # An option of `echo` would change what it prints.
    has_option = len(texts) > 1 and texts[1].startswith("-")
    if texts[:1] != ["echo"] or has_option:
        raise NeedsShell("after || it does more than `true` or `echo TEXT`")
    return words[1:]
