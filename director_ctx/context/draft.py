"""From a profile and a request to a draft: every section that the agent gets, whole. Documents become
parts that are readable, that cannot forge a tag, and of which none is too long.

Everything was read before: nothing here looks outside.
"""

from __future__ import annotations

from director_ctx.base.escape import escape_boundaries, escape_tags
from director_ctx.base.text import plain
from director_ctx.base.unseen import show_unseen
from director_ctx.context.extracts import cut_at_heading
from director_ctx.context.instructions import compose
from director_ctx.context.sections import Draft, Lack, Omission, Part, Replacements, Section
from director_ctx.context.settings import tags
from director_ctx.context.settings.budget import FILE_LIMIT
from director_ctx.context.settings.keywords import subject_words
from director_ctx.context.sources import SUMMARIZED, note_path
from director_ctx.project.reading.markdown import section, without_comments
from director_ctx.project.reading.model import FOLDER
from director_ctx.project.templates import (
    is_italic,
    is_template_gameplan,
    is_template_vision,
    without_prompts,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from director_ctx.base.escape import Escaped
    from director_ctx.context.sections import Remembered
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
_PLANNED = f"{FOLDER}/goals/"
"""Where a goal, step or task may still ask what its template asked."""

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
    """One draft: a method for each kind of section, and what was omitted, cut or escaped."""

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
        self.count = count
        self.protected = tags.protected_tags(profile.protect) | tags.EVERYWHERE_PROTECTED

        self.omissions: list[Omission] = []
        self.lacks: list[Lack] = []
        self.warnings: list[str] = []
        self.choices: list[str] = []
        self.cuts: list[tuple[str, str, str]] = []

    def draft(self) -> Draft:
        sections: dict[str, Section] = {}
        for tag in self.sources.tags:
            section = self._section(tag, sections)
            if section and section.parts:
                sections[tag] = section
        return Draft(
            sections=sections,
            replacements=self._replacements(sections),
            omissions=tuple(self.omissions),
            lacks=tuple(self.lacks),
            warnings=tuple(self.warnings),
            choices=tuple(self.choices),
            cuts=tuple(self.cuts),
        )

    def _section(self, tag: str, sections: Mapping[str, Section]) -> Section | None:
        """What stands under one tag, if anything does."""
        sources = self.sources
        extras = self.material.extras
        if tag in self.material.remembered:
            return self._remembered(tag, self.material.remembered[tag])
        if tag in sources.absent:
            self._omit(tag, sources.absent[tag])
            return None
        if tag == tags.DECISIONS:
            return self._decisions(sources.files[tag])
        if tag in sources.files:
            return self._file(tag, sources.files[tag])
        if tag in sources.notes:
            return self._notes(tag, sources.notes[tag])
        if tag in (tags.INSTRUCTIONS, tags.SYSTEM):
            return self._instructions(tag)
        if tag == tags.TASK:
            return self._task()
        if tag == tags.RECENT:
            return self._recent()
        if tag == tags.REFERENCE:
            given = self.material.references
            parts = [self._part(tag, one.text, one.name, one.path) for one in given]
            is_protected = tag in self.protected
            return Section(tag, tuple(parts), is_protected, stable=True, headed=True)
        if tag == tags.COST:
            # In the plugin's own form: tokens are characters / 4 * 2.5, in thousands.
            size = sum(len(section.body) for section in sections.values())
            tokens = round(size / 4 * 2.5 / 1000) * 1000
            goal = "Quick task" if self.request.quick else self.spot.goal_title
            text = f"Context size: {size} characters\nEstimated tokens: {tokens}\nGoal: {goal}"
            return self._text(tag, text)
        return self._text(tag, {tags.CHANGES: extras.changes, tags.ISSUES: extras.issues}[tag])

    # Text made safe

    def _omit(self, what: str, why: str) -> None:
        self.omissions.append(Omission(what, why))

    def _part(
        self, tag: str, text: str, name: str = "", path: str = "", related: bool = True
    ) -> Part:
        """A document made safe and, where nothing protects it, cut to the length of one file."""
        where = path or tag
        safe = self._escaped(text.strip("\n"), where)
        title = self._escaped(plain(name), where)
        short = self._shortened(tag, safe, path)
        whole = ""
        if short is not safe:
            whole = safe
            self.cuts.append((tag, safe, short))
        return Part(short, title, path, related, whole, self._stale(path))

    def _escaped(
        self, text: str, where: str, escape: Callable[[str], Escaped] = escape_boundaries
    ) -> str:
        if self.request.raw:
            return text
        safe, names = escape(text)
        if names:
            listed = ", ".join(f"<{name}>" for name in dict.fromkeys(names))
            self.warnings.append(
                f"{where}: {listed} in its text was escaped; --raw leaves it as it is"
            )
        if safe != text and show_unseen(text) != text:
            self.warnings.append(
                f"{where}: unseen characters in its text were written out; --raw leaves them unseen"
            )
        return safe

    def _shortened(self, tag: str, text: str, path: str) -> str:
        if tag in self.protected or self.count(text) <= FILE_LIMIT:
            return text
        return cut_at_heading(text, escape_tags(plain(path))[0], FILE_LIMIT, self.count)

    def _stale(self, path: str) -> str:
        """The warning names files, and a name may be anything."""
        return escape_tags(plain(self.material.stale.get(path, "")))[0]

    # Sections

    def _text(self, tag: str, text: str, path: str = "") -> Section | None:
        """A section of one part; none where there is nothing to say."""
        if path.startswith(_PLANNED):
            text = without_prompts(text)
        if not text.strip():
            return None
        part = self._part(tag, text, path=path)
        stable = tag in tags.STABLE and not part.stale
        return Section(tag, (part,), tag in self.protected, stable)

    def _usable(self, tag: str, path: str) -> str | None:
        """A file's text if there is any that may be shown. A protected one is shown whole or not at
        all.
        """
        document = self.material.documents.get(path)
        if document is None:
            self._omit(path, "there is no such file")
            return None
        if not document.text.strip():
            self._omit(path, "the file is empty")
            return None
        if tag in self.protected and document.too_large:
            self._omit(path, "it is too large to be read whole")
            self.lacks.append(Lack(path, "is too large to be read whole, so it was left out"))
            return None
        return document.text

    def _file(self, tag: str, path: str) -> Section | None:
        """A file as a section, or an omission that says why not."""
        document = self.material.documents.get(path)
        is_template = _TEMPLATES.get(tag)
        lack = ""
        if document is None:
            lack = "is missing"
        elif is_template and is_template(document.text):
            lack = "is not filled in yet"
            self._omit(path, "it is a template that nobody has filled in yet")
        elif not document.text.strip():
            lack = "is empty"
        if lack and tag in _ADVICE and _WRITERS.get(tag) != self.profile.instructions:
            self.lacks.append(Lack(path, f"{lack}, so it was left out", _ADVICE[tag]))
        if lack == "is not filled in yet":
            return None
        text = self._usable(tag, path)
        return None if text is None else self._text(tag, text, path)

    def _remembered(self, tag: str, memory: Remembered) -> Section | None:
        """What a store, a browser or the folder as a whole had to say: never cut, only reduced by
        the ladder.
        """
        if not memory.texts:
            if memory.why:
                self._omit(tag, memory.why)
            return None
        # It may repeat what tools and web pages said.
        texts = [self._escaped(text, tag, escape_tags) for text in memory.texts]
        parts = tuple(Part(text, path=memory.source) for text in texts)
        return Section(tag, parts, tag in self.protected)

    def _decisions(self, path: str) -> Section | None:
        step = self.material.documents.get(path)
        if step is None or not step.text:
            self._omit(tags.DECISIONS, "there is no step to decide on")
            return None
        body = section(step.text, "decisions") or ""
        if not any(map(_decides, without_comments(body).split("\n"))):
            self._omit(tags.DECISIONS, "the step has no decisions")
            return None
        part = self._part(tags.DECISIONS, body, path=path)
        part = part.replace(text=f"{DECISIONS_INTRO}\n\n{part.text}\n\n{RULES}")
        return Section(tags.DECISIONS, (part,), protected=True)

    def _task(self) -> Section | None:
        quick = self.request.quick
        if quick:
            return self._text(tags.TASK, _QUICK.format(request=quick.strip()))
        task = self.material.task
        path = self.spot.task_path
        body = section(task, "what to do") or ""
        lines = [line.strip() for line in body.split("\n") if line.strip()]
        if path and not task.strip():
            self.lacks.append(Lack(path, "is empty"))
        elif path and lines and all(map(is_italic, lines)):
            self.lacks.append(Lack(path, "is a template still: it does not say what to do"))
        return self._text(tags.TASK, task, path)

    def _notes(self, tag: str, choice: Choice) -> Section | None:
        """Several notes in one tag, each under a heading with its name."""
        listed = ", ".join(choice.files) or "no file"
        self.choices.append(f"{tag}: {choice.why} -> {listed}")
        # The profile of a skill names notes that a project need not have.
        asked = choice.named and (getattr(self.request, tag) or not self.profile.skill)
        notes = []
        for name in choice.files:
            path = note_path(tag, name)
            text = self._usable(tag, path)
            if text is not None:
                words = name.replace("_", " ").replace("-", " ")
                title = words.capitalize() + _TITLE_ENDS.get(tag, "")
                notes.append(self._part(tag, text, title, path, name in choice.related))
            elif asked and path not in self.material.documents:
                self.warnings.append(f"there is no {path}")
        for name, why in choice.left_out:
            self._omit(note_path(tag, name), why)
        stable = choice.named and not any(note.stale for note in notes)
        return Section(tag, tuple(notes), tag in self.protected, stable, headed=True)

    def _recent(self) -> Section | None:
        if not self.profile.recent_changes:
            return None
        material = self.material
        protected = tags.RECENT in self.protected
        if not material.recent:
            self._omit(tags.RECENT, material.recent_why or "there are no commits to tell of")
            nothing = RECENT_UNKNOWN if material.recent_late else NO_RECENT
            return Section(tags.RECENT, (Part(nothing),), protected)
        parts = [self._part(tags.RECENT, subject) for subject in material.recent]
        intro = RECENT_CUT if material.recent_late else RECENT_INTRO
        return Section(tags.RECENT, tuple(parts), protected, intro=intro)

    def _instructions(self, tag: str) -> Section | None:
        """What has a tag of its own is not said twice."""
        extras = self.material.extras
        if tags.ISSUES in self.sources.tags:
            extras = extras.replace(issues="")
        if tags.CHANGES in self.sources.tags:
            extras = extras.replace(changes="")
        body = compose(self.material.template, self.request, self.spot, extras)
        section = self._text(tag, body)
        if section and self.spot.task_path:
            # A prompt that names the task is another one for another task.
            return section.replace(stable=False)
        return section

    def _replacements(self, sections: Mapping[str, Section]) -> Replacements:
        """Made only where there is something that they could replace."""
        escape = self._silently_escaped
        summaries: dict[str, Part] = {}
        for summary, path in self.sources.summaries.items():
            is_needed = any(tag in sections for tag in SUMMARIZED[summary])
            document = self.material.documents.get(path)
            if is_needed and summary not in sections and document and document.text.strip():
                safe = escape(document.text.strip("\n"), escape_boundaries)
                short = self._shortened(summary, safe, path)
                summaries[summary] = Part(short, path=path, stale=self._stale(path))

        named: dict[str, Section] = {}
        for tag, names in self.sources.unasked.items():
            if tag in sections:
                paths = [note_path(tag, name) for name in names]
                parts = [part for part in sections[tag].parts if part.path in paths]
                named[tag] = sections[tag].replace(parts=tuple(parts))

        words: frozenset[str] = frozenset()
        if tags.REFERENCE in sections:
            # By these the ladder judges what a reference document is about.
            title, text = self.spot.task_title, self.sources.subject.text
            question, issues = self.request.question or "", self.material.extras.issues
            words = subject_words(" ".join((title, text, question, issues)))
        shorter = {}
        for tag, memory in self.material.remembered.items():
            if memory.shorter:
                shorter[tag] = Part(escape(memory.shorter, escape_tags), path=memory.source)
        return Replacements(summaries, named, words, self.spot.task_number, shorter)

    def _silently_escaped(self, text: str, escape: Callable[[str], Escaped]) -> str:
        """For what the ladder may use later: nothing is said of it now."""
        return text if self.request.raw else escape(text)[0]


def _decides(line: str) -> bool:
    """Whether a line is neither empty, nor a heading, nor what a template says in italics."""
    line = line.strip()
    if not line.strip("-* ") or line.startswith("#"):
        return False
    if line.startswith(("- ", "* ")):
        line = line[2:].strip()
    return not is_italic(line)
