"""How an agent is told to call dctx: by its name where that works, else by its place, fit for a
shell.
"""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

import pytest
from conftest import plan, process, task, write

from director_ctx.base.system.own_name import own_name

pytestmark = pytest.mark.skipif(os.name == "nt", reason="paths are POSIX")


def place(folder: Path, name: str = "dctx", mode: int = 0o755) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text("#!/bin/sh\n")
    (folder / name).chmod(mode)
    return folder / name


def named(monkeypatch: pytest.MonkeyPatch, called: str, *path: object) -> str:
    monkeypatch.setattr(sys, "argv", [called])
    monkeypatch.setenv("PATH", os.pathsep.join(map(str, path)))
    return own_name()


def test_it_is_its_name_where_that_is_on_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place(tmp_path / "bin")
    assert named(monkeypatch, "/x/dctx", "/nowhere", tmp_path / "bin") == "dctx"


def test_a_place_with_blanks_is_quoted_for_a_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    assert named(monkeypatch, "/opt/my tools/dctx") == "'/opt/my tools/dctx'"
    assert shlex.split(named(monkeypatch, "/it's; here/dctx")) == ["/it's; here/dctx"]
    assert named(monkeypatch, "/opt/tools/dctx") == "/opt/tools/dctx"


@pytest.mark.parametrize(
    "what", ["a folder", "a file that does not run", "a folder that is not whole"]
)
def test_what_only_has_the_name_on_the_path_is_passed_over(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if what == "a folder":
        (tmp_path / "bin" / "dctx").mkdir(parents=True)
    else:
        place(tmp_path / "bin", mode=0o644 if what == "a file that does not run" else 0o755)
    monkeypatch.chdir(tmp_path)
    path = "bin" if what == "a folder that is not whole" else tmp_path / "bin"
    assert named(monkeypatch, "/opt/dctx", path) == "/opt/dctx"


def test_what_is_called_otherwise_is_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    assert named(monkeypatch, "/usr/bin/pytest") == named(monkeypatch, "./dctx") == "dctx"


def test_a_module_is_called_by_its_python(tmp_path: Path) -> None:
    vision = "# Vision\n\n" + "Words. " * 6_000
    root = write(tmp_path, {"VISION.md": vision, **plan({"01-one.md": task("One")})})
    done = process("assemble", "builder", "--inject", cwd=root, env={"PATH": "/nowhere"})
    assert f"`{sys.executable} -P -m director_ctx assemble builder --only vision`" in done.out
