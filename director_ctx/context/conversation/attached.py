"""What contexts put into a conversation, told from what somebody wrote beside it; pure.

A context is sections side by side, in any of the forms that they are printed in. Each begins with a
line that is known by the same data that prints it. Where it ends, its content says: JSON, a list, a
closing tag; else what is known.
"""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.context.conversation.known_texts import NOT_KNOWN, KnownTexts
from director_ctx.context.conversation.speakers import speaks
from director_ctx.context.divide import TOO_LARGE, is_part_line
from director_ctx.context.ladder import LEFT_OUT
from director_ctx.context.layouts import HEADINGS, NONE, markdown, xml
from director_ctx.context.settings.filling import BY_ITSELF
from director_ctx.context.settings.tags import (  # fmt: skip
    BROWSER,
    CHANGES,
    CODEBASE,
    COMPRESSED,
    CONVERSATION,
    DECISIONS,
    INSTRUCTIONS,
    ISSUES,
    PARTS,
    PLAN,
    PROMPT_WINS,
    REFERENCE,
    RESEARCH,
    SNAPSHOT,
    SYSTEM,
    TAGS,
    TASK,
    VARIABLES,
)

_BEGINS_ONLY = frozenset((*HEADINGS.values(), TOO_LARGE))
"""Lines that can only begin something of a context."""
_NAMES: dict[str, str] = {}
for _tag, _heading in HEADINGS.items():
    _number, _, _name = _heading.partition(" ")
    _NAMES[_tag] = _name
"""Headings without their numbers: with a colon behind it, a program after the seed's design prints
one like that.
"""

_OPENINGS: dict[str, str] = {}
_CLOSINGS: dict[str, str] = {}
_TITLES: dict[str, str] = {}
for _tag in TAGS:
    _opening, _, _closing = xml(_tag, "").split("\n")
    _OPENINGS[_opening] = _tag
    _CLOSINGS[_tag] = _closing
    _TITLES[markdown(_tag, "").rstrip()] = _tag

_EVERYBODYS = frozenset(
    (DECISIONS, TASK, RESEARCH, CODEBASE, CHANGES, ISSUES, REFERENCE, INSTRUCTIONS)
)
"""Words that people use as tags of their own. Only beside others of ours, or where we printed them,
are they ours.
"""
_FREE = (SYSTEM, CONVERSATION, COMPRESSED)
"""Parts that may say anything."""
NO_TABS = "No tabs open."
_SEEDS_RULE = (PLAN, SNAPSHOT)
"""What the seed's filter knows by its name alone."""
_JSON_MARKS = ('"sections"', '"role"')
_JSON_BEGINNINGS = ('{"agent"', '[{"role"')
"""Without the blanks in it."""
LONGEST_BEGINNING = 60
_WHOLE = frozenset(("agent", "text", "sections", "budget"))
"""Keys of a context as JSON."""
MOST_LOOKED_THROUGH = 5_000_000
"""Characters. A message that begins a section in every line is not looked through to its end from
each of them.
"""
_MARKS = (*_NAMES.values(), *_CLOSINGS.values(), *_TITLES, *_JSON_MARKS, TOO_LARGE)


class AttachedSection(Record):
    """A section that was found in a message."""

    end: int
    sure: bool
    """Whether nobody but a context has it."""


def without_contexts(text: str, known: KnownTexts, foreign: bool = False) -> str:
    """What is left of a message; all of it where no context is in it.

    `foreign` is a message of a program that says nothing about it: there a heading of the seed is
    enough.
    """
    if not any(mark in text for mark in _MARKS):
        return text

    message = _LookedThrough(text, known, foreign)
    own_words: list[str] = []
    begin = 0
    line = 0
    while line < len(text):
        end = message.context_end(line)
        if end > line:
            own_words.append(text[begin:line].strip())
            begin = end
            line = end
        line = message.next_line(line)

    if not own_words:
        return text
    own_words.append(text[begin:].strip())
    return "\n\n".join(filter(None, own_words))


