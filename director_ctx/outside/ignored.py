"""Whether git leaves a file alone."""

from __future__ import annotations

import subprocess

from director_ctx.outside.git import DEADLINE, SAFE, environment, in_repository


def could_be_committed(root: str, path: str) -> bool:
    """Whether the file lies in a repository that does not ignore it; where git does not say, it could."""
    if not in_repository(root):
        return False
    words = ["git", *SAFE, "-C", root, "check-ignore", "-q", "--", path]
    try:
        done = subprocess.run(words, env=environment(), capture_output=True, timeout=DEADLINE, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return True
    return done.returncode != 0
