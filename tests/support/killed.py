"""A program that is gone at its n-th change of the disk, as after `kill -9`, for each n."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from conftest import ROOT

MOST = 100
CHANGES = ("replace", "rename", "link", "unlink", "mkdir", "fsync")

COUNT_DOWN = """
import os, sys
left = int(sys.argv[1])
def counted(name):
    real = getattr(os, name)
    def call(*words, **more):
        global left
        left -= 1
        if left < 0:
            os._exit(137)
        return real(*words, **more)
    setattr(os, name, call)
"""
"""The beginning of a script: n is its first argument, and `counted` takes a name of `os`."""
ONE_AFTER_THE_OTHER = """
import importlib, json, os, shutil, sys
start, named, given = sys.argv[1:]
given = json.loads(given)
left = None

def counted(name):
    real = getattr(os, name)
    def call(*words, **more):
        global left
        if left is not None:
            left -= 1
            if left < 0:
                os._exit(137)
        return real(*words, **more)
    setattr(os, name, call)

def ended(writes, root):
    global left
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    os.chdir(root)
    left, code = writes, 1
    try:
        code = main(given["words"])
    except SystemExit as stop:
        code = stop.code or 0
    finally:
        os._exit(code)

# Before anything of ours is loaded, which may keep one of them by its name.
for name in given["counted"]:
    counted(name)
from director_ctx.doors.cli.main import main
for name in given["clocks"]:
    importlib.import_module(name).now = lambda: given["now"]
codes = []
while len(codes) < given["most"] and codes[-1:] != [0]:
    codes.append(ended(len(codes), shutil.copytree(start, f"{named}{len(codes)}")))
print(json.dumps(codes), file=sys.stderr)
"""
"""Each in a child of one process, so that a start is paid for once."""


def killed_at_each_change(
    start: Path, named: Path, words: tuple[str, ...], clocks: tuple[str, ...], now: str
) -> tuple[list[Path], Path]:
    """The folders that a command leaves if it is killed before its first change of the disk, its
    second and so on, and the one in which it came to its end. `clocks` are modules that are told
    that it is `now`.
    """
    given = {"words": words, "counted": CHANGES, "clocks": clocks, "now": now, "most": MOST}
    done = subprocess.run(
        [sys.executable, "-c", ONE_AFTER_THE_OTHER, str(start), str(named), json.dumps(given)],
        cwd=start,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    said = done.stderr.decode()
    assert done.returncode == 0, said
    codes = json.loads(said.splitlines()[-1])
    assert codes[-1] == 0, f"the command never came to its end: {said}"
    assert set(codes[:-1]) <= {137}, said
    folders = [Path(f"{named}{number}") for number in range(len(codes))]
    return folders[:-1], folders[-1]
