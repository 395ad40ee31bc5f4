"""Which kind of task this is, by the words of its title and its text, and which notes that kind
needs.
"""

from __future__ import annotations

from director_ctx.base.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

GENERAL = "General"
MOST_FILES = 2
"""Notes for one task, unless a kind lists more itself."""

WEAK = "~"
CASED = "="
PASSED_OVER = "-"
MARKS = "~word: weak, decides only in a title; =WORD: in this case only; -words: means something else, is passed over."

IN_TITLE = 4
STRONG_WORD = 2
WEAK_WORD = 1
"""What a keyword weighs. In the title every keyword is a strong one."""

_BREAKS = {}
for _code in (*range(128), *range(0x2010, 0x2060), 0xA0, 0xAB, 0xBB):
    if chr(_code) != "_" and not chr(_code).isalnum():
        _BREAKS[_code] = " "


class Kind(Record):
    """A kind of task. A keyword is a word or a few in a row, in any form; a mark before it says
    more (`MARKS`).
    """

    name: str
    keywords: tuple[str, ...]
    files: tuple[str, ...]


TASK_TYPES: tuple[Kind, ...] = (
    Kind(
        "UI",
        ("page", "component", "form", "layout", "button", "modal", "~style", "CSS", "Tailwind", "responsive", "~visual",
         "~screen", "~view", "~template", "~render", "-former", "-form of"),
        ("CONVENTIONS", "STRUCTURE"),
    ),
    Kind(
        "API",
        ("endpoint", "route", "API", "~request", "~response", "database", "query", "schema", "~model", "migration",
         "=REST", "=RESTful", "GraphQL", "~server", "middleware", "-API key", "-pull request", "-media query",
         "-React Query", "-server component"),
        ("ARCHITECTURE", "CONVENTIONS"),
    ),
    Kind(
        "Testing",
        ("~test", "~spec", "~coverage", "~assert", "~expect", "~mock", "fixture", "e2e", "unit test",
         "integration test", "test suite", "-what to expect"),
        ("TESTING", "CONVENTIONS"),
    ),
    Kind(
        "Documents",
        ("README", "changelog", "documentation", "docs", "tutorial", "~document", "~guide"),
        ("CONVENTIONS",),
    ),
    Kind(GENERAL, (), ("CONVENTIONS",)),
)  # fmt: skip
"""`General` stands for a task that matches nothing else. Where two kinds weigh the same, the first
comes first.
"""

RESEARCH_TYPES: tuple[Kind, ...] = (
    Kind(
        "Setup",
        ("~setup", "~install", "~configure", "~dependency", "scaffold", "-install command"),
        ("STACK",),
    ),
)

FILE_ORDER = (
    "CONVENTIONS", "ARCHITECTURE", "STRUCTURE", "TESTING", "STACK", "INTEGRATIONS", "CONCERNS", "FEATURES", "PITFALLS",
)  # fmt: skip


class Subject(Record):
    """What a task says of itself."""

    title: str = ""
    text: str = ""


class TaskMatch(Record):
    """The kinds that a task matched, the weightiest first, each with the words that did it."""

    hits: tuple[tuple[str, tuple[str, ...]], ...]
    files: tuple[str, ...]
    """The notes it gets."""
    related: tuple[str, ...]
    """The notes of every kind that it matched."""

    def __str__(self) -> str:
        hits = []
        for name, words in self.hits:
            hit = name
            if words:
                hit += f" ({', '.join(words)})"
            hits.append(hit)
        return "; ".join(hits)


class Passage(Record):
    """Words in a row, and where each stands, or another that is a form of it."""

    words: Sequence[str]
    places: dict[str, list[int]]


def match(subject: Subject, kinds: Sequence[Kind]) -> TaskMatch:
    """The kinds whose keywords stand in the title or the text, and as many of their notes as one
    task gets.
    """
    title = _passage(subject.title)
    text = _passage(subject.text)

    weighed: list[tuple[int, Kind]] = []
    words: dict[str, tuple[str, ...]] = {}
    for kind in kinds:
        weights = _weights(kind, title, text)
        # Weak words stand in any task, so however many of them decide nothing.
        is_decided = any(weight != WEAK_WORD for weight in weights.values())
        if is_decided:
            weighed.append((sum(weights.values()), kind))
            words[kind.name] = tuple(weights)
    # The sort is stable: of two kinds that weigh the same, the first in the table stays first.
    weighed.sort(key=lambda row: -row[0])

    matched = [kind for _, kind in weighed]
    if not matched:
        matched = [kind for kind in kinds if not kind.keywords]
    return _result(matched, words, _first_files(matched))


def _result(
    matched: Sequence[Kind], words: dict[str, tuple[str, ...]], files: Iterable[str]
) -> TaskMatch:
    hits = [(kind.name, words.get(kind.name, ())) for kind in matched]
    related = in_order(_all_files(matched))
    return TaskMatch(tuple(hits), in_order(files), related)


def _all_files(kinds: Iterable[Kind]) -> list[str]:
    files: list[str] = []
    for kind in kinds:
        files += kind.files
    return files


