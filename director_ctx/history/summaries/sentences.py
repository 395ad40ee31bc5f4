"""What a sentence of the model is noted for: a problem and its solution, what was made, a finding.

What it decided is in the hand-over.
"""

from __future__ import annotations

import re

from director_ctx.base.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

SOLUTION, MADE, FINDING, PROBLEM = "solution", "made", "finding", "problem"
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z`*\"'(\[])")
_ITEM = re.compile(r"\s*(?:[-*•]|\d+[.)])\s")
"""How a line of a list begins."""
_MARKS = "*_`# "
_LONG = 20
"""Characters of a sentence that has to say more than a word to be worth a note."""
_LOOKED_AT = 2_000
"""Characters of what somebody pasted without an end."""

_FINDS = r"""
    \b(?:found|find\ that|confirm\w*|discover\w*
    |shows?\ that|it\ (?:is|was)\ (?:in|at|caused)|stable|located|works?\ (?:now|with)|pass(?:es|ed)?)\b
"""
_SOLVES = r"""
    \b(?:solved|resolved|repaired|worked\ around|got\ around|corrected|mended|circumvented|mitigated|unblocked
    |sorted\ out|fixed(?![- ](?:width|size|length|point|number|order|list|set|price|time)\b)
    |(?:fix|solution|remedy|workaround|work-around)(?:\ (?:is|was)\b|:)
    |no\ longer\ (?:fails?|breaks?|crash\w*|hangs?|times?\ out|appears?|happens?)|went\ away|disappeared)
    | \b(?:fail|broke|crash|hung|reject|refus|time[sd]?\ out|got\ stuck)\w*\b.*\b(?:until|so|after|once)\ (?:I|we)\b
"""
_THINGS = (
    "nodes?|steps?|tasks?|phases?|plans?|goals?|workflows?|flows?|triggers?|webhooks?|schedules?|edges?|connections?"
    "|branch(?:es)?|loops?|variables?|credentials?|secrets?|config\\w*|settings?|parameters?|tables?|columns?|schemas?"
    "|records?|entr(?:y|ies)|buckets?|queues?|jobs?|endpoints?|routes?|templates?|selectors?|projects?|agents?"
)
_ACTS = (
    "created|added|built|generated|inserted|configured|connected|linked|wired|set\\ up|registered|defined|named|renamed"
    "|removed|deleted|updated|changed|replaced|moved|duplicated|deployed|published|saved|stored|scheduled|enabled"
    "|disabled|attached|activated|assigned"
)
_MAKES = rf"""
    \bcreated\b
    | \b(?:{_ACTS})\b.{{0,60}}?\b(?:{_THINGS})\b
    | \b(?:{_THINGS})\b.{{0,60}}?\b(?:was|were|is|are|been|now)\ (?:\w+\ )?(?:{_ACTS})\b
    | \bset\ (?:the\ |its\ )?(?:variable\ |value\ of\ )?[`'"]?[\w.$-]+[`'"]?\ (?:to|=)
    | \b(?:is|are|was|were)\ (?:now\ )?set\ to\b
    | \bvariables?\b.{{0,60}}?(?:=|:|\b(?:is|are|holds?|contains?|now)\b)
    | \b(?:state|status)\ (?:of\ .{{1,40}}\ )?is\b
"""
_FAILS = r"\b(?:problem|issue|bug|obstacle|blocker)s?\b(?:\ \w+)?(?::|\ (?:is|was|were|are|with|that|in)\b)"
_NOT_YET = re.compile(
    r"\b(?:let me|let's|I'll|we'll|will|going to|needs? to|has to|have to|should|must|can|could|would|may|might|to be"
    r"|if|when|whether|want\w* to|not|never|un|nothing|without)\b|n't\b",
    re.IGNORECASE,
)
"""In front of a word: what it says was not done, or is to be."""


class SentenceKind(Record):
    """Sentences of one kind."""

    name: str
    pattern: re.Pattern[str]
    short: bool = False
    """Whether a few words are enough, such as "Created node 3."."""
    done: bool = False
    """Whether what it says has to be so, and not only planned, denied or asked."""


def _kind(
    name: str,
    pattern: str,
    short: bool = False,
    done: bool = False,
) -> SentenceKind:
    compiled = re.compile(pattern, re.IGNORECASE | re.VERBOSE)
    return SentenceKind(name, compiled, short, done)


KINDS = (
    _kind(SOLUTION, _SOLVES, short=True, done=True),
    _kind(MADE, _MAKES, short=True, done=True),
    _kind(FINDING, _FINDS),
    _kind(PROBLEM, _FAILS, done=True),
)
"""A sentence is of the first that it fits."""
LISTED = (SOLUTION, MADE, PROBLEM)
"""Kinds of which a heading may have a list."""


def telling(text: str) -> Iterator[tuple[str, str]]:
    """Each sentence that is worth a note, with its kind; below "Created nodes:" everything that is
    listed.
    """
    above = ""
    for row in text.splitlines():
        if row.strip() and not _ITEM.match(row):
            above = ""
        for sentence in _SENTENCE.split(row):
            kind = kind_of(sentence)
            # "- the login node" says what was made only together with "Created nodes:" above it.
            if not kind and sentence.strip():
                kind = above
            if kind in LISTED and _announces(sentence):
                above = kind
            elif kind:
                yield kind, sentence


def _announces(sentence: str) -> bool:
    """Whether it says nothing itself, but what comes below it."""
    if sentence.startswith("#") or _is_bold(sentence.strip()):
        return True
    return sentence.rstrip(_MARKS).endswith(":")


def _is_bold(row: str) -> bool:
    return row.startswith("**") and row.endswith("**") and row.count("**") == 2


def kind_of(sentence: str) -> str:
    """Empty for a sentence that says nothing of the kind."""
    for kind in KINDS:
        if len(sentence) <= _LONG and not kind.short:
            continue
        match = kind.pattern.search(sentence, 0, _LOOKED_AT)
        if match and not (kind.done and _is_open(sentence, match.start())):
            return kind.name
    return ""


def _is_open(sentence: str, place: int) -> bool:
    """Whether what stands at a place is asked, or not so."""
    if sentence.rstrip(_MARKS).endswith("?"):
        return True
    return _NOT_YET.search(sentence, 0, place) is not None
