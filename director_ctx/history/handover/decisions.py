"""What the assistant decided or found out, as far as it gave a reason: sentences chosen by a table."""

from __future__ import annotations

import re
from functools import lru_cache

from director_ctx.base.one_line import line
from director_ctx.base.record import Record
from director_ctx.history.handover.handover import StatedDecision

TYPE_CHECKING = False


class DecisionRule(Record):
    """Words by which a sentence tells of a decision."""

    name: str
    words: str
    """A regular expression."""
    worth: int


RULES = (
    DecisionRule(
        "decided",
        r"decid(?:ed|es?|ing)|decisions?(?::| is\b| was\b)|chose|choos(?:e|ing)|opt(?:ed|ing)? for|settled on|agreed"
        r"|go(?:ing)? with|(?:I|we)(?:.ll| will) (?:use|keep|take)|prefer(?:red|s)?|trade-?off",
        4,
    ),
    DecisionRule(
        "found out",
        r"turn(?:s|ed) out|root cause|culprit|(?:real|actual|underlying) (?:problem|issue|cause|reason)"
        r"|the (?:problem|issue|bug|reason|cause) (?:is|was)",
        4,
    ),
    DecisionRule("reason", r"because|so that|the reason|which is why|otherwise", 3),
    DecisionRule("alternative", r"instead of|rather than|not worth|no longer need(?:s|ed)?", 3),
)
"""A sentence is worth what the first of these is worth that it fits."""
ANNOUNCES = (
    r"(?:ok(?:ay)?[,.:]? |good[,.:]? |now[,:]? |next[,:]? |first[,:]? |then[,:]? |also[,:]? )*"
    r"(?:let me|let.s|now,? |I.m \w+ing|I am \w+ing|I.ll (?:also |now |then |first |next )?"
    r"(?:check|look|read|run|search|find|see|verify|test|inspect|ground|review|start|begin|wait)\b)"
)
"""How a sentence begins that only says what is done next."""
_ANNOUNCES = re.compile(ANNOUNCES, re.IGNORECASE)
USER_SAID = "The user decided: "
_ANSWERED = 5
_LEAST = 1
"""What a decision is worth that stands in such a sentence, or in a table."""
_COMPILED = tuple(
    (re.compile(rf"\b(?:{rule.words})(?!\w)", re.IGNORECASE), rule.worth) for rule in RULES
)
_ITEM = re.compile(r"(?:[-*•>|]\s+|\d+[.)]\s+)+")
"""How a line of a list begins."""
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z`*\"'(\[])")
_SHORTEST, _LONGEST = 30, 700
"""Characters: a heading is shorter than any decision, and what is longer was pasted."""
_FENCE = "```"


@lru_cache(maxsize=4096)  # A conversation is looked at again with everything that is added to it.
def decisions_in(text: str) -> tuple[StatedDecision, ...]:
    """The sentences outside of code that tell why."""
    decisions: list[StatedDecision] = []
    is_code = False
    for row in text.splitlines():
        if row.lstrip().startswith(_FENCE):
            is_code = not is_code
            continue
        if is_code:
            continue
        plain = row.strip()
        item = _ITEM.match(plain)
        if item:
            plain = plain[item.end() :]
        for sentence in _SENTENCE.split(plain):
            worth = worth_of(sentence)
            if worth:
                decisions.append(StatedDecision(sentence.strip(), worth))
    return tuple(decisions)


def answered(question: str, answer: str) -> StatedDecision:
    """What the user decided with a word, which says nothing without what was asked."""
    asked = line(question, _LONGEST // 2)
    said = line(answer, _LONGEST // 4)
    return StatedDecision(f"{asked} {USER_SAID}{said}", _ANSWERED)


def worth_of(sentence: str) -> int:
    """0 for a sentence that tells of no decision."""
    if USER_SAID in sentence:
        return _ANSWERED
    if not _SHORTEST <= len(sentence) <= _LONGEST:
        return 0
    is_heading = sentence.startswith("#")
    if is_heading or sentence.rstrip("*_`\"' ").endswith("?"):
        return 0
    for pattern, worth in _COMPILED:
        if not pattern.search(sentence):
            continue
        is_row_of_table = sentence.endswith("|")
        if is_row_of_table or _ANNOUNCES.match(sentence):
            return _LEAST
        return worth
    return 0