def _first_files(ranked: Sequence[Kind]) -> list[str]:
    """All notes of the first kind; those of the others while there is room."""
    files: list[str] = []
    for rank, kind in enumerate(ranked):
        for file in kind.files:
            has_room = rank == 0 or len(files) < MOST_FILES
            if has_room and file not in files:
                files.append(file)
    return files


def in_order(files: Iterable[str]) -> tuple[str, ...]:
    """Each once; those that are known first, the others by their names."""
    ranks = {name: rank for rank, name in enumerate(FILE_ORDER)}

    def rank(name: str) -> tuple[int, str]:
        return ranks.get(name, len(ranks)), name

    return tuple(sorted(dict.fromkeys(files), key=rank))


def words_of(text: str) -> list[str]:
    """Words in their own case; `_` belongs to a word, every other mark ends it."""
    return text.translate(_BREAKS).split()


def _passage(text: str) -> Passage:
    words = words_of(text)

    places: dict[str, list[int]] = {}
    for index, word in enumerate(words):
        places.setdefault(word.casefold(), []).append(index)

    # A copy, because bases are added while it is gone through.
    for word, indexes in list(places.items()):
        for base in bases_of(word):
            others = places.get(base, ())
            places[base] = [*others, *indexes]
    return Passage(words, places)


def _weights(kind: Kind, title: Passage, text: Passage) -> dict[str, int]:
    """What each keyword that stands there weighs."""
    not_in_title = _passed_over(kind, title)
    not_in_text = _passed_over(kind, text)

    weights: dict[str, int] = {}
    for keyword in kind.keywords:
        mark, word = _marked(keyword)
        if mark == PASSED_OVER:
            continue
        if _stands(mark, word, title, not_in_title):
            weights[word] = IN_TITLE
        elif not _stands(mark, word, text, not_in_text):
            continue
        elif mark == WEAK:
            weights[word] = WEAK_WORD
        else:
            weights[word] = STRONG_WORD
    return weights


def _marked(keyword: str) -> tuple[str, str]:
    """The mark of a keyword, and the keyword without it."""
    if keyword.startswith((WEAK, CASED, PASSED_OVER)):
        return keyword[0], keyword[1:]
    return "", keyword


def _passed_over(kind: Kind, passage: Passage) -> set[int]:
    """The places where words of this kind mean something else."""
    over: set[int] = set()
    for keyword in kind.keywords:
        mark, phrase = _marked(keyword)
        if mark == PASSED_OVER:
            for span in _spans(phrase, passage):
                over.update(span)
    return over


def _stands(
    mark: str,
    keyword: str,
    passage: Passage,
    passed_over: set[int],
) -> bool:
    for span in _spans(keyword, passage):
        if passed_over.issuperset(span):
            continue
        if mark != CASED or passage.words[span[-1]] == keyword:
            return True
    return False


def _spans(phrase: str, passage: Passage) -> Iterator[range]:
    """Where the words of a phrase stand in a row, the last of them in any form."""
    words = phrase.casefold().replace("-", " ").split() or [""]
    *before, last = words
    for end in passage.places.get(last, ()):
        start = end - len(before)
        if start < 0:
            continue
        standing = [word.casefold() for word in passage.words[start:end]]
        if standing == before:
            yield range(start, end + 1)


_ENDINGS = {
    "s": (("s", ("",)), ("es", ("",)), ("ies", ("y",)), ("ers", ("", "e")), ("ings", ("", "e"))),
    "d": (("ed", ("", "e")), ("ied", ("y",))),
    "r": (("er", ("", "e")),),
    "g": (("ing", ("", "e")),),
}
"""By the last letter of a word: what may be taken off its end, and what may have stood there."""


def bases_of(word: str) -> list[str]:
    """What the word may be a form of: `styled` of `style`, `queries` of `query`, `mapping` of
    `map`.
    """
    # By rule and not by a stemmer: its import would take milliseconds, and it joins more than this.
    bases = []
    for ending, instead in _ENDINGS.get(word[-1:], ()):
        if not word.endswith(ending):
            continue
        stem = word.removesuffix(ending)
        for letters in instead:
            bases.append(stem + letters)
        # `mapping` of `map`.
        is_doubled = len(stem) > 2 and stem[-1] == stem[-2]
        if is_doubled and "e" in instead:
            bases.append(stem[:-1])
    return bases


_COMMON = frozenset(
    "about after again all also and any are because been before being both but can could does done each every for from"
    " had has have her here his how into its just more most must need needs new not now only other our out over own per"
    " same she should show shows so some such than that the their them then there these they this those through too"
    " under until use used user users uses very was way were what when where which while who will with work would you"
    " your task step goal file files page".split()
)


def subject_words(text: str) -> frozenset[str]:
    """The words that say what a text is about; used to judge whether a passage is relevant to it."""
    words = set()
    for word in words_of(text):
        folded = word.casefold()
        if len(folded) > 3 and folded not in _COMMON and not folded.isdigit():
            words.add(_singular(folded))
    return frozenset(words)


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith("ss"):
        return word
    return word.removesuffix("s")
