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
    lines = [
        line.strip() for line in (section(task, "what to do") or "").split("\n") if line.strip()
    ]
    return (
        "is a template still: it does not say what to do"
        if lines and all(map(is_italic, lines))
        else ""
    )


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
        self.profile, self.wanted, self.request = profile, wanted, request
        self.settings, self.material, self.spot = settings, material, material.spot
        self.documents = Documents(material, profile, request.raw)
        self.choices: list[str] = []

    def draft(self) -> Draft:
        sections: dict[str, Section] = {}
        builders = self._builders()
        known = self.material.remembered
        for tag in self._tags():
            section = (
                self.documents.remembered(tag, known[tag])
                if tag in known
                else builders[tag](sections)
            )
            if section and section.parts:
                sections[tag] = section
        said = self.documents
        return Draft(
            sections=sections,
            replacements=self._replacements(sections),
            omissions=tuple(said.omissions),
            lacks=tuple(said.lacks),
            warnings=tuple(said.warnings),
            choices=tuple(self.choices),
            cuts=tuple(said.cuts),
        )

    def _builders(self) -> dict[str, Callable[[Mapping[str, Section]], Section | None]]:
        extras, file, text = self.material.extras, self.documents.file, self.documents.section
        return {
            tags.VISION: lambda _: self._needed(
                tags.VISION, f"{FOLDER}/VISION.md", is_template_vision
            ),
            tags.GAMEPLAN: lambda _: self._needed(
                tags.GAMEPLAN, f"{FOLDER}/GAMEPLAN.md", is_template_gameplan
            ),
            tags.STEP: lambda _: self._in_step(tags.STEP, "STEP.md", self._needed),
            tags.DECISIONS: lambda _: self._decisions(),
            tags.TASK: lambda _: self._task(),
            tags.STEP_RESEARCH: lambda _: self._step_research(),
            tags.RESEARCH_SUMMARY: lambda _: file(
                tags.RESEARCH_SUMMARY, f"{FOLDER}/research/SUMMARY.md"
            ),
            tags.RESEARCH: lambda _: self._notes(tags.RESEARCH, " Research", choose_research),
            tags.CODEBASE_SUMMARY: lambda _: file(
                tags.CODEBASE_SUMMARY, f"{FOLDER}/codebase/SUMMARY.md"
            ),
            tags.CODEBASE: lambda _: self._notes(tags.CODEBASE, "", choose_codebase),
            tags.RECENT: lambda _: self._recent(),
            tags.STATE: lambda _: file(tags.STATE, f"{FOLDER}/STATE.md"),
            tags.CHANGES: lambda _: text(tags.CHANGES, extras.changes),
            tags.ISSUES: lambda _: text(tags.ISSUES, extras.issues),
            tags.COST: self._cost,
            tags.REFERENCE: lambda _: self._reference(),
            tags.INSTRUCTIONS: lambda _: self._instructions(tags.INSTRUCTIONS),
            tags.SYSTEM: lambda _: self._instructions(tags.SYSTEM),
        }

    def _tags(self) -> list[str]:
        """The wanted tags, and those that an option brings in by naming files. The cost counts all
        others.
        """
        asked = {"codebase": self.request.codebase, "research": self.request.research}
        brought = {tag for tag, files in asked.items() if files}
        brought |= {f"{tag}_summary" for tag, files in asked.items() if any(map(is_summary, files))}
        brought |= {tags.REFERENCE} if self.material.references else set()
        brought -= set(removed_tags(self.request))
        found = [tag for tag in tags.TAGS if tag in self.wanted or tag in brought]
        return sorted(found, key=lambda tag: tag == tags.COST)

    def _needed(
        self, tag: str, path: str, is_template: Callable[[str], bool] = lambda _: False
    ) -> Section | None:
        """A document that has to be there."""
        text = self.material.read(path) or ""
        if is_template(text):
            self.documents.omit(path, "it is a template that nobody has filled in yet")
            self._lack(tag, path, "is not filled in yet")
            return None

        if not text.strip():
            self._lack(tag, path, "is missing" if self.material.read(path) is None else "is empty")
        return self.documents.file(tag, path)

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
        if not self.spot.step_path:
            self.documents.omit(
                tag, "no step was named" if self.request.quick else "there is no step yet"
            )
            return None
        return read(tag, f"{self.spot.step_path}/{name}")

    def _decisions(self) -> Section | None:
        path = f"{self.spot.step_path}/STEP.md"
        step = self.material.read(path) if self.spot.step_path else ""
        body = documents.decisions_of(step or "")
        if not body:
            self.documents.omit(
                tags.DECISIONS,
                "the step has no decisions" if step else "there is no step to decide on",
            )
            return None
        part = self.documents.part(tags.DECISIONS, body, path=path)
        return Section(
            tags.DECISIONS,
            (part.replace(text=documents.decisions_block(part.text)),),
            protected=True,
        )

    def _task(self) -> Section | None:
        if self.request.quick:
            return self.documents.section(tags.TASK, documents.quick_task(self.request.quick))
        task, path = self.material.task, self.spot.task_path
        if path and (why := what_it_lacks(task)):
            self.documents.lacks.append(Lack(path, why))
        return self.documents.section(tags.TASK, task, path)

    def _subject(self) -> Subject:
        return subject_of(self.spot.task_title, self.material.task, self.request.quick)

    def _notes(self, tag: str, suffix: str, choose: Callable[..., Choice]) -> Section | None:
        """Several notes in one tag, each under a heading with its name."""
        folder = f"{FOLDER}/{tag}"
        choice = choose(
            self.profile, self.request, self.settings, self._subject(), self.material.files(folder)
        )
        self.choices.append(f"{tag}: {choice.why} -> {', '.join(choice.files) or 'no file'}")
        parts = [
            part
            for name in choice.files
            if (part := self._note(tag, suffix, f"{folder}/{name}.md", name, choice))
        ]
        for name, why in choice.left_out:
            self.documents.omit(f"{folder}/{name}.md", why)
        stable = choice.named and not any(part.stale for part in parts)
        return Section(tag, tuple(parts), tag in self.documents.protected, stable, headed=True)

    def _note(self, tag: str, suffix: str, path: str, name: str, choice: Choice) -> Part | None:
        text = self.documents.usable(tag, path)
        if text is None:
            asked = getattr(self.request, tag)
            if (
                choice.named
                and (asked or not self.profile.skill)
                and self.material.read(path) is None
            ):
                self.documents.warnings.append(f"there is no {path}")
            return None
        title = name.replace("_", " ").replace("-", " ").capitalize() + suffix
        return self.documents.part(tag, text, title, path, name in choice.related)

    def _recent(self) -> Section | None:
        protected = tags.RECENT in self.documents.protected
        if not self.profile.recent_changes:
            return None
        if not self.material.recent:
            self.documents.omit(
                tags.RECENT, self.material.recent_why or "there are no commits to tell of"
            )
            nothing = documents.RECENT_UNKNOWN if self.material.recent_late else documents.NO_RECENT
            return Section(tags.RECENT, (Part(nothing),), protected)
        parts = tuple(self.documents.part(tags.RECENT, subject) for subject in self.material.recent)
        intro = documents.RECENT_CUT if self.material.recent_late else documents.RECENT_INTRO
        return Section(tags.RECENT, parts, protected, intro=intro)

    def _reference(self) -> Section | None:
        given = self.material.references
        parts = tuple(
            self.documents.part(tags.REFERENCE, part.text, part.name, part.path) for part in given
        )
        return Section(
            tags.REFERENCE,
            parts,
            tags.REFERENCE in self.documents.protected,
            stable=True,
            headed=True,
        )

    def _instructions(self, tag: str) -> Section | None:
        """What has a tag of its own is not said twice."""
        extras = self.material.extras
        extras = extras.replace(
            issues="" if tags.ISSUES in self.wanted else extras.issues,
            changes="" if tags.CHANGES in self.wanted else extras.changes,
        )
        body = compose(self.material.template, self.request, self.spot, extras)
        return self.documents.section(tag, body)

    def _cost(self, sections: Mapping[str, Section]) -> Section | None:
        """Sizes of everything else, in the plugin's own form: tokens are characters / 4 * 2.5, in
        thousands.
        """
        size = sum(len(section.body) for section in sections.values())
        tokens = round(size / 4 * 2.5 / 1000) * 1000
        goal = "Quick task" if self.request.quick else self.spot.goal_title
        text = f"Context size: {size} characters\nEstimated tokens: {tokens}\nGoal: {goal}"
        return self.documents.section(tags.COST, text)

    def _replacements(self, sections: Mapping[str, Section]) -> Replacements:
        """Made only where there is something that they could replace."""
        has_research = tags.RESEARCH in sections or tags.STEP_RESEARCH in sections
        removed = removed_tags(self.request)
        has_research = has_research and tags.RESEARCH_SUMMARY not in removed
        has_codebase = tags.CODEBASE in sections and tags.CODEBASE_SUMMARY not in removed
        about = (
            self.spot.task_title,
            self._subject().text,
            self.request.question or "",
            self.material.extras.issues,
        )
        spare = self.documents.spare
        return Replacements(
            spare(tags.RESEARCH_SUMMARY, f"{FOLDER}/research/SUMMARY.md") if has_research else None,
            spare(tags.CODEBASE_SUMMARY, f"{FOLDER}/codebase/SUMMARY.md") if has_codebase else None,
            subject_words(" ".join(about)) if tags.REFERENCE in sections else frozenset(),
            self.spot.task_number,
            {
                tag: self.documents.shorter(one)
                for tag, one in self.material.remembered.items()
                if one.shorter
            },
        )
