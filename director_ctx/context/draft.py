"""From a profile and a request to a draft: every section that the agent gets, whole.

Everything was read before: nothing here looks outside.
"""

from __future__ import annotations

from director_ctx.context.documents import Documents
from director_ctx.context.instructions import compose
from director_ctx.context.sections import Draft, Lack, Part, Replacements, Section
from director_ctx.context.settings import tags
from director_ctx.context.settings.keywords import subject_words
from director_ctx.context.sources import SUMMARIZED, note_path
from director_ctx.project.reading.markdown import section, without_comments
from director_ctx.project.templates import is_italic, is_template_gameplan, is_template_vision

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from director_ctx.context.selection import Choice
    from director_ctx.context.settings.profiles import Profile
    from director_ctx.context.settings.request import Request
    from director_ctx.context.sources import Material, Sources


_ADVICE = {
    tags.VISION: "describe the project in it, or say --without vision",
    tags.GAMEPLAN: "plan the goals: `dctx assemble planner` is the context for that",
    tags.STEP: "say in it what the step delivers",
}
"""Documents that have to be there, and what to do where they are not."""
_WRITERS = {tags.VISION: "interviewer", tags.GAMEPLAN: "planner"}
"""By their instructions, the agents and skills that are to write a document: to them it is not
lacking.
"""
_TEMPLATES = {tags.VISION: is_template_vision, tags.GAMEPLAN: is_template_gameplan}
_TITLE_ENDS = {tags.RESEARCH: " Research"}
"""What follows the name of a note in the heading above it."""


DECISIONS_INTRO = "These are the user's decisions for this step. Follow them exactly:"
RULES = """RULES:
- Locked items are non-negotiable -- follow them exactly as stated.
- Flexible items are your choice -- use your best judgment.
- Deferred items are out of scope -- do NOT implement them, even partially."""

RECENT_INTRO = "Recent progress:"
NO_RECENT = "Recent progress:\nNo previous progress recorded."
RECENT_CUT = "Recent progress, as far as git told it in time:"
RECENT_UNKNOWN = "Recent progress:\nNot known: git did not answer in time."

_QUICK = """## Quick Task
{request}

This is a small request outside the gameplan. Do what it asks and nothing beyond it."""


def decisions_of(step: str) -> str:
    """The Decisions section of STEP.md, if anything in it was really decided."""
    body = section(step, "decisions") or ""
    for line in without_comments(body).split("\n"):
        if _decides(line.strip()):
            return body
    return ""


def _decides(line: str) -> bool:
    """Whether a line is neither empty, nor a heading, nor what a template says in italics."""
    is_empty = not line.strip("-* ")
    if is_empty or line.startswith("#"):
        return False
    if line.startswith(("- ", "* ")):
        line = line[2:].strip()
    return not is_italic(line)


def decisions_block(body: str) -> str:
    return f"{DECISIONS_INTRO}\n\n{body}\n\n{RULES}"


def quick_task(request: str) -> str:
    return _QUICK.format(request=request.strip())


def what_it_lacks(task: str) -> str:
    """Why nobody can work on a task by its text, if so."""
    if not task.strip():
        return "is empty"

    body = section(task, "what to do") or ""
    lines = [line.strip() for line in body.split("\n")]
    lines = [line for line in lines if line]
    if lines and all(map(is_italic, lines)):
        return "is a template still: it does not say what to do"
    return ""


def draft(
    profile: Profile,
    request: Request,
    sources: Sources,
    material: Material,
    count: Callable[[str], int],
) -> Draft:
    """Every section in full, and an account of what could not be had."""
    return _Draftsman(profile, request, sources, material, count).draft()


