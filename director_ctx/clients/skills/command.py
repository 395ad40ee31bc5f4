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


QUIET, MERGED, OR, PIPE = "2>/dev/null", "2>&1", "||", "|"
HEAD = 10
_ESCAPED = re.compile(r'\\(["\\$`])')
_TOKENS = (
    r"(?P<blank>[ \t]+)|(?P<quiet>(?<!\S)2>[ \t]*/dev/null(?=[\s|]|$))|(?P<merged>(?<!\S)2>&1(?=[\s|]|$))"
    r"|(?P<operator>\|\|?)|'(?P<single>[^']*)'|\"(?P<double>(?:[^\"\\]|\\.)*)\"|(?P<placeholder>{placeholder})"
    r"|\\(?P<escape>.)|(?P<bare>[\w@%+=:,./^-][\w@%+=:,./^~-]*)"
)


class NeedsShell(Exception):
    """Why a command is more than plain words."""


class Piece(Record):
    """A part of a word: as it stands, or a placeholder."""

    text: str
    open: bool = False


class Word(Record):
    pieces: tuple[Piece, ...]
    quoted: bool
    """Whether a quote is in it; an empty word without one is none."""


class Line(Record):
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


def parse(command: str, names: Sequence[str] = ()) -> tuple[Line, ...]:
    """The lines of a command. Raises `NeedsShell`."""
    lines = [line.strip() for line in command.split("\n")]
    found = tuple(_line(list(_tokens(line, names))) for line in lines if line and line[0] != "#")
    if not found:
        raise NeedsShell("there is no command in it")
    return found


def fill(lines: Sequence[Line], values: Values) -> tuple[Filled, ...]:
    """The same with its placeholders filled in. Raises `NeedsShell` where one may not stand."""
    return tuple(_filled(line, values) for line in lines)


def _filled(line: Line, values: Values) -> Filled:
    if any(is_open(piece, values) for piece in line.words[0].pieces):
        raise NeedsShell("an argument may not name the command")
    words = tuple(text for word in line.words if (text := _word(word, values)) or word.quoted)
    instead = (
        None if line.instead is None else " ".join(_word(word, values) for word in line.instead)
    )
    return Filled(words, line.quiet, line.head, instead)


def _word(word: Word, values: Values) -> str:
    text = "".join(_piece(piece, values) for piece in word.pieces)
    if text.startswith("-") and is_open(word.pieces[0], values):
        raise NeedsShell("an argument may not be an option")
    return text


def _piece(piece: Piece, values: Values) -> str:
    found = pattern(values.names).fullmatch(piece.text) if piece.open else None
    if found is None:
        return piece.text
    known = value(found, values)
    if known is None and is_argument(found):
        return ""
    if known is None:
        raise NeedsShell(f"{piece.text} is not known here")
    if "\0" in known:
        raise NeedsShell("an argument may not hold a NUL")
    return known


def is_open(piece: Piece, values: Values) -> bool:
    """Whether an argument stands there."""
    found = pattern(values.names).fullmatch(piece.text) if piece.open else None
    return bool(found and is_argument(found))


def _tokens(line: str, names: Sequence[str]) -> Iterator[Word | str]:
    """Words, and the idioms between them as strings."""
    shape, pieces, quoted, at = _shape(tuple(names)), list[Piece](), False, 0
    while at < len(line):
        found = shape.match(line, at)
        if found is None:
            raise NeedsShell(_complaint(line[at:]))
        at = found.end()
        if found["blank"] or (idiom := _idiom(found)):
            if pieces or quoted:
                yield Word(tuple(pieces), quoted)
            pieces, quoted = [], False
            if not found["blank"]:
                yield idiom
            continue
        pieces += _pieces(found, names)
        quoted = quoted or found[0][0] in "'\""
    if pieces or quoted:
        yield Word(tuple(pieces), quoted)


