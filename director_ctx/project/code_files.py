"""Whether a folder has code in it already: by git's own list of files, by a walk where there is no
repository.
"""

from __future__ import annotations

import os

from director_ctx.project.git.child import NoAnswer, answer
from director_ctx.project.git.repository import repository
from director_ctx.project.reading.model import FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

MANY = 3
"""So many source files are a project, however short they are."""
LONG = 100
"""So many lines in fewer files are one, too; less is a first try, or a script beside a plan."""
MOST = 20_000
"""Files that are looked at: whoever has more has code."""
LARGEST = 1_000_000
ENDINGS = frozenset(
    (
        "astro", "bash", "bat", "c", "cc", "clj", "cljs", "cpp", "cs", "css", "cxx", "dart", "el", "elm", "erl", "ex",
        "exs", "f90", "fs", "go", "groovy", "h", "hpp", "hs", "html", "ipynb", "java", "jl", "js", "jsx", "kt", "kts",
        "less", "lua", "m", "ml", "mjs", "mm", "nim", "php", "pl", "proto", "ps1", "py", "pyi", "r", "rb", "rs", "sass",
        "scala", "scss", "sh", "sol", "sql", "svelte", "swift", "tf", "ts", "tsx", "vb", "vue", "zig", "zsh",
    )
)  # fmt: skip
OTHERS = frozenset(
    (
        "node_modules",
        "vendor",
        "venv",
        "env",
        "site-packages",
        "target",
        "build",
        "dist",
        "out",
        "__pycache__",
    )
)
"""Folders whose files somebody else wrote, or a program made."""


def has_code(root: str) -> bool:
    """Whether there are more than a few lines of it, wherever in the folder they are."""
    lines = 0
    for number, path in enumerate(_source_files(root), 1):
        lines += _lines_in(os.path.join(root, path))
        if number >= MANY or lines >= LONG:
            return True
    return False


def _source_files(root: str) -> Iterator[str]:
    paths = _listed_by_git(root)
    if paths is None:
        paths = _walked(root)
    for number, path in enumerate(paths):
        if number >= MOST:
            return
        if _is_source(path):
            yield path


def _is_source(path: str) -> bool:
    *folders, name = path.split("/")
    for folder in folders:
        if folder == FOLDER or folder in OTHERS:
            return False
    stem, dot, ending = name.rpartition(".")
    return bool(stem and dot) and ending.casefold() in ENDINGS


def _listed_by_git(root: str) -> Iterator[str] | None:
    """What git tracks here, and what it would add; None where there is no repository, or no git."""
    if repository(os.path.realpath(root)) is None:
        return None
    try:
        printed = answer(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    except NoAnswer:
        return None
    return (os.fsdecode(name) for name in printed.split(b"\0") if name)


def _walked(root: str) -> Iterator[str]:
    for folder, folders, names in os.walk(root):
        # Hidden folders, and those of others, are not gone into at all.
        folders[:] = filter(_is_own, folders)
        for name in names:
            location = os.path.join(folder, name)
            path = os.path.relpath(location, root)
            yield path.replace(os.sep, "/")


def _is_own(folder: str) -> bool:
    return folder not in OTHERS and not folder.startswith(".")


def _lines_in(path: str) -> int:
    """Of a regular file; a link may lead to anything, and nothing hangs on a pipe."""
    if os.path.islink(path) or not os.path.isfile(path):
        return 0
    try:
        with open(path, "rb") as file:
            return file.read(LARGEST).count(b"\n")
    except OSError:
        return 0
