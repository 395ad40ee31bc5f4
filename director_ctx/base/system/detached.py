"""Work that goes on after whoever began it has ended: a process in a session of its own that holds
nobody's pipes.
"""

from __future__ import annotations

import os
import subprocess
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


def start_apart(module: str, function: str, words: Sequence[str]) -> None:
    """Calls a function of ours with these words, as its only arguments. Raises OSError where that
    cannot begin.
    """
    script = f"import sys; from {module} import {function}; {function}(*sys.argv[1:])"
    apart: dict[str, Any] = {"start_new_session": True}
    if sys.platform == "win32":
        # A process group of its own, without a console.
        apart = {"creationflags": 0x00000208}
    # Without `-P` a module of our name in the current folder would be taken for ours.
    subprocess.Popen(
        [sys.executable, "-P", "-c", script, *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=os.path.abspath(os.sep),
        close_fds=True,
        **apart,
    )