class _Draftsman:
    """One draft: a method for each kind of section."""

    def __init__(
        self,
        profile: Profile,
        request: Request,
        sources: Sources,
        material: Material,
        count: Callable[[str], int],
    ) -> None:
        self.profile = profile
        self.request = request
        self.sources = sources
        self.material = material
        self.spot = material.spot
        self.documents = Documents(material, profile, request.raw, count)
        self.choices: list[str] = []

    def draft(self) -> Draft:
        sections: dict[str, Section] = {}
        for tag in self.sources.tags:
            section = self._section(tag, sections)
            if section and section.parts:
                sections[tag] = section

        return Draft(
            sections=sections,
            replacements=self._replacements(sections),
            omissions=tuple(self.documents.omissions),
            lacks=tuple(self.documents.lacks),
            warnings=tuple(self.documents.warnings),
            choices=tuple(self.choices),
            cuts=tuple(self.documents.cuts),
        )

    def _section(self, tag: str, sections: Mapping[str, Section]) -> Section | None:
        """What stands under one tag, if anything does."""
        sources = self.sources
        if tag in self.material.remembered:
            return self.documents.remembered(tag, self.material.remembered[tag])
        if tag in sources.absent:
            self.documents.omit(tag, sources.absent[tag])
            return None
        if tag == tags.DECISIONS:
            return self._decisions(sources.files[tag])
        if tag in sources.files:
            return self._file(tag, sources.files[tag])
        if tag in sources.notes:
            return self._notes(tag, sources.notes[tag])
        if tag in (tags.INSTRUCTIONS, tags.SYSTEM):
            return self._instructions(tag)
        if tag == tags.COST:
            return self._cost(sections)

        builders = {
            tags.TASK: self._task,
            tags.RECENT: self._recent,
            tags.CHANGES: self._changes,
            tags.ISSUES: self._issues,
            tags.REFERENCE: self._reference,
        }
        return builders[tag]()

    def _file(self, tag: str, path: str) -> Section | None:
        if tag not in _ADVICE:
            return self.documents.file(tag, path)

        document = self.material.documents.get(path)
        is_template = _TEMPLATES.get(tag)
        if document is None:
            self._lack(tag, path, "is missing")
        elif is_template and is_template(document.text):
            self.documents.omit(path, "it is a template that nobody has filled in yet")
            self._lack(tag, path, "is not filled in yet")
            return None
        elif not document.text.strip():
            self._lack(tag, path, "is empty")
        return self.documents.file(tag, path)

    def _lack(self, tag: str, path: str, why: str) -> None:
        if _WRITERS.get(tag) != self.profile.instructions:
            self.documents.lacks.append(Lack(path, f"{why}, so it was left out", _ADVICE[tag]))

    def _decisions(self, path: str) -> Section | None:
        step = self.material.documents.get(path)
        if step is None or not step.text:
            self.documents.omit(tags.DECISIONS, "there is no step to decide on")
            return None

        body = decisions_of(step.text)
        if not body:
            self.documents.omit(tags.DECISIONS, "the step has no decisions")
            return None

        part = self.documents.part(tags.DECISIONS, body, path=path)
        part = part.replace(text=decisions_block(part.text))
        return Section(tags.DECISIONS, (part,), protected=True)

    def _task(self) -> Section | None:
        quick = self.request.quick
        if quick:
            return self.documents.section(tags.TASK, quick_task(quick))

        task = self.material.task
        path = self.spot.task_path
        why = what_it_lacks(task)
        if path and why:
            self.documents.lacks.append(Lack(path, why))
        return self.documents.section(tags.TASK, task, path)

    def _notes(self, tag: str, choice: Choice) -> Section | None:
        """Several notes in one tag, each under a heading with its name."""
        listed = ", ".join(choice.files) or "no file"
        self.choices.append(f"{tag}: {choice.why} -> {listed}")

        notes = []
        for name in choice.files:
            note = self._note(tag, name, choice)
            if note:
                notes.append(note)
        for name, why in choice.left_out:
            self.documents.omit(note_path(tag, name), why)

        protected = tag in self.documents.protected
        is_any_stale = any(note.stale for note in notes)
        stable = choice.named and not is_any_stale
        return Section(tag, tuple(notes), protected, stable, headed=True)

    def _note(self, tag: str, name: str, choice: Choice) -> Part | None:
        path = note_path(tag, name)
        text = self.documents.usable(tag, path)
        if text is None:
            # The profile of a skill names notes that a project need not have.
            asked = getattr(self.request, tag) or not self.profile.skill
            if choice.named and asked and path not in self.material.documents:
                self.documents.warnings.append(f"there is no {path}")
            return None

        words = name.replace("_", " ").replace("-", " ")
        title = words.capitalize() + _TITLE_ENDS.get(tag, "")
        related = name in choice.related
        return self.documents.part(tag, text, title, path, related)

    def _recent(self) -> Section | None:
        if not self.profile.recent_changes:
            return None

        material = self.material
        protected = tags.RECENT in self.documents.protected
        intro = RECENT_INTRO
        nothing = NO_RECENT
        if material.recent_late:
            intro = RECENT_CUT
            nothing = RECENT_UNKNOWN

        if not material.recent:
            why = material.recent_why or "there are no commits to tell of"
            self.documents.omit(tags.RECENT, why)
            return Section(tags.RECENT, (Part(nothing),), protected)

        parts = [self.documents.part(tags.RECENT, subject) for subject in material.recent]
        return Section(tags.RECENT, tuple(parts), protected, intro=intro)

    def _changes(self) -> Section | None:
        return self.documents.section(tags.CHANGES, self.material.extras.changes)

    def _issues(self) -> Section | None:
        return self.documents.section(tags.ISSUES, self.material.extras.issues)

    def _reference(self) -> Section | None:
        tag = tags.REFERENCE
        parts = []
        for given in self.material.references:
            part = self.documents.part(tag, given.text, given.name, given.path)
            parts.append(part)
        protected = tag in self.documents.protected
        return Section(tag, tuple(parts), protected, stable=True, headed=True)

    def _instructions(self, tag: str) -> Section | None:
        """What has a tag of its own is not said twice."""
        extras = self.material.extras
        if tags.ISSUES in self.sources.tags:
            extras = extras.replace(issues="")
        if tags.CHANGES in self.sources.tags:
            extras = extras.replace(changes="")
        body = compose(self.material.template, self.request, self.spot, extras)
        section = self.documents.section(tag, body)
        if section and self.spot.task_path:
            # A prompt that names the task is another one for another task.
            return section.replace(stable=False)
        return section

    def _cost(self, sections: Mapping[str, Section]) -> Section | None:
        """Sizes of everything else, in the plugin's own form: tokens are characters / 4 * 2.5, in
        thousands.
        """
        size = sum(len(section.body) for section in sections.values())
        tokens = round(size / 4 * 2.5 / 1000) * 1000
        goal = self.spot.goal_title
        if self.request.quick:
            goal = "Quick task"
        text = f"Context size: {size} characters\nEstimated tokens: {tokens}\nGoal: {goal}"
        return self.documents.section(tags.COST, text)

    def _replacements(self, sections: Mapping[str, Section]) -> Replacements:
        """Made only where there is something that they could replace."""
        summaries: dict[str, Part] = {}
        for summary, path in self.sources.summaries.items():
            is_needed = any(tag in sections for tag in SUMMARIZED[summary])
            if is_needed and summary not in sections:
                part = self.documents.spare(summary, path)
                if part:
                    summaries[summary] = part

        named: dict[str, Section] = {}
        for tag, names in self.sources.unasked.items():
            if tag in sections:
                paths = [note_path(tag, name) for name in names]
                parts = [part for part in sections[tag].parts if part.path in paths]
                named[tag] = sections[tag].replace(parts=tuple(parts))

        words: frozenset[str] = frozenset()
        if tags.REFERENCE in sections:
            words = self._words_of_the_task()

        shorter = {}
        for tag, memory in self.material.remembered.items():
            if memory.shorter:
                shorter[tag] = self.documents.shorter(memory)
        return Replacements(
            summaries,
            named,
            words,
            self.spot.task_number,
            shorter,
        )

    def _words_of_the_task(self) -> frozenset[str]:
        """By which the ladder judges what a reference document is about."""
        texts = (
            self.spot.task_title,
            self.sources.subject.text,
            self.request.question or "",
            self.material.extras.issues,
        )
        return subject_words(" ".join(texts))
