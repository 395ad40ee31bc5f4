"""From a profile and a request to a draft: every section that the agent gets, whole.

Documents come through plain callables, so that only what a profile names is ever read.
"""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.context import documents
from director_ctx.context.documents import Documents
from director_ctx.context.instructions import Extras, Spot, compose
from director_ctx.context.sections import Draft, Lack, Part, Replacements, Section
from director_ctx.context.selection import (
    Choice,
    choose_codebase,
    choose_research,
    is_summary,
    subject_of,
)
from director_ctx.context.settings import tags
from director_ctx.context.settings.keywords import Subject, subject_words
from director_ctx.context.settings.request import removed_tags
from director_ctx.project.reading.markdown import section
from director_ctx.project.reading.model import FOLDER
from director_ctx.project.templates import is_italic, is_template_gameplan, is_template_vision

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from director_ctx.context.sections import Remembered
    from director_ctx.context.settings.profiles import Profile
    from director_ctx.context.settings.request import Request, Settings


_ADVICE = {
    tags.VISION: "describe the project in it, or say --without vision",
    tags.GAMEPLAN: "plan the goals: `dctx assemble planner` is the context for that",
    tags.STEP: "say in it what the step delivers",
}
_FILES = {
    tags.RESEARCH_SUMMARY: "research/SUMMARY.md",
    tags.CODEBASE_SUMMARY: "codebase/SUMMARY.md",
    tags.STATE: "STATE.md",
}
"""Sections that are a file as it is."""
_WRITERS = {tags.VISION: "interviewer", tags.GAMEPLAN: "planner"}
"""By their instructions, the agents and skills that are to write a document: to them it is not
lacking.
"""


class Material(Record):
    """What the outside world supplied for one assembly."""

    read: Callable[[str], str | None]
    """The text of a file of the project, None when there is none."""
    too_large: Callable[[str], bool]
    files: Callable[[str], Sequence[str]]
    """The names of the documents in a folder of the project."""
    stale: Callable[[str], str]
    """The line that says a file may be out of date, or nothing."""
    count: Callable[[str], int]
    template: str
    spot: Spot = Spot()
    task: str = ""
    extras: Extras = Extras()
    references: tuple[Part, ...] = ()
    recent: tuple[str, ...] = ()
    recent_why: str = ""
    recent_late: bool = False
    """Whether git was not done with them in time."""
    remembered: Mapping[str, Remembered] = {}
    """By tag."""


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
    wanted: Sequence[str],
    request: Request,
    settings: Settings,
    material: Material,
) -> Draft:
    """Every section in full, and an account of what could not be one."""
    return _Draftsman(profile, wanted, request, settings, material).draft()


