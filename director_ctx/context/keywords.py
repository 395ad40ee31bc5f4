"""Which kind of task this is, by whole words of its text, and which notes that kind needs."""

from __future__ import annotations

from director_ctx.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

GENERAL = "General"

_BREAKS = {
    code: " "
    for code in [*range(128), *range(0x2010, 0x2060), 0xA0, 0xAB, 0xBB]
    if not (chr(code).isalnum() or chr(code) == "_")
}


class Kind(Record):
    """A kind of task. A keyword that begins with `=` must match its case."""

    name: str
    keywords: tuple[str, ...]
    files: tuple[str, ...]


TASK_TYPES: tuple[Kind, ...] = (
    Kind(
        "UI",
        ("page", "component", "form", "layout", "button", "modal", "style", "CSS", "Tailwind", "responsive", "visual",
         "screen", "view", "template", "render"),
        ("CONVENTIONS", "STRUCTURE"),
    ),
    Kind(
        "API",
        ("endpoint", "route", "API", "request", "response", "database", "query", "schema", "model", "migration",
         "=REST", "=RESTful", "GraphQL", "server", "middleware"),
        ("ARCHITECTURE", "CONVENTIONS"),
    ),
    Kind(
        "Testing",
        ("test", "spec", "coverage", "assert", "expect", "mock", "fixture", "e2e", "unit test", "integration test"),
        ("TESTING", "CONVENTIONS"),
    ),
    Kind(GENERAL, (), ("CONVENTIONS",)),
)  # fmt: skip
"""`General` stands for a task that matches nothing else."""

RESEARCH_TYPES: tuple[Kind, ...] = (Kind("Setup", ("setup", "install", "configure", "dependency"), ("STACK",)),)

FILE_ORDER = (
    "CONVENTIONS", "ARCHITECTURE", "STRUCTURE", "TESTING", "STACK", "INTEGRATIONS", "CONCERNS", "FEATURES", "PITFALLS",
)  # fmt: skip


class Match(Record):
    """The kinds that a text matched, each with the words that did it."""

    hits: tuple[tuple[str, tuple[str, ...]], ...]
    files: tuple[str, ...]

    def __str__(self) -> str:
        return "; ".join(f"{name} ({', '.join(words)})" if words else name for name, words in self.hits)


def words_of(text: str) -> list[str]:
    """Words in their own case; `_` belongs to a word, every other mark ends it."""
    return text.translate(_BREAKS).split()


def match(text: str, kinds: Iterable[Kind]) -> Match:
    """The union of the kinds whose keywords stand in the text as whole words or plurals."""
    words = words_of(text)
    exact, lower = set(words), {word.casefold() for word in words}
    joined = f" {' '.join(word.casefold() for word in words)} "
    hits = []
    for kind in kinds:
        found = tuple(keyword.removeprefix("=") for keyword in kind.keywords if _stands(keyword, exact, lower, joined))
        if found:
            hits.append((kind.name, found))
    return _result(hits, kinds)


def chosen(names: Iterable[str], kinds: Iterable[Kind]) -> Match:
    """The kinds that the user named."""
    wanted = {name.casefold() for name in names}
    return _result([(kind.name, ()) for kind in kinds if kind.name.casefold() in wanted], kinds)


def _result(hits: list[tuple[str, tuple[str, ...]]], kinds: Iterable[Kind]) -> Match:
    kinds = tuple(kinds)
    hits = hits or [(kind.name, ()) for kind in kinds if not kind.keywords]
    names = {name for name, _ in hits}
    files = {file for kind in kinds if kind.name in names for file in kind.files}
    return Match(tuple(hits), in_order(files))


def in_order(files: Iterable[str]) -> tuple[str, ...]:
    known = {name: place for place, name in enumerate(FILE_ORDER)}
    return tuple(sorted(dict.fromkeys(files), key=lambda name: (known.get(name, len(known)), name)))


def _stands(keyword: str, exact: set[str], lower: set[str], joined: str) -> bool:
    if keyword.startswith("="):
        return keyword[1:] in exact
    wanted = keyword.casefold()
    if " " in wanted:
        return any(f" {form} " in joined for form in _forms(wanted))
    return any(form in lower for form in _forms(wanted))


def _forms(word: str) -> tuple[str, ...]:
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return word, f"{word[:-1]}ies"
    return word, f"{word}s", f"{word}es"


_COMMON = frozenset(
    "about after again all also and any are because been before being both but can could does done each every for from"
    " had has have her here his how into its just more most must need needs new not now only other our out over own per"
    " same she should show shows so some such than that the their them then there these they this those through too"
    " under until use used user users uses very was way were what when where which while who will with work would you"
    " your task step goal file files page".split()
)


def subject_words(text: str) -> frozenset[str]:
    """The words that say what a text is about; used to judge whether a passage is relevant to it."""
    words = (word.casefold() for word in words_of(text))
    return frozenset(_singular(word) for word in words if len(word) > 3 and word not in _COMMON and not word.isdigit())


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word
