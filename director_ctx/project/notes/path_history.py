"""What commits did to the paths that notes cite, in the words of the repository and of the project."""

from __future__ import annotations

from director_ctx.project.notes.evidence import CHANGED, MOST_COMMITS_NAMED, VANISHED, CodeChange
from director_ctx.project.reading.model import FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from director_ctx.project.git.commits import HistoryCommit, PathStep
    from director_ctx.project.notes.evidence import Cited
    from director_ctx.project.notes.walk import Written

    StepOfCommit = tuple[PathStep, HistoryCommit]


class Matters:
    """Whether a path matters to any note, so that little is kept of large commits."""

    def __init__(
        self,
        prefix: str,
        notes: Sequence[Cited],
        written: Iterable[Written],
    ) -> None:
        self.exact = {note.place for note in written}
        self.bare: set[str] = set()
        for note in notes:
            for cited in note.paths:
                path = cited.rstrip("/")
                # Below the project or below the repository: both may be meant.
                self.exact.update((path, prefix + path))
                if "/" not in path:
                    self.bare.add(path)

    def __call__(self, path: str) -> bool:
        _, _, name = path.rpartition("/")
        if path in self.exact or name in self.bare:
            return True
        # A note may have had another name.
        if not _counts(path):
            return True
        return any(folder in self.exact for folder in _folders(path))


class Tree:
    """What is there now."""

    def __init__(self, prefix: str, files: Iterable[str]) -> None:
        self.prefix = prefix
        self.files = frozenset(files)
        self.folders: set[str] = set()
        self.named: dict[str, list[str]] = {}
        for path in self.files:
            self.folders.update(_folders(path))
            if _counts(path):
                _, _, name = path.rpartition("/")
                paths = self.named.setdefault(name, [])
                paths.append(path)

    def shown(self, path: str) -> str:
        """As the project calls it."""
        return path.removeprefix(self.prefix)


class PathHistory:
    """What happened to paths in the commits since a note was written."""

    def __init__(self, tree: Tree, since: Sequence[HistoryCommit]) -> None:
        self.tree = tree
        self.steps: dict[str, list[StepOfCommit]] = {}
        for commit in since:
            for step in commit.steps:
                steps = self.steps.setdefault(step.path, [])
                steps.append((step, commit))

        # Only now it is known of each path whether it was there when the note was written.
        self.emptied: dict[str, list[HistoryCommit]] = {}
        for commit in since:
            for folder in self._folders_emptied_by(commit):
                commits = self.emptied.setdefault(folder, [])
                commits.append(commit)

    def _folders_emptied_by(self, commit: HistoryCommit) -> set[str]:
        """Those that lost a file for good; whether anything else is left is asked later."""
        folders: set[str] = set()
        for step in commit.steps:
            if step.letter == "D" and self._is_gone(step.path):
                folders.update(_folders(step.path))
        return folders

    def _is_gone(self, path: str) -> bool:
        return path not in self.tree.files and self._was_there(path)

    def _was_there(self, path: str) -> bool:
        """When the note was written: what a commit has added since then was not."""
        steps = self.steps.get(path)
        if not steps:
            return path in self.tree.files
        oldest, _ = steps[-1]
        return oldest.letter != "A"

    def changes(self, cited: Sequence[str]) -> dict[str, CodeChange]:
        """What commits did to cited paths, by path in the repository; a folder ends with a slash."""
        changes: dict[str, CodeChange] = {}
        for path in cited:
            place = self._place(path)
            if place in changes:
                continue
            change = self._change(place)
            if change:
                changes[place] = change
        return changes

    def _place(self, cited: str) -> str:
        """Where a cited path was: below the project, else below the repository, else the only one
        of its name.
        """
        bare = cited.rstrip("/")
        in_project = self.tree.prefix + bare
        for path in (in_project, bare):
            if self._was_there(path):
                return path
            # A folder counts only when it vanished.
            if path in self.tree.folders:
                return ""
            if path in self.emptied:
                return f"{path}/"
        if "/" in cited:
            return ""
        return self._only_file(cited)

    def _only_file(self, name: str) -> str:
        """The one file of that name anywhere, if there is one, and was."""
        files = set(self.tree.named.get(name, ()))
        for path in self.steps:
            is_named = path.endswith(f"/{name}") and _counts(path)
            if is_named and self._was_there(path):
                files.add(path)
        if len(files) != 1:
            return ""
        only = files.pop()
        if not self._was_there(only):
            return ""
        return only

    def _change(self, place: str) -> CodeChange | None:
        if place.endswith("/"):
            folder = place.removesuffix("/")
            emptied_by = self.emptied[folder]
            return CodeChange(f"{self.tree.shown(folder)}/", VANISHED, _named(emptied_by))
        shown = self.tree.shown(place)
        steps = self.steps.get(place)
        if not steps:
            return None
        if place in self.tree.files:
            commits = [commit for _, commit in steps]
            return CodeChange(shown, CHANGED, _named(commits))

        moved_to = ""
        deleted_by: list[HistoryCommit] = []
        for step, commit in steps:
            if step.letter != "D":
                continue
            # The newest one says where it went. What moved on from there, or is gone as well, is
            # nowhere to be shown.
            if not deleted_by and step.moved_to in self.tree.files:
                moved_to = self.tree.shown(step.moved_to)
            deleted_by.append(commit)
        return CodeChange(shown, VANISHED, _named(deleted_by), moved_to)


def _named(commits: Iterable[HistoryCommit]) -> tuple[tuple[str, str], ...]:
    # A commit that did several things to a path is named once.
    names: dict[str, tuple[str, str]] = {}
    for commit in commits:
        names[commit.id] = (commit.short, commit.subject)
    newest = list(names.values())[:MOST_COMMITS_NAMED]
    return tuple(newest)


def _counts(path: str) -> bool:
    """What is in `.director/` is about the project, not of it."""
    return FOLDER not in path.split("/")


def _folders(path: str) -> Iterator[str]:
    """Every folder that a path is in."""
    folder = path.rpartition("/")[0]
    while folder:
        yield folder
        folder = folder.rpartition("/")[0]
