"""Whether git leaves a file alone."""

from __future__ import annotations

from director_ctx.project.git.log import answer, in_repository


def could_be_committed(root: str, path: str) -> bool:
    """Whether the file lies in a repository that does not ignore it; where git does not say, it could."""
    if not in_repository(root):
        return False
    try:
        answer("-C", root, "check-ignore", "-q", "--", path)
    except ValueError:
        return True
    return False
