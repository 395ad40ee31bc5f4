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
    if any(is_open(piece, values) for piece in line.words[0].pieces):
        raise NeedsShell("an argument may not name the command")

    words: list[str] = []
    for word in line.words:
        text = _word(word, values)
        if text or word.quoted:
            words.append(text)
    instead = None
    if line.instead is not None:
        instead = " ".join(_word(word, values) for word in line.instead)
    return Filled(
        words=tuple(words),
        quiet=line.quiet,
        head=line.head,
        instead=instead,
    )


def _word(word: Word, values: Values) -> str:
    text = "".join(_piece(piece, values) for piece in word.pieces)
    if text.startswith("-") and is_open(word.pieces[0], values):
        raise NeedsShell("an argument may not be an option")
    return text


def _piece(piece: WordPart, values: Values) -> str:
    placeholder = _placeholder(piece, values)
    if placeholder is None:
        return piece.text
    known = value(placeholder, values)
    if known is None and is_argument(placeholder):
        return ""
    if known is None:
        raise NeedsShell(f"{piece.text} is not known here")
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
    return placeholder is not None and is_argument(placeholder)


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
        if not match["blank"] and not idiom:
            pieces += _pieces(match, names)
            quoted = quoted or match[0][0] in "'\""
            continue
        # Here a word ends.
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
    return re.compile(_TOKENS.format(placeholder=pattern(names).pattern))


def _idiom(match: re.Match[str]) -> str:
    if match["quiet"]:
        return QUIET
    if match["merged"]:
        return MERGED
    return match["operator"] or ""


def _complaint(rest: str) -> str:
    """What a shell would be needed for."""
    word = rest.split(maxsplit=1)[0][:40]
    if word[0] in "$*?[{~":
        return f"it needs a shell, to work out {word}"
    sign = re.match(r"&&?|;|>>?|<<?|[()`]", word)
    if sign:
        return f"it needs a shell, because of the {sign[0]} in it"
    return f"it needs a shell, to read {word}"


def _pieces(match: re.Match[str], names: Sequence[str]) -> Iterator[WordPart]:
    if match["placeholder"]:
        yield _open(match[0])
    elif match["single"] is not None:
        yield from _inside(match["single"], names, False)
    elif match["double"] is not None:
        yield from _inside(match["double"], names, True)
    else:
        yield WordPart(match["escape"] or match["bare"])


def _inside(
    text: str,
    names: Sequence[str],
    double: bool,
) -> Iterator[WordPart]:
    """What is between quotes; in double ones a shell would still expand."""
    at = 0
    for placeholder in pattern(names).finditer(text):
        yield from _between(text[at : placeholder.start()], double)
        yield _open(placeholder[0])
        at = placeholder.end()
    yield from _between(text[at:], double)


def _between(text: str, double: bool) -> Iterator[WordPart]:
    """What is between two placeholders."""
    if not double:
        if text:
            yield WordPart(text)
        return
    unescaped = _ESCAPED.sub("", text)
    if "$" in unescaped or "`" in unescaped:
        raise NeedsShell("it needs a shell, to work out what stands between its quotes")
    if text:
        yield WordPart(_ESCAPED.sub(r"\1", text))


def _open(text: str) -> WordPart:
    """A placeholder; one that is escaped is a dollar and nothing more."""
    if text == r"\$":
        return WordPart("$")
    return WordPart(text, open=True)


def _line(tokens: list[Word | str]) -> SkillCommand:
    front, fallback = _cut(tokens, OR)
    main, tail = _cut(front, PIPE)
    words = tuple(word for word in main if isinstance(word, Word))
    behind = [*(fallback or ()), *(tail or ())]
    # What is behind a pipe or an `||` has no second one.
    if not words or OR in behind or PIPE in behind:
        raise NeedsShell("it needs a shell, for its pipes")
    if "=" in literal(words[0]):
        raise NeedsShell("it sets a variable")

    quiet = QUIET in main or (tail is not None and QUIET in tail)
    head = _head(tail)
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
    return tokens[:index], tokens[index + 1 :]


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
    number = str(HEAD)
    is_option = True
    if rest:
        number = "".join(rest).removeprefix("-").removeprefix("n")
        is_option = rest[0].startswith("-")

    is_number = number.isascii() and number.isdigit()
    if name != "head" or not is_number or not is_option:
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


def takes_data(lines: Sequence[SkillCommand], values: Values) -> bool:
    """Whether every argument goes into one of these programs, or into a script: called by its
    place, or right behind what runs it.
    """
    return all(_takes_data(line, values) for line in lines)


def only_tells(lines: Sequence[SkillCommand]) -> bool:
    """Whether nothing is run but these programs: no file or folder that they name can change what
    happens.
    """
    return all(literal(line.words[0]) in PLAIN for line in lines)


def _takes_data(line: SkillCommand, values: Values) -> bool:
    given = []
    for word in line.words:
        given.append(any(is_open(piece, values) for piece in word.pieces))
    name = literal(line.words[0])
    if not any(given) or name in PLAIN:
        return True

    if _INTERPRETER.fullmatch(name):
        script = literal(line.words[1])
        return not given[1] and _SCRIPT.fullmatch(script) is not None
    return "/" in name and _SCRIPT.fullmatch(name) is not None
