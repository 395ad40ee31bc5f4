"""Files that a killed write left beside their target."""

from __future__ import annotations

import os

from director_ctx.base.system.write import TEMPORARY
from director_ctx.project.reading.model import FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from director_ctx.project.project import Project

_DIGITS = 12
_HEX = frozenset("0123456789abcdef")


def leftover_files(project: Project) -> Iterator[str]:
    """By the form of their names, below `.director/`; links are not followed."""
    base = project.location(FOLDER)
    for folder, folders, files in os.walk(base):
        folders.sort()
        for name in sorted([*files, *folders]):
            if not _is_ours(name):
                continue
            location = os.path.join(folder, name)
            path = os.path.relpath(location, base)
            path = path.replace(os.sep, "/")
            yield f"{FOLDER}/{path}"
        # The walk does not go into what is ours.
        folders[:] = [name for name in folders if not _is_ours(name)]


def _is_ours(name: str) -> bool:
    """`.STATE.md.0123456789ab.tmp`."""
    if not name.startswith(".") or not name.endswith(TEMPORARY):
        return False
    # Without a name between the first dot and the digits it is somebody else's.
    if name.count(".") <= 2:
        return False
    stem = name.removesuffix(TEMPORARY)
    _, _, digits = stem.rpartition(".")
    return len(digits) == _DIGITS and _HEX.issuperset(digits)
