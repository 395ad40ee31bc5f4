"""Code as an outline: signatures with what is said below them, then the rest from the top."""

from __future__ import annotations

import re

from director_ctx.history.results.reading import (
    FIRST,
    FRAME,
    LAST,
    ODD,
    ORNAMENT,
    PLAIN,
    ResultReading,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.history.results.sample import Sample

_ENDINGS = re.compile(
    r"\.(?:py|pyi|[jt]sx?|mjs|cjs|go|rs|java|kt|rb|php|cs?|cc|cpp|h|hpp|swift|scala|zig|exs?|lua|nix"
    r"|sh|bash|sql|vue|svelte|s?css|ya?ml|toml|ini|cfg|proto|tf)\b"
)
_DEFINES = frozenset(
    "def class func fn function interface type struct enum trait impl mod module namespace package union macro_rules!"
    " describe it test CREATE create".split()
)
_MODIFIERS = frozenset(
    "export default public private protected static async abstract final override pub unsafe extern inline virtual"
    " declare readonly".split()
)
_VALUES = frozenset(("const", "let", "var"))
_IS_FUNCTION = re.compile(r"= *(?:async )?(?:\(|function\b|\w+ =>)")
_CONSTANT = re.compile(r"[A-Z][A-Z_0-9]{2,} *(?::[^=]+)?= ")
_WORD = re.compile(r"[\w!]+")
_IMPORTS = ("import ", "from ", "#include", "use ", "using ", "import(")
_COMMON = re.compile(
    r"import |from \S+ import|#include|package |using |use \w|const |let |var "
    r"|return\b|raise |throw |await |while\b|else|try\b|except\b|catch\b|(?:if|for)\b.*[:{]$"
    r"|[})]|self\.|//|/\*|\"\"\"|\w[\w.\[\]]* [:+-]?= |\w[\w.]*\(.*\)[;,]?$"
)
_LINE_ENDS = (";", "{", "(", "):", "},")
_SHARE = 0.5
_SHARE_OF_NAMED = 0.1
_FEWEST = 6
_INDENT = 4
_DEEPEST = 8
_NOTES = ("TODO", "FIXME", "XXX", "HACK", "BUG:", "NOTE:")
_DOCUMENTS = ('"""', "'''", 'r"""', "///", "/**", "//", "# ")
_ENDS = ("return", "raise", "throw", "panic", "yield")
_EMPTY = "{}()[];,\"'`*/ "
_MOST_LINES = 30
"""Lines of a signature."""


def names_code(call: str) -> bool:
    """Whether a call names a file of code."""
    return _ENDINGS.search(call) is not None


def recognised(sample: Sample) -> bool:
    if len(sample.lines) < _FEWEST:
        return False
    code = 0
    for line in sample.lines:
        text = line.strip()
        code += bool(text.endswith(_LINE_ENDS) or _is_signature(text) or _COMMON.match(text))
    share = code / len(sample.lines)
    return share >= (_SHARE_OF_NAMED if names_code(sample.call) else _SHARE)


def read(sample: Sample) -> ResultReading | None:
    outline = _Outline()
    pieces: list[str] = []
    worths: list[float] = []
    for line in sample.text.split("\n"):
        goes_on = outline.is_open
        worth = outline.worth(line)
        if goes_on:
            # A signature says something only as a whole.
            pieces[-1] += f"\n{line}"
            continue
        pieces.append(line)
        worths.append(worth)
    return ResultReading(pieces, worths)


class _Outline:
    """What each line is worth, by what came before it."""

    def __init__(self) -> None:
        self.is_open = False
        """Whether a signature or an import goes on over several lines."""
        self._lines = 0
        self._after_signature = False

    def worth(self, line: str) -> float:
        text = line.strip()
        if self.is_open:
            self._go_on(text)
            return ORNAMENT
        if not text.strip(_EMPTY):
            return ORNAMENT

        after_signature = self._after_signature
        self._after_signature = False
        indent = (len(line) - len(line.lstrip())) / _INDENT
        if _is_signature(text):
            self._begin(text, "(")
            self._after_signature = True
            return max(LAST, ODD - min(indent, _DEEPEST) / 4)
        if text.startswith(_IMPORTS):
            self._begin(text, "({")
            return PLAIN
        if after_signature and text.startswith(_DOCUMENTS):
            return FIRST
        return _worth_of_body(text, indent)

    def _begin(self, text: str, brackets: str) -> None:
        """The body of a function is none of its signature, so its bracket opens nothing."""
        self.is_open = text.endswith(tuple(brackets))
        self._lines = 0

    def _go_on(self, text: str) -> None:
        """Until the bracket is closed; whatever is too long for a signature is none."""
        self._lines += 1
        if text.startswith((")", "}", "]")) or self._lines > _MOST_LINES:
            self.is_open = False


def _is_signature(text: str) -> bool:
    match = _WORD.match(text)
    if match is None:
        return text.startswith("@") and text[1:2].isalpha()
    word = match[0]
    if word in _DEFINES:
        return text[len(word) : len(word) + 1] in (" ", "(", "")
    if word in _MODIFIERS:
        return True
    if word in _VALUES:
        return _IS_FUNCTION.search(text) is not None
    return word.isupper() and _CONSTANT.match(text) is not None


def _worth_of_body(text: str, indent: float) -> float:
    if any(note in text for note in _NOTES):
        return FRAME
    if text.startswith(_ENDS):
        return LAST - min(indent, _DEEPEST) / 10
    return PLAIN + 1 / (2 + indent)
