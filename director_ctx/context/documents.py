"""Turns documents into parts of sections: readable, unable to forge a tag, none too long."""

from __future__ import annotations

from director_ctx.base.escape import escape_boundaries, escape_tags
from director_ctx.base.text import plain
from director_ctx.base.unseen import show_unseen
from director_ctx.context.extracts import cut_at_heading
from director_ctx.context.sections import Lack, Omission, Part, Section
from director_ctx.context.settings import tags
from director_ctx.context.settings.budget import FILE_LIMIT
from director_ctx.project.reading.model import FOLDER
from director_ctx.project.templates import without_prompts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from director_ctx.base.escape import Escaped
    from director_ctx.context.sections import Remembered
    from director_ctx.context.settings.profiles import Profile
    from director_ctx.context.sources import Material


_PLANNED = f"{FOLDER}/goals/"
"""Where a goal, step or task may still ask what its template asked."""


class Documents:
    """What was read, as parts of sections; and an account of what is lacking, and of what had to be
    left out, cut or escaped.
    """

    def __init__(
        self, material: Material, profile: Profile, raw: bool, count: Callable[[str], int]
    ) -> None:
        self.documents = material.documents
        self.stale = material.stale
        self.count = count
        self.raw = raw
        self.protected = tags.protected_tags(profile.protect) | tags.EVERYWHERE_PROTECTED

        self.omissions: list[Omission] = []
        self.lacks: list[Lack] = []
        self.warnings: list[str] = []
        self.cuts: list[tuple[str, str, str]] = []

    def omit(self, what: str, why: str) -> None:
        self.omissions.append(Omission(what, why))

    def part(
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
        return Part(short, title, path, related, whole, self._warning(path))

    def _warning(self, path: str) -> str:
        """It names files, and a name may be anything."""
        warning = plain(self.stale.get(path, ""))
        safe, _ = escape_tags(warning)
        return safe

    def _escaped(
        self, text: str, where: str, escape: Callable[[str], Escaped] = escape_boundaries
    ) -> str:
        if self.raw:
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
        safe_path, _ = escape_tags(plain(path))
        return cut_at_heading(text, safe_path, FILE_LIMIT, self.count)

    def section(self, tag: str, text: str, path: str = "") -> Section | None:
        """A section of one part; none where there is nothing to say."""
        if path.startswith(_PLANNED):
            text = without_prompts(text)
        if not text.strip():
            return None
        part = self.part(tag, text, path=path)
        protected = tag in self.protected
        stable = tag in tags.STABLE and not part.stale
        return Section(tag, (part,), protected, stable)

    def remembered(self, tag: str, memory: Remembered) -> Section | None:
        """What a store, a browser or the folder as a whole had to say: never cut, only reduced by
        the ladder.
        """
        if not memory.texts:
            if memory.why:
                self.omit(tag, memory.why)
            return None

        parts = []
        for text in memory.texts:
            # It may repeat what tools and web pages said.
            safe = self._escaped(text, tag, escape_tags)
            parts.append(Part(safe, path=memory.source))
        return Section(tag, tuple(parts), tag in self.protected)

    def shorter(self, memory: Remembered) -> Part:
        """The same for the ladder; what was escaped has been said."""
        text = memory.shorter
        if not self.raw:
            text, _ = escape_tags(text)
        return Part(text, path=memory.source)

    def file(self, tag: str, path: str) -> Section | None:
        """A file as a section, or an omission that says why not."""
        text = self.usable(tag, path)
        if text is None:
            return None
        return self.section(tag, text, path)

    def usable(self, tag: str, path: str) -> str | None:
        """A file's text if there is any that may be shown. A protected one is shown whole or not at
        all.
        """
        document = self.documents.get(path)
        if document is None:
            self.omit(path, "there is no such file")
            return None
        if not document.text.strip():
            self.omit(path, "the file is empty")
            return None

        if tag in self.protected and document.too_large:
            self.omit(path, "it is too large to be read whole")
            self.lacks.append(Lack(path, "is too large to be read whole, so it was left out"))
            return None
        return document.text

    def spare(self, tag: str, path: str) -> Part | None:
        """A file that the ladder may use later; nothing is said of it now."""
        document = self.documents.get(path)
        if document is None or not document.text.strip():
            return None

        safe = document.text.strip("\n")
        if not self.raw:
            safe, _ = escape_boundaries(safe)
        return Part(self._shortened(tag, safe, path), path=path, stale=self._warning(path))
