"""From a profile and a request to a draft: every section that the agent gets, whole.

Documents come through a plain callable, so that only what a profile names is ever read.
"""

from __future__ import annotations

from director_ctx.context import blocks, tags
from director_ctx.context.budget import FILE_LIMIT
from director_ctx.context.escape import escape_tags
from director_ctx.context.extracts import cut_at_heading
from director_ctx.context.instructions import Extras, Spot, compose
from director_ctx.context.keywords import subject_words
from director_ctx.context.sections import Draft, Omission, Part, Replacements, Section
from director_ctx.context.select import Choice, choose_codebase, choose_research, task_text
from director_ctx.folder.model import FOLDER
from director_ctx.folder.onboarding import is_template_gameplan, is_template_vision
from director_ctx.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from director_ctx.context.profiles import Profile
    from director_ctx.context.request import Request, Settings


class Material(Record):
    """What the outside world supplied for one assembly."""

    read: Callable[[str], str | None]
    """The text of a file of the project, None when there is none."""
    files: Callable[[str], Sequence[str]]
    """The names of the documents in a folder of the project."""
    count: Callable[[str], int]
    template: str
    spot: Spot = Spot()
    task: str = ""
    extras: Extras = Extras()
    references: tuple[Part, ...] = ()
    recent: tuple[str, ...] = ()
    recent_why: str = ""


