"""Runs one command and prints nanoseconds, largest memory in bytes, and exit code.

usage: python -I -S launch.py STDIN FOLDER COMMAND [ARGUMENT ...]

Small, and a process of its own, because a child is charged at least the memory of the process
that starts it. Output goes nowhere; COMMAND is a full path.
"""

from __future__ import annotations

import os
import sys
import time


def main(stdin: str, folder: str, *command: str) -> None:
    os.chdir(folder)
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, stdin, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    ]
    begin = time.perf_counter_ns()
    child = os.posix_spawn(command[0], command, os.environ, file_actions=actions)
    _, status, usage = os.wait4(child, 0)
    took = time.perf_counter_ns() - begin
    print(
        took,
        usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024),
        os.waitstatus_to_exitcode(status),
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