class _Draftsman:
    """One draft: a method for each kind of section."""

    def __init__(
        self,
        profile: Profile,
        wanted: Sequence[str],
        request: Request,
        settings: Settings,
        material: Material,
    ) -> None:
        self.profile = profile
        self.wanted = wanted
        self.request = request
        self.settings = settings
        self.material = material
        self.spot = material.spot
        self.documents = Documents(material, profile, request.raw)
        self.choices: list[str] = []

    def draft(self) -> Draft:
        sections: dict[str, Section] = {}
        for tag in self._tags():
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
        if tag in self.material.remembered:
            return self.documents.remembered(tag, self.material.remembered[tag])
        if tag in _FILES:
            return self.documents.file(tag, f"{FOLDER}/{_FILES[tag]}")
        if tag in (tags.INSTRUCTIONS, tags.SYSTEM):
            return self._instructions(tag)
        if tag == tags.COST:
            return self._cost(sections)

        builders = {
            tags.VISION: self._vision,
            tags.GAMEPLAN: self._gameplan,
            tags.STEP: self._step,
            tags.DECISIONS: self._decisions,
            tags.TASK: self._task,
            tags.STEP_RESEARCH: self._step_research,
            tags.RESEARCH: self._research,
            tags.CODEBASE: self._codebase,
            tags.RECENT: self._recent,
            tags.CHANGES: self._changes,
            tags.ISSUES: self._issues,
            tags.REFERENCE: self._reference,
        }
        return builders[tag]()

    def _tags(self) -> list[str]:
        """The wanted tags, and those that an option brings in by naming files. The cost counts all
        others.
        """
        request = self.request
        brought: set[str] = set()
        for tag, names in ((tags.CODEBASE, request.codebase), (tags.RESEARCH, request.research)):
            if names:
                brought.add(tag)
            if any(map(is_summary, names)):
                brought.add(f"{tag}_summary")
        if self.material.references:
            brought.add(tags.REFERENCE)
        brought.difference_update(removed_tags(request))

        chosen = [tag for tag in tags.TAGS if tag in self.wanted or tag in brought]
        if tags.COST in chosen:
            chosen.remove(tags.COST)
            chosen.append(tags.COST)
        return chosen

    def _vision(self) -> Section | None:
        return self._needed(tags.VISION, f"{FOLDER}/VISION.md", is_template_vision)

    def _gameplan(self) -> Section | None:
        return self._needed(tags.GAMEPLAN, f"{FOLDER}/GAMEPLAN.md", is_template_gameplan)

    def _needed(
        self, tag: str, path: str, is_template: Callable[[str], bool] = lambda _: False
    ) -> Section | None:
        """A document that has to be there."""
        text = self.material.read(path)
        if is_template(text or ""):
            self.documents.omit(path, "it is a template that nobody has filled in yet")
            self._lack(tag, path, "is not filled in yet")
            return None

        if text is None:
            self._lack(tag, path, "is missing")
        elif not text.strip():
            self._lack(tag, path, "is empty")
        return self.documents.file(tag, path)

    def _step(self) -> Section | None:
        return self._in_step(tags.STEP, "STEP.md", self._needed)

    def _lack(self, tag: str, path: str, why: str) -> None:
        if _WRITERS.get(tag) != self.profile.instructions:
            self.documents.lacks.append(Lack(path, f"{why}, so it was left out", _ADVICE[tag]))

    def _step_research(self) -> Section | None:
        if not self.request.step:
            self.documents.omit(tags.STEP_RESEARCH, "no step was named with --step")
            return None
        return self._in_step(tags.STEP_RESEARCH, "RESEARCH.md", self.documents.file)

    def _in_step(
        self, tag: str, name: str, read: Callable[[str, str], Section | None]
    ) -> Section | None:
        if self.spot.step_path:
            return read(tag, f"{self.spot.step_path}/{name}")

        why = "there is no step yet"
        if self.request.quick:
            why = "no step was named"
        self.documents.omit(tag, why)
        return None

    def _decisions(self) -> Section | None:
        step = None
        path = f"{self.spot.step_path}/STEP.md"
        if self.spot.step_path:
            step = self.material.read(path)
        if not step:
            self.documents.omit(tags.DECISIONS, "there is no step to decide on")
            return None

        body = documents.decisions_of(step)
        if not body:
            self.documents.omit(tags.DECISIONS, "the step has no decisions")
            return None

        part = self.documents.part(tags.DECISIONS, body, path=path)
        part = part.replace(text=documents.decisions_block(part.text))
        return Section(tags.DECISIONS, (part,), protected=True)

    def _task(self) -> Section | None:
        quick = self.request.quick
        if quick:
            return self.documents.section(tags.TASK, documents.quick_task(quick))

        task = self.material.task
        path = self.spot.task_path
        why = what_it_lacks(task)
        if path and why:
            self.documents.lacks.append(Lack(path, why))
        return self.documents.section(tags.TASK, task, path)

    def _subject(self) -> Subject:
        return subject_of(self.spot.task_title, self.material.task, self.request.quick)

    def _research(self) -> Section | None:
        return self._notes(tags.RESEARCH, " Research", choose_research)

    def _codebase(self) -> Section | None:
        return self._notes(tags.CODEBASE, "", choose_codebase)

    def _notes(self, tag: str, suffix: str, choose: Callable[..., Choice]) -> Section | None:
        """Several notes in one tag, each under a heading with its name."""
        folder = f"{FOLDER}/{tag}"
        names = self.material.files(folder)
        choice = choose(self.profile, self.request, self.settings, self._subject(), names)
        listed = ", ".join(choice.files) or "no file"
        self.choices.append(f"{tag}: {choice.why} -> {listed}")

        notes = []
        for name in choice.files:
            note = self._note(tag, suffix, f"{folder}/{name}.md", name, choice)
            if note:
                notes.append(note)
        for name, why in choice.left_out:
            self.documents.omit(f"{folder}/{name}.md", why)

        protected = tag in self.documents.protected
        is_any_stale = any(note.stale for note in notes)
        stable = choice.named and not is_any_stale
        return Section(tag, tuple(notes), protected, stable, headed=True)

    def _note(self, tag: str, suffix: str, path: str, name: str, choice: Choice) -> Part | None:
        text = self.documents.usable(tag, path)
        if text is None:
            # The profile of a skill names notes that a project need not have.
            asked = getattr(self.request, tag) or not self.profile.skill
            if choice.named and asked and self.material.read(path) is None:
                self.documents.warnings.append(f"there is no {path}")
            return None

        words = name.replace("_", " ").replace("-", " ")
        title = words.capitalize() + suffix
        related = name in choice.related
        return self.documents.part(tag, text, title, path, related)

    def _recent(self) -> Section | None:
        if not self.profile.recent_changes:
            return None

        material = self.material
        protected = tags.RECENT in self.documents.protected
        intro = documents.RECENT_INTRO
        nothing = documents.NO_RECENT
        if material.recent_late:
            intro = documents.RECENT_CUT
            nothing = documents.RECENT_UNKNOWN

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
            parts.append(self.documents.part(tag, given.text, given.name, given.path))
        protected = tag in self.documents.protected
        return Section(tag, tuple(parts), protected, stable=True, headed=True)

    def _instructions(self, tag: str) -> Section | None:
        """What has a tag of its own is not said twice."""
        extras = self.material.extras
        if tags.ISSUES in self.wanted:
            extras = extras.replace(issues="")
        if tags.CHANGES in self.wanted:
            extras = extras.replace(changes="")
        body = compose(self.material.template, self.request, self.spot, extras)
        return self.documents.section(tag, body)

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
        removed = removed_tags(self.request)
        has_research = tags.RESEARCH in sections or tags.STEP_RESEARCH in sections

        research_summary = None
        if has_research and tags.RESEARCH_SUMMARY not in removed:
            research_summary = self._spare(tags.RESEARCH_SUMMARY)
        codebase_summary = None
        if tags.CODEBASE in sections and tags.CODEBASE_SUMMARY not in removed:
            codebase_summary = self._spare(tags.CODEBASE_SUMMARY)

        words: frozenset[str] = frozenset()
        if tags.REFERENCE in sections:
            words = self._words_of_the_task()

        shorter = {}
        for tag, memory in self.material.remembered.items():
            if memory.shorter:
                shorter[tag] = self.documents.shorter(memory)
        return Replacements(
            research_summary, codebase_summary, words, self.spot.task_number, shorter
        )

    def _spare(self, tag: str) -> Part | None:
        return self.documents.spare(tag, f"{FOLDER}/{_FILES[tag]}")

    def _words_of_the_task(self) -> frozenset[str]:
        """By which the ladder judges what a reference document is about."""
        texts = (
            self.spot.task_title,
            self._subject().text,
            self.request.question or "",
            self.material.extras.issues,
        )
        return subject_words(" ".join(texts))