class Draftsman:
    """Builds one draft; collects omissions and warnings on the way."""

    def __init__(
        self, profile: Profile, wanted: Sequence[str], request: Request, settings: Settings, material: Material
    ) -> None:
        self.profile, self.wanted, self.request, self.settings, self.material = (
            profile,
            wanted,
            request,
            settings,
            material,
        )
        self.omissions: list[Omission] = []
        self.warnings: list[str] = []
        self.cuts: list[tuple[str, str, str]] = []
        self.protected = tags.protected_tags(profile.protect) | tags.EVERYWHERE_PROTECTED

    def draft(self) -> Draft:
        builders: Mapping[str, Callable[[], Section | None]] = {
            tags.VISION: self._vision, tags.GAMEPLAN: self._gameplan, tags.STEP: self._step,
            tags.DECISIONS: self._decisions, tags.TASK: self._task, tags.STEP_RESEARCH: self._step_research,
            tags.RESEARCH_SUMMARY: lambda: self._summary("research"), tags.RESEARCH: self._research,
            tags.CODEBASE_SUMMARY: lambda: self._summary("codebase"), tags.CODEBASE: self._codebase,
            tags.RECENT: self._recent, tags.STATE: lambda: self._file(tags.STATE, f"{FOLDER}/STATE.md"),
            tags.CHANGES: lambda: self._text(tags.CHANGES, self.material.extras.changes),
            tags.ISSUES: lambda: self._text(tags.ISSUES, self.material.extras.issues),
            tags.REFERENCE: self._reference, tags.INSTRUCTIONS: self._instructions,
        }  # fmt: skip
        sections: dict[str, Section] = {}
        for tag in self._tags():
            section = builders[tag]() if tag in builders else None
            if section and section.parts:
                sections[tag] = section
        if tags.COST in self.wanted:
            sections[tags.COST] = self._cost(sections)
        return Draft(
            sections, self._replacements(sections), tuple(self.omissions), tuple(self.warnings), tuple(self.cuts)
        )

    def _tags(self) -> list[str]:
        """The wanted tags, and those that an option brings in by naming files."""
        asked = {"codebase": self.request.codebase, "research": self.request.research}
        brought = {tag for tag, files in asked.items() if files}
        brought |= {f"{tag}_summary" for tag, files in asked.items() if "summary" in files}
        brought |= {tags.REFERENCE} if self.material.references else set()
        return [tag for tag in tags.TAGS if tag in self.wanted or (tag in brought and tag not in self.request.without)]

    def _omit(self, what: str, why: str) -> None:
        self.omissions.append(Omission(what, why))

    def _part(self, tag: str, text: str, name: str = "", path: str = "", related: bool = True) -> Part:
        """A document made safe and, where nothing protects it, cut to the length of one file."""
        text = text.strip("\n")
        if not self.request.raw:
            text, found = escape_tags(text)
            if found:
                listed = ", ".join(f"<{name}>" for name in dict.fromkeys(found))
                self.warnings.append(f"{path or tag}: {listed} in its text was escaped; --raw leaves it as it is")
        if tag not in self.protected and self.material.count(text) > FILE_LIMIT:
            cut = cut_at_heading(text, path, FILE_LIMIT, self.material.count)
            self.cuts.append((tag, text, cut))
            text = cut
        return Part(text, name, path, related)

    def _text(self, tag: str, text: str, path: str = "") -> Section | None:
        if not text.strip():
            return None
        return Section(tag, (self._part(tag, text, path=path),), tag in self.protected, tag in tags.STABLE)

    def _file(self, tag: str, path: str) -> Section | None:
        text = self.material.read(path)
        if text is None or not text.strip():
            self._omit(path, "there is no such file" if text is None else "the file is empty")
            return None
        return self._text(tag, text, path)

    def _vision(self) -> Section | None:
        return self._unless_template(tags.VISION, f"{FOLDER}/VISION.md", is_template_vision)

    def _gameplan(self) -> Section | None:
        return self._unless_template(tags.GAMEPLAN, f"{FOLDER}/GAMEPLAN.md", is_template_gameplan)

    def _unless_template(self, tag: str, path: str, is_template: Callable[[str], bool]) -> Section | None:
        if is_template(self.material.read(path) or ""):
            self._omit(path, "it is a template that nobody has filled in yet")
            self.warnings.append(f"{path} is not filled in yet, so it was left out")
            return None
        return self._file(tag, path)

    def _step(self) -> Section | None:
        return self._in_step(tags.STEP, "STEP.md")

    def _step_research(self) -> Section | None:
        if not self.request.step:
            self._omit(tags.STEP_RESEARCH, "no step was named with --step")
            return None
        return self._in_step(tags.STEP_RESEARCH, "RESEARCH.md")

    def _in_step(self, tag: str, name: str) -> Section | None:
        if not self.material.spot.step_path:
            self._omit(tag, "no step was named" if self.request.quick else "there is no step yet")
            return None
        return self._file(tag, f"{self.material.spot.step_path}/{name}")

    def _decisions(self) -> Section | None:
        path = f"{self.material.spot.step_path}/STEP.md"
        body = blocks.decisions_of(self.material.read(path) or "") if self.material.spot.step_path else ""
        if not body:
            self._omit(tags.DECISIONS, "the step has no decisions")
            return None
        part = self._part(tags.DECISIONS, body, path=path)
        return Section(tags.DECISIONS, (part.replace(text=blocks.decisions_block(part.text)),), protected=True)

    def _task(self) -> Section | None:
        if self.request.quick:
            return self._text(tags.TASK, blocks.quick_task(self.request.quick))
        return self._text(tags.TASK, self.material.task, self.material.spot.task_path)

    def _subject(self) -> str:
        return task_text(self.request.quick or self.material.task)

    def _research(self) -> Section | None:
        choice = choose_research(self.profile, self.request, self.settings, self._subject(), self._names("research"))
        return self._notes(tags.RESEARCH, "research", " Research", choice)

    def _codebase(self) -> Section | None:
        choice = choose_codebase(self.profile, self.request, self.settings, self._subject(), self._names("codebase"))
        return self._notes(tags.CODEBASE, "codebase", "", choice)

    def _names(self, folder: str) -> Sequence[str]:
        return self.material.files(f"{FOLDER}/{folder}")

    def _notes(self, tag: str, folder: str, suffix: str, choice: Choice) -> Section | None:
        """Several notes in one tag, each under a heading with its name."""
        parts = []
        for name in choice.files:
            path = f"{FOLDER}/{folder}/{name}.md"
            text = self.material.read(path)
            if text and text.strip():
                title = name.replace("_", " ").replace("-", " ").capitalize() + suffix
                parts.append(self._part(tag, text, title, path, name in choice.related))
            elif choice.named and text is None:
                self._omit(path, "there is no such file")
                self.warnings.append(f"there is no {path}")
            else:
                self._omit(path, "there is no such file" if text is None else "the file is empty")
        for name, why in choice.left_out:
            self._omit(f"{FOLDER}/{folder}/{name}.md", why)
        return Section(tag, tuple(parts), tag in self.protected, stable=choice.named, headed=True) if parts else None

    def _summary(self, folder: str) -> Section | None:
        return self._file(f"{folder}_summary", f"{FOLDER}/{folder}/SUMMARY.md")

    def _recent(self) -> Section | None:
        recent = self.material.recent
        if not recent:
            self._omit(tags.RECENT, self.material.recent_why or "there are no commits to tell of")
            return Section(tags.RECENT, (Part(blocks.NO_RECENT),), tags.RECENT in self.protected)
        parts = tuple(self._part(tags.RECENT, subject) for subject in recent)
        return Section(tags.RECENT, parts, tags.RECENT in self.protected, intro=blocks.RECENT_INTRO)

    def _reference(self) -> Section | None:
        parts = tuple(self._part(tags.REFERENCE, part.text, part.name, part.path) for part in self.material.references)
        return (
            Section(tags.REFERENCE, parts, tags.REFERENCE in self.protected, stable=True, headed=True)
            if parts
            else None
        )

    def _instructions(self) -> Section | None:
        extras = self.material.extras
        extras = extras.replace(
            issues="" if tags.ISSUES in self.wanted else extras.issues,
            changes="" if tags.CHANGES in self.wanted else extras.changes,
        )
        return self._text(tags.INSTRUCTIONS, compose(self.material.template, self.request, self.material.spot, extras))

    def _cost(self, sections: Mapping[str, Section]) -> Section:
        """Sizes of everything else, in the plugin's own form: tokens are characters / 4 * 2.5, in thousands."""
        size = sum(len(section.body) for section in sections.values())
        tokens = round(size / 4 * 2.5 / 1000) * 1000
        goal = "Quick task" if self.request.quick else self.material.spot.goal_title
        text = f"Context size: {size} characters\nEstimated tokens: {tokens}\nGoal: {goal}"
        return Section(tags.COST, (self._part(tags.COST, text),), protected=True)

    def _replacements(self, sections: Mapping[str, Section]) -> Replacements:
        """Summaries are read only if there is something that they could replace."""
        has_research = tags.RESEARCH in sections or tags.STEP_RESEARCH in sections
        subject = " ".join((self._subject(), self.request.question or "", self.material.extras.issues))
        return Replacements(
            self._summary_part("research") if has_research else None,
            self._summary_part("codebase") if tags.CODEBASE in sections else None,
            subject_words(subject),
            self.material.spot.task_number,
        )

    def _summary_part(self, folder: str) -> Part | None:
        path = f"{FOLDER}/{folder}/SUMMARY.md"
        text = self.material.read(path)
        return self._part(f"{folder}_summary", text, path=path) if text and text.strip() else None