class _LookedThrough:
    """One message, looked through for sections."""

    def __init__(self, text: str, known: KnownTexts, foreign: bool) -> None:
        self.text = text
        self.known = known
        self.foreign = foreign
        self.room = MOST_LOOKED_THROUGH
        self.unclosed: set[str] = set()
        """Tags that nothing closes further on, so that nobody looks for it again."""

    def context_end(self, start: int) -> int:
        """Behind the sections that stand side by side from here on; the start, where these are no
        context.
        """
        end = start
        is_sure = False
        piece = self._piece(start, follows=False)
        while piece:
            end = piece.end
            is_sure = is_sure or piece.sure
            at = self._next_word(end)
            piece = self._piece(at, follows=end > start)
        if not is_sure:
            return start
        return end

    def next_line(self, place: int) -> int:
        end = self.text.find("\n", place)
        if end < 0:
            return len(self.text)
        return end + 1

    def _next_word(self, place: int) -> int:
        while place < len(self.text) and self.text[place].isspace():
            place += 1
        return place

    def _line(self, at: int) -> str:
        end = self.text.find("\n", at)
        if end < 0:
            end = len(self.text)
        return self.text[at:end].rstrip()

    def _piece(self, at: int, follows: bool) -> AttachedSection | None:
        begins_line = at == 0 or self.text[at - 1 : at] == "\n"
        if at >= len(self.text) or not begins_line:
            return None

        line = self._line(at)
        if PROMPT_WINS in line or is_part_line(line):
            return AttachedSection(at + len(line), False)
        if line == TOO_LARGE:
            end = self._list_end(self.next_line(at))
            if end < 0:
                return None
            return AttachedSection(end, True)
        if line in _OPENINGS:
            return self._tagged(at, _OPENINGS[line])
        if line.startswith(("{", "[")):
            return self._json(at)
        return self._headed(at, line, follows)

    # In tags and as JSON

    def _tagged(self, at: int, tag: str) -> AttachedSection | None:
        if tag in self.unclosed:
            return None
        closing = _CLOSINGS[tag]
        before = self.text.find(f"\n{closing}", at)
        if before < 0:
            self.unclosed.add(tag)
            return None
        begin = before + 1
        if self._line(begin) != closing:
            return None

        end = begin + len(closing)
        is_ours = tag not in _EVERYBODYS
        return AttachedSection(end, is_ours or self._end_of_printed(at) == end)

    def _json(self, at: int) -> AttachedSection | None:
        beginning = self.text[at : at + LONGEST_BEGINNING]
        without_blanks = "".join(beginning.split())
        if not without_blanks.startswith(_JSON_BEGINNINGS) or not self._has_room(at):
            return None

        value, end = _decoded(self.text, at)
        if not self._is_whole_context(value):
            return None
        return AttachedSection(end, True)

    def _is_whole_context(self, value: object) -> bool:
        if isinstance(value, dict):
            return value.keys() >= _WHOLE
        if not isinstance(value, list):
            return False
        if not all(isinstance(row, dict) for row in value):
            return False

        contents = [row.get("content") for row in value if row.get("role") != "system"]
        for content in contents:
            if not isinstance(content, str) or not content:
                return False
            # Somebody's own words are in it, so it is a conversation and no context.
            if without_contexts(content, self.known, self.foreign):
                return False
        return bool(contents)

    # Under a heading

    def _headed(self, at: int, line: str, follows: bool) -> AttachedSection | None:
        tag, start, labelled = self._heading(at, line)
        if not tag:
            return None

        # Where anybody's words may stand, what was printed tells best where they end.
        end = NOT_KNOWN
        if tag not in PARTS or tag in _FREE:
            end = self._end_of_printed(at)
        if end < 0 and tag in PARTS:
            end = self._body_end(tag, start, labelled, follows)
        if end < 0 and labelled and self.foreign and tag in _SEEDS_RULE:
            end = self._next_section(start)
        if end < 0:
            return None
        return AttachedSection(end, True)

    def _heading(self, at: int, line: str) -> tuple[str, int, bool]:
        """The section that a line begins, where its body does, and whether it is a label as other
        programs have it.
        """
        below = self._next_word(at + len(line))
        for tag, heading in HEADINGS.items():
            if line == heading:
                return tag, below, False
            for label in (f"{heading}:", f"{_NAMES[tag]}:"):
                if line.startswith(label):
                    behind = self._next_word(at + len(label))
                    return tag, behind, True
        tag = _TITLES.get(line, "")
        return tag, below, False

    def _body_end(
        self,
        tag: str,
        start: int,
        labelled: bool,
        follows: bool,
    ) -> int:
        first = self._line(start)
        is_left_out = first.startswith(LEFT_OUT) and tag != CONVERSATION
        if first in (NONE, NO_TABS) or is_left_out:
            return start + len(first)

        if tag in (PLAN, SNAPSHOT):
            return self._object_end(start, labelled)
        if tag == VARIABLES:
            return self._list_end(start)
        if tag == BROWSER:
            return self._tabs_end(start, first)
        if tag == CONVERSATION:
            return self._conversation_end(start, first)
        return self._free_end(tag, start, follows)

    def _tabs_end(self, start: int, first: str) -> int:
        if not first.endswith((" tab open:", " tabs open:")):
            return NOT_KNOWN
        return self._list_end(self.next_line(start))

    def _object_end(self, start: int, labelled: bool) -> int:
        """Behind a JSON object; one that somebody cut in two goes as far as the next section."""
        if self.text[start : start + 1] != "{":
            return NOT_KNOWN
        value, end = _decoded(self.text, start)
        if end < 0:
            return self._next_section(start)
        is_empty = labelled and not self.foreign and not value
        if is_empty:
            return NOT_KNOWN
        return end

    def _list_end(self, start: int) -> int:
        end = NOT_KNOWN
        at = start
        while self.text.startswith("- ", at):
            end = at + len(self._line(at))
            at = self.next_line(at)
        return end

    def _conversation_end(self, start: int, first: str) -> int:
        """Behind the last message in it, as far as it is known; else where the next section begins."""
        if not speaks(first) and not first.startswith(LEFT_OUT):
            return NOT_KNOWN

        limit = self._next_section(start)
        last = start
        at = start
        while at < limit:
            if speaks(self._line(at)):
                last = at
            at = self.next_line(at)

        content = self.text.find(":", last) + 1
        end = self._end_of_said(content)
        if end < 0:
            return limit
        return min(end, limit)

    def _free_end(self, tag: str, start: int, follows: bool) -> int:
        """A summary that is known ends where it does. Others end at the next section, if they are
        among sections.
        """
        if tag == COMPRESSED:
            end = self._summaries_end(start)
            if end >= 0:
                return end

        end = self._next_section(start)
        is_last = end == len(self.text)
        if is_last and not follows:
            return NOT_KNOWN
        return end

    def _summaries_end(self, start: int) -> int:
        """Several may stand beside one another."""
        last_end = NOT_KNOWN
        at = start
        while at < len(self.text):
            if self.text.startswith(BY_ITSELF, at):
                at = self._next_word(self.next_line(at))
            end = self._end_of_said(at)
            if end < 0:
                break
            last_end = end
            at = self._next_word(end)
        return last_end

    def _end_of_printed(self, at: int) -> int:
        if not self._has_room(at):
            return NOT_KNOWN
        return self.known.end_of_printed(self.text, at)

    def _end_of_said(self, at: int) -> int:
        if not self._has_room(at):
            return NOT_KNOWN
        return self.known.end_of_said(self.text, at)

    def _has_room(self, at: int) -> bool:
        """Whether the rest of the message may be looked through once more."""
        # Or a message that begins a section in every line would be read as often as it has lines.
        self.room -= len(self.text) - at
        return self.room >= 0

    def _next_section(self, start: int) -> int:
        """The end of what stands before the next line that can only begin a section; else of the
        message.
        """
        at = self.next_line(start)
        while at < len(self.text):
            line = self._line(at)
            opens_ours = line in _OPENINGS and _OPENINGS[line] not in _EVERYBODYS
            if line in _BEGINS_ONLY or opens_ours:
                return at - 1
            at = self.next_line(at)
        return len(self.text)


def _decoded(text: str, at: int) -> tuple[object, int]:
    """A JSON value and where it ends."""
    import json

    try:
        return json.JSONDecoder().raw_decode(text, at)
    except (ValueError, RecursionError):
        return None, NOT_KNOWN
