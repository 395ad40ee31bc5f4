"""What was said: what the user asked for and wants kept to, and what the assistant decided.

What a client says in the user's name is none of it.
"""

from __future__ import annotations

import re
from functools import lru_cache

from director_ctx.base.one_line import line
from director_ctx.base.record import Record
from director_ctx.history.handover.handover import StatedDecision
from director_ctx.history.messages.client_words import typed_command, without_client_words
from director_ctx.history.messages.message import SYSTEM, TEXT, USER, Message
from director_ctx.history.signals.voice import EITHER, is_clients, voice_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


NOT_TYPED = (
    "[Request interrupted by user",
    "[Your previous response had no visible output",
    "Operation stopped by hook:",
    "Caveat: The messages below were generated",
    "This session is being continued from a previous conversation",
)
"""Beginnings of what a client writes where the user speaks, in no tag."""
TYPED_IN = (
    ("<user_query>", "</user_query>"),
    ("<userRequest>", "</userRequest>"),
    ("<original_user_request>", "</original_user_request>"),
    ("## My request for Codex:", ""),
)
"""Between these a client puts what was typed; around it stands what it adds itself."""
ANSWERS = frozenset(
    "yes no y n ok okay yep yeah nope sure thanks continue proceed go correct right exactly".split()
)
"""Answers of a single word, which ask for nothing by themselves."""
_FEWEST = 3
"""Letters of a request."""
_MOST = 4_000
"""Characters of a request that are kept."""
_TAG_IN_FRONT = re.compile(r"\s*<([a-z]+(?:-[a-z]+)+)>.*?</\1>\s*", re.DOTALL)
"""What stands in front in a tag of several words was put there by a program."""


def typed_in(message: Message, is_talk: bool = False) -> str:
    """What the user typed of a message; empty where that is nothing.

    In a talk in which nothing is done, what stands unmarked behind an answer is the user's as well.
    """
    if message.role == SYSTEM:
        # What stands behind a command of the client's, with the command.
        texts = (block.text for block in message.blocks if block.kind == TEXT)
        return next(filter(None, map(typed_command, texts)), "")[:_MOST]
    if message.role != USER or is_clients(message):
        return ""

    typed: list[str] = []
    for block in message.blocks:
        voice = voice_of(message, block)
        is_word = block.kind == TEXT and voice == USER
        if is_word or (is_talk and voice == EITHER):
            typed.append(typed_words(block.text))
    words = "\n".join(filter(None, typed))
    return words[:_MOST]


def typed_words(said: str) -> str:
    """What the user typed of a text in their name."""
    text = without_client_words(said).strip()
    for start, end in TYPED_IN:
        if start in text:
            text = text.partition(start)[2]
            if end:
                text = text.partition(end)[0]
            return text.strip()
    place = 0
    tag = _TAG_IN_FRONT.match(text)
    while tag:
        place = tag.end()
        tag = _TAG_IN_FRONT.match(text, place)
    behind_tags = text[place:]
    if behind_tags.startswith(NOT_TYPED):
        return ""
    return behind_tags


def is_answer(text: str) -> bool:
    """Whether it says no more than yes or no, so that it asks for nothing by itself."""
    short = text.strip(" \n.!?,").lower()
    return len(short) < _FEWEST or short in ANSWERS


STANDING = (
    r"\b(?:always|never|from now on|going forward|in (?:the )?future|every ?time|whenever)\b",
    r"\bplease (?:use|keep|avoid|stop|only|make sure|remember)\b",
    r"(?<!\bwe )(?<!\bit )(?<!\bthey )(?<!\bI )(?<!\bthat )(?<!\bwhich )\bdo not \w+|\b(?:must not|mustn't) \w+",
    r"(?:^|[,;:.] |\b(?:please|but|and|so|just|also|I) )don.?t\b"
    r"(?! (?:know|think|see|understand|remember|like)\b)",
    r"\b(?:make sure|be sure|be careful|remember|note that|prefer\w*|avoid|stick to|only use|must)\b",
)
"""A sentence with one of these says how the user wants things done."""
_STANDING = re.compile("|".join(STANDING), re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_PASTED = 2_000
"""Characters of a request from which on it is a document: its rules are part of what it asks for."""
_LONGEST = 400
_LOG = ("=", "---", "[", "{", "<", "+", "|")
"""How lines of logs and tables begin."""


def wishes_in(request: str) -> Iterator[str]:
    """Sentences of a request that hold for more than the request."""
    if len(request) > _PASTED:
        return
    for sentence in _SENTENCE.split(request):
        wish = sentence.strip()
        # A line of a log that was pasted wishes nothing.
        is_log = wish.startswith(_LOG)
        if wish.endswith("?") or is_log or len(wish) > _LONGEST:
            continue
        if _STANDING.search(wish):
            yield wish


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
_SENTENCE_OF_ANSWER = re.compile(r"(?<=[.!?])\s+(?=[A-Z`*\"'(\[])")
_SHORTEST_DECISION, _LONGEST_DECISION = 30, 700
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
        item = _ITEM.match(row.strip())
        plain = row.strip()[item.end() if item else 0 :]
        for sentence in _SENTENCE_OF_ANSWER.split(plain):
            worth = worth_of(sentence)
            if worth:
                decisions.append(StatedDecision(sentence.strip(), worth))
    return tuple(decisions)


def answered(question: str, answer: str) -> StatedDecision:
    """What the user decided with a word, which says nothing without what was asked."""
    asked = line(question, _LONGEST_DECISION // 2)
    said = line(answer, _LONGEST_DECISION // 4)
    return StatedDecision(f"{asked} {USER_SAID}{said}", _ANSWERED)


def worth_of(sentence: str) -> int:
    """0 for a sentence that tells of no decision."""
    if USER_SAID in sentence:
        return _ANSWERED
    if not _SHORTEST_DECISION <= len(sentence) <= _LONGEST_DECISION:
        return 0
    is_heading = sentence.startswith("#")
    if is_heading or sentence.rstrip("*_`\"' ").endswith("?"):
        return 0
    for pattern, worth in _COMPILED:
        if not pattern.search(sentence):
            continue
        is_row_of_table = sentence.endswith("|")
        return _LEAST if is_row_of_table or _ANNOUNCES.match(sentence) else worth
    return 0