@lru_cache(maxsize=8)
def _shape(names: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(_TOKENS.format(placeholder=pattern(names).pattern))


def _idiom(found: re.Match[str]) -> str:
    return QUIET if found["quiet"] else MERGED if found["merged"] else found["operator"] or ""


def _complaint(rest: str) -> str:
    """What a shell would be needed for."""
    word = rest.split(maxsplit=1)[0][:40]
    if word[0] in "$*?[{~":
        return f"it needs a shell, to work out {word}"
    sign = re.match(r"&&?|;|>>?|<<?|[()`]", word)
    return (
        f"it needs a shell, because of the {sign[0]} in it"
        if sign
        else f"it needs a shell, to read {word}"
    )


def _pieces(found: re.Match[str], names: Sequence[str]) -> Iterator[Piece]:
    if found["placeholder"]:
        yield _open(found[0])
    elif found["single"] is not None:
        yield from _inside(found["single"], names, False)
    elif found["double"] is not None:
        yield from _inside(found["double"], names, True)
    else:
        yield Piece(found["escape"] or found["bare"])


def _inside(text: str, names: Sequence[str], double: bool) -> Iterator[Piece]:
    """What is between quotes; in double ones a shell would still expand."""
    at = 0
    for found in (*pattern(names).finditer(text), None):
        literal = text[at : found.start() if found else len(text)]
        if double and any(char in _ESCAPED.sub("", literal) for char in "$`"):
            raise NeedsShell("it needs a shell, to work out what stands between its quotes")
        if literal:
            yield Piece(_ESCAPED.sub(r"\1", literal) if double else literal)
        if found:
            at = found.end()
            yield _open(found[0])


def _open(text: str) -> Piece:
    """A placeholder; one that is escaped is a dollar and nothing more."""
    return Piece("$") if text == r"\$" else Piece(text, True)


def _line(tokens: list[Word | str]) -> Line:
    front, instead = _cut(tokens, OR)
    main, tail = _cut(front, PIPE)
    quiet = QUIET in (*main, *(tail or ()))
    words = tuple(word for word in main if isinstance(word, Word))
    if not words or any(token in (OR, PIPE) for token in (*(instead or ()), *(tail or ()))):
        raise NeedsShell("it needs a shell, for its pipes")
    if "=" in literal(words[0]):
        raise NeedsShell("it sets a variable")
    return Line(words, quiet, _head(tail), _instead(instead))


def _cut(tokens: list[Word | str], at: str) -> tuple[list[Word | str], list[Word | str] | None]:
    if at not in tokens:
        return tokens, None
    place = tokens.index(at)
    return tokens[:place], tokens[place + 1 :]


def _literals(tokens: Sequence[Word | str]) -> list[str]:
    return [literal(token) for token in tokens if isinstance(token, Word)]


def literal(word: Word) -> str:
    """A word as it is written, without its quotes."""
    return "".join(piece.text for piece in word.pieces)


def _head(tail: list[Word | str] | None) -> int | None:
    """`head`, `head -5`, `head -n 5` and `head -n5`."""
    if tail is None:
        return None
    name, *rest = _literals(tail) or [""]
    number = "".join(rest).removeprefix("-").removeprefix("n") if rest else str(HEAD)
    if (
        name != "head"
        or not (number.isascii() and number.isdigit())
        or (rest and rest[0][:1] != "-")
    ):
        raise NeedsShell("it is piped into something other than `head -N`")
    return int(number[:9])


def _instead(tokens: list[Word | str] | None) -> tuple[Word, ...] | None:
    if tokens is None:
        return None
    words = tuple(token for token in tokens if isinstance(token, Word))
    name = literal(words[0]) if words else ""
    if name in ("true", ":") and len(words) == 1:
        return ()
    if name != "echo" or any(text.startswith("-") for text in _literals(words[1:2])):
        raise NeedsShell("after || it does more than `true` or `echo TEXT`")
    return words[1:]


PLAIN = ("echo", "printf", "ls", "wc", "basename", "dirname")
"""Programs for which a word is never code, and which print no file that it names."""
_INTERPRETER = re.compile(r"(?:.*/)?(?:(?:ba|da|z)?sh|python[\d.]*|node|perl|ruby|php)")
_SCRIPT = re.compile(r"[^-].*\.(?:sh|bash|py|js|mjs|cjs|pl|rb|php)", re.S)


def takes_data(lines: Sequence[Line], values: Values) -> bool:
    """Whether every argument goes into one of these programs, or into a script: called by its
    place, or right behind what runs it.
    """
    return all(_takes_data(line, values) for line in lines)


def only_tells(lines: Sequence[Line]) -> bool:
    """Whether nothing is run but these programs: no file or folder that they name can change what
    happens.
    """
    return all(literal(line.words[0]) in PLAIN for line in lines)


def _takes_data(line: Line, values: Values) -> bool:
    given = [any(is_open(piece, values) for piece in word.pieces) for word in line.words]
    name = literal(line.words[0])
    if not any(given) or name in PLAIN:
        return True
    if _INTERPRETER.fullmatch(name):
        return not given[1] and bool(_SCRIPT.fullmatch(literal(line.words[1])))
    return "/" in name and bool(_SCRIPT.fullmatch(name))
