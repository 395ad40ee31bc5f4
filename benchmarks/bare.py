"""The floor: reads some files and the output of one `git log`, and does nothing with them.

usage: python bare.py FILE ... -- GIT [ARGUMENT ...]
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def bare(files: Sequence[str], git: Sequence[str], environment: Mapping[str, str]) -> int:
    """Git first, because it is the slowest; the files while it works. Returns how much was read."""
    out, out_end = os.pipe()
    actions = [(os.POSIX_SPAWN_DUP2, out_end, 1)]
    child = os.posix_spawnp(git[0], list(git), environment, file_actions=actions)
    os.close(out_end)
    size = 0
    for path in files:
        with open(path, encoding="utf-8") as file:
            size += len(file.read())
    while chunk := os.read(out, 65536):
        size += len(chunk)
    os.close(out)
    os.waitpid(child, 0)
    return size


if __name__ == "__main__":
    at = sys.argv.index("--")
    bare(sys.argv[1:at], sys.argv[at + 1 :], os.environ)
