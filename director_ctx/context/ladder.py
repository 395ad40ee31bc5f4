"""The ladder: what goes first when a context is too large. Order and names are data, printed by
`--explain`.

A rung is a function from sections to sections. Vision, task, decisions and instructions are on no
rung. What a profile protects goes last, and never entirely; notes that an option names are not the
profile's choice, and go before the budget is exceeded. A rung looks only at the sections of its own
group, and works on what the rungs before it left of them; so a group can be given back without the
others.
"""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.context.extracts import (
    gameplan_extract,
    relevant_passages,
    state_extract,
    step_extract,
    without_decisions,
)
from director_ctx.context.sections import Part, Replacements, Section
from director_ctx.context.settings.tags import (  # fmt: skip
    BROWSER,
    CODEBASE,
    CODEBASE_SUMMARY,
    CONVERSATION,
    DECISIONS,
    GAMEPLAN,
    RECENT,
    REFERENCE,
    RESEARCH,
    RESEARCH_SUMMARY,
    SNAPSHOT,
    STATE,
    STEP,
    STEP_RESEARCH,
    VARIABLES,
    protected_tags,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Sections = Mapping[str, Section]
    Apply = Callable[[Sections, Replacements], Sections]


LEFT_OUT = "(left out to fit"
"""How a line begins that stands in the place of something."""
OLDER = (
    f"{LEFT_OUT}: older messages; `dctx history show store` shows them,"
    " `dctx history summarize` puts a summary in their place)"
)


class Rung(Record):
    name: str
    group: str
    says: str
    apply: Apply


def _with(sections: Sections, tag: str, section: Section | None) -> Sections:
    """The sections with another under this tag, or without it."""
    changed = dict(sections)
    if section is None or not section.parts:
        changed.pop(tag, None)
    else:
        changed[tag] = section
    return changed


def _on(tag: str, change: Callable[[Section, Replacements], Section]) -> Apply:
    """Changes one section, where it is there; one that comes back without parts is dropped."""

    def apply(sections: Sections, have: Replacements) -> Sections:
        if tag not in sections:
            return sections
        section = change(sections[tag], have)
        return sections if section is sections[tag] else _with(sections, tag, section)

    return apply


def _recent(most: int) -> Apply:
    return _on(RECENT, lambda section, _: section.replace(parts=section.parts[:most]))


def _relevant_passages(section: Section, have: Replacements) -> Section:
    if not have.subject:
        return section
    parts = []
    for part in section.parts:
        parts.append(part.replace(text=relevant_passages(part.text, have.subject)))
    return section.replace(parts=tuple(parts), stable=False)


def _only_paths(section: Section, _: Replacements) -> Section:
    return section.replace(parts=tuple(part.replace(text="") for part in section.parts))


def _drop_stale(*tags: str) -> Apply:
    def keep_fresh(sections: Sections, _: Replacements) -> Sections:
        """Where all are out of date, none is worse than the others."""
        here = [sections[tag] for tag in tags if tag in sections]
        if all(part.stale for section in here for part in section.parts):
            return sections
        for section in here:
            if section.stale:
                fresh = tuple(part for part in section.parts if not part.stale)
                sections = _with(sections, section.tag, section.replace(parts=fresh))
        return sections

    return keep_fresh


def _to_summary(tags: tuple[str, ...], summary_tag: str) -> Apply:
    def put_summary(sections: Sections, have: Replacements) -> Sections:
        part = have.summaries.get(summary_tag)
        present = [tag for tag in tags if tag in sections]
        if not present or (part is None and summary_tag not in sections):
            return sections
        # They belong to one group, so what holds for the first holds for the others.
        protected = sections[present[0]].protected
        shorter = _drop(*present)(sections, have)
        if part is None or summary_tag in sections:
            return shorter
        section = Section(summary_tag, (part,), protected, stable=not part.stale)
        return _with(shorter, summary_tag, section)

    return put_summary


def _only_related(section: Section, _: Replacements) -> Section:
    """Where none is related, none is further from the task than the others."""
    related = tuple(part for part in section.parts if part.related)
    return section.replace(parts=related, stable=False) if related else section


def _only_unasked(tag: str, summary_tag: str) -> Apply:
    def keep_unasked(sections: Sections, have: Replacements) -> Sections:
        """Of the notes that an option named, those that are there without it; in the place of their
        summary, too.
        """
        unasked = have.named.get(tag)
        if unasked is None or not unasked.parts:
            return sections
        if tag not in sections:
            if summary_tag not in have.summaries:
                return sections
            sections = _with(sections, summary_tag, None)
        return _with(sections, tag, unasked)

    return keep_unasked


def _drop_named(tag: str, summary_tag: str) -> Apply:
    def without_named(sections: Sections, have: Replacements) -> Sections:
        """Without what an option named, and without the summary that stands for it."""
        for each in (tag, summary_tag):
            is_stand_in = tag in have.named and each in have.summaries
            if each in sections and (each in have.named or is_stand_in):
                sections = _with(sections, each, None)
        return sections

    return without_named


def _drop(*tags: str) -> Apply:
    def without(sections: Sections, _: Replacements) -> Sections:
        return {tag: section for tag, section in sections.items() if tag not in tags}

    return without


def _step(make: Callable[[Part, Replacements, bool], str]) -> Apply:
    """Shortens the step; what is made of it depends on whether the decisions have a tag."""

    def shorten(sections: Sections, have: Replacements) -> Sections:
        if STEP not in sections:
            return sections
        section = sections[STEP]
        text = make(section.parts[0], have, DECISIONS in sections)
        return _with(sections, STEP, _with_text(section, text))

    return shorten


def _with_text(section: Section, text: str) -> Section:
    return section.replace(parts=(section.parts[0].replace(text=text),))


def _step_without_decisions(part: Part, _: Replacements, has_decisions: bool) -> str:
    return without_decisions(part.text) if has_decisions else part.text


def _step_extract(part: Part, have: Replacements, has_decisions: bool) -> str:
    return step_extract(part.whole or part.text, have.task_number, not has_decisions)


def _extract(tag: str, make: Callable[[str], str]) -> Apply:
    def shorten(section: Section, _: Replacements) -> Section:
        part = section.parts[0]
        return _with_text(section, make(part.whole or part.text))

    return _on(tag, shorten)


def _newest(tokens: int) -> Apply:
    def keep_newest(section: Section, _: Replacements) -> Section:
        """As many of the newest messages as make about so many tokens, and at least one."""
        messages = [part for part in section.parts if part.text != OLDER]
        # By the plainest count, a token for every four characters: the ladder has no counter.
        room = tokens * 4
        oldest = len(messages)
        for message in reversed(messages):
            room -= len(message.text)
            if room < 0 and oldest < len(messages):
                break
            oldest -= 1
        if oldest == 0:
            return section
        return section.replace(parts=(Part(OLDER), *messages[oldest:]))

    return _on(CONVERSATION, keep_newest)


def _left_out(tag: str, where: str) -> Apply:
    """A part keeps its place, so it says that there is something."""
    note = Part(f"{LEFT_OUT}; {where})")
    return _on(tag, lambda section, _: section.replace(parts=(note,)))


def _shorter(tag: str) -> Apply:
    def put_shorter(section: Section, have: Replacements) -> Section:
        part = have.shorter.get(tag)
        return section.replace(parts=(part,)) if part else section

    return _on(tag, put_shorter)


LADDER: tuple[Rung, ...] = (
    Rung("recent-5", RECENT, "recent changes: only the newest 5 kept", _recent(5)),
    Rung("recent-3", RECENT, "recent changes: only the newest 3 kept", _recent(3)),
    Rung("recent-1", RECENT, "recent changes: only the newest kept", _recent(1)),
    Rung("recent-none", RECENT, "recent changes: all dropped", _drop(RECENT)),
    Rung(
        "reference-relevant", REFERENCE, "reference documents: only the sections about the task kept",
        _on(REFERENCE, _relevant_passages),
    ),
    Rung("reference-paths", REFERENCE, "reference documents: only their paths kept", _on(REFERENCE, _only_paths)),
    Rung("research-stale", "research", "research files: stale ones dropped", _drop_stale(STEP_RESEARCH, RESEARCH)),
    Rung(
        "research-summary", "research", "research files: replaced by their summary",
        _to_summary((STEP_RESEARCH, RESEARCH), RESEARCH_SUMMARY),
    ),
    Rung("research-related", "research", "research files: unrelated domains dropped", _on(RESEARCH, _only_related)),
    Rung(
        "research-named", "research", "research files: those dropped that only --research named",
        _only_unasked(RESEARCH, RESEARCH_SUMMARY),
    ),
    Rung("research-none", "research", "research: all dropped", _drop(STEP_RESEARCH, RESEARCH, RESEARCH_SUMMARY)),
    Rung("codebase-stale", "codebase", "codebase files: stale ones dropped", _drop_stale(CODEBASE)),
    Rung(
        "codebase-summary", "codebase", "codebase files: replaced by their summary",
        _to_summary((CODEBASE,), CODEBASE_SUMMARY),
    ),
    Rung("codebase-related", "codebase", "codebase files: unrelated domains dropped", _on(CODEBASE, _only_related)),
    Rung(
        "codebase-named", "codebase", "codebase files: those dropped that only --codebase named",
        _only_unasked(CODEBASE, CODEBASE_SUMMARY),
    ),
    Rung("codebase-none", "codebase", "codebase: all dropped", _drop(CODEBASE, CODEBASE_SUMMARY)),
    Rung("step-decisions", STEP, "step: its copy of the decisions dropped", _step(_step_without_decisions)),
    Rung("step-extract", STEP, "step: only an extract kept", _step(_step_extract)),
    Rung("state-position", STATE, "project state: only position and cost kept", _extract(STATE, state_extract)),
    Rung("gameplan-focus", GAMEPLAN, "gameplan: only goals and focus kept", _extract(GAMEPLAN, gameplan_extract)),
    Rung("conversation-20000", CONVERSATION, "conversation: only the newest 20,000 tokens or so kept", _newest(20_000)),
    Rung("browser-none", BROWSER, "browser state: dropped", _drop(BROWSER)),
    Rung("variables-names", VARIABLES, "variables: only their names kept", _shorter(VARIABLES)),
    Rung("variables-none", VARIABLES, "variables: all dropped", _left_out(VARIABLES, "`dctx vars` shows them")),
    Rung("snapshot-open", SNAPSHOT, "snapshot: what is completed dropped", _shorter(SNAPSHOT)),
    Rung("snapshot-none", SNAPSHOT, "snapshot: all dropped", _left_out(SNAPSHOT, "`dctx status --nodes` shows it")),
    Rung("conversation-2000", CONVERSATION, "conversation: only the newest 2,000 tokens or so kept", _newest(2_000)),
)  # fmt: skip

_OF_PROTECTED = (
    "recent-5", "recent-3", "recent-1",
    "reference-relevant", "reference-paths",
    "research-stale", "research-related", "research-named", "research-summary", "research-none",
    "codebase-stale", "codebase-related", "codebase-named", "codebase-summary", "codebase-none",
    "step-decisions", "step-extract", "state-position", "gameplan-focus",
    "conversation-20000", "variables-names", "snapshot-open", "conversation-2000",
)  # fmt: skip
_BY_NAME = {
    **{rung.name: rung for rung in LADDER},
    "research-none": Rung(
        "research-none", "research", "research: what --research named dropped",
        _drop_named(RESEARCH, RESEARCH_SUMMARY),
    ),
    "codebase-none": Rung(
        "codebase-none", "codebase", "codebase: what --codebase named dropped",
        _drop_named(CODEBASE, CODEBASE_SUMMARY),
    ),
}  # fmt: skip

PROTECTED_LADDER: tuple[Rung, ...] = tuple(_BY_NAME[name] for name in _OF_PROTECTED)
"""For what a profile protects, after all the rest. Only what an option named goes entirely, and the
summary takes the place of files about the task only in the end.
"""


def rungs_for(protect: tuple[str, ...]) -> list[Rung]:
    """The ladder of one profile: what it protects comes last."""
    protected = protected_tags(protect)
    # A protected section may be longer than every window, so even its rungs are there: at the end.
    first = [rung for rung in LADDER if rung.group not in protected]
    last = [rung for rung in PROTECTED_LADDER if rung.group in protected]
    return [*first, *last]
