"""Many commands at once where the system has no locks on folders, or the disk refuses them."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest
from conftest import ROOT, plan, task, write

from director_ctx.project.reading import lock_file
from director_ctx.project.reading.lock import Busy, alone_in, alone_in_project

Figure = Callable[[str, str], None]

WITHOUT = {
    "no fcntl": "import sys\nsys.modules['fcntl'] = None\n",
    "no locks left": "import errno, fcntl\ndef flock(*_): raise OSError(errno.ENOLCK, 'None')\nfcntl.flock = flock\n",
    "not supported": "import errno, fcntl\ndef flock(*_): raise OSError(errno.EOPNOTSUPP, 'No')\nfcntl.flock = flock\n",
}
MAIN = "import sys\nfrom director_ctx.doors.cli.main import main\nsys.exit(main(sys.argv[1:]))\n"
IDEAS, TASKS = 8, 6


def begin(script: str, *words: str, cwd: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", script, *words],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(
        tmp_path, {"VISION.md": "# Vision\nHarm nobody.\n", **plan({"01-one.md": task("One")})}
    )


@pytest.mark.parametrize("how", WITHOUT)
def test_many_commands_at_once_lose_nothing_and_number_nothing_twice(
    how: str, root: Path, figure: Figure
) -> None:
    script = WITHOUT[how] + MAIN
    words = [("idea", f"Idea {number}.") for number in range(IDEAS)]
    words += [("task", f"Task {number}.") for number in range(TASKS)]
    for child in [begin(script, "add", *one, cwd=root) for one in words]:
        _, err = child.communicate(timeout=60)
        assert child.returncode == 0, err
        assert "warning" not in err

    ideas = (root / ".director" / "IDEAS.md").read_text()
    lost = sum(f"Idea {number}." not in ideas for number in range(IDEAS))
    names = [place.name for place in (root / ".director").rglob("tasks/*.md")]
    twice = len(names) - len({name[:2] for name in names})
    figure(f"Lost or numbered twice, {how}", f"{lost + twice} of {IDEAS + TASKS}")
    assert (lost, twice) == (0, 0)
    assert len(names) == 1 + TASKS
    assert list(root.rglob("*.lock*")) == []


COUNT = """
import os, sys, time
from director_ctx.project.reading.lock import alone_in
place, turns = sys.argv[1], int(sys.argv[2])
for _ in range(turns):
    with alone_in(place):
        path = os.path.join(place, "count")
        number = int(open(path).read())
        time.sleep(0.0005)
        open(path, "w").write(str(number + 1))
"""
HOLD = """
import sys, time
from director_ctx.project.reading.lock import alone_in
with alone_in(sys.argv[1]):
    print("in", flush=True)
    time.sleep(60)
"""


@pytest.mark.parametrize("how", ["no fcntl", "no locks left"])
def test_a_killed_holder_blocks_nobody_and_lets_only_one_in_at_a_time(
    how: str, tmp_path: Path
) -> None:
    """Again and again somebody is killed inside, while others count; each count is one that nobody
    else undid.
    """
    counted, turns, place = tmp_path / "count", 15, str(tmp_path)
    counted.write_text("0")
    children = [begin(WITHOUT[how] + COUNT, place, str(turns), cwd=tmp_path) for _ in range(4)]
    for _ in range(2):
        holder = begin(WITHOUT[how] + HOLD, place, cwd=tmp_path)
        assert holder.stdout and holder.stdout.readline() == "in\n"
        holder.kill()
        holder.communicate()
    children.append(begin(WITHOUT[how] + COUNT, place, "1", cwd=tmp_path))
    for child in children:
        assert child.communicate(timeout=60)[1] == ""
    all_of_them = 4 * turns + 1
    lost = all_of_them - int(counted.read_text())
    assert lost == 0
    assert sorted(place.name for place in tmp_path.iterdir()) == ["count"]


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fcntl", None)


HERE = lock_file._here()
GONE = f"{HERE} 2147483646 00\n"
LEFT = {
    "by a process that is gone": (GONE, 0, True),
    "by a process that runs": (f"{HERE} {os.getppid()} 00\n", 0, False),
    "by a process that runs, long ago": (f"{HERE} {os.getppid()} 00\n", 700, True),
    "elsewhere": ("elsewhere 1 00\n", 0, False),
    "elsewhere, long ago": ("elsewhere 1 00\n", 700, True),
    "without a word": ("", 0, False),
    "without a word, long ago": ("", 700, True),
    "by a group of processes": (f"{HERE} -1 00\n", 0, False),
    "by a number that is none": (f"{HERE} {'9' * 900} 00\n", 0, True),
    "by nobody that can be read": ("\0\udc80" * 100, 0, False),
}


def test_whoever_is_slow_to_take_an_abandoned_lock_away_leaves_the_next_one_alone(
    without: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two found it abandoned. The fast one goes in before the slow one, which has decided already,
    does its part.
    """
    place = tmp_path / lock_file.NAME
    place.write_text(GONE)
    real = lock_file.make
    with ExitStack() as fast:

        def make(own: str) -> bool:
            monkeypatch.setattr(lock_file, "make", real)
            fast.enter_context(alone_in(str(tmp_path), patience=1))
            return real(own)

        monkeypatch.setattr(lock_file, "make", make)
        lock_file.remove_abandoned(str(place))
        is_there = place.exists()
    assert is_there
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("left", [0, 1, 2, 3])
def test_a_lock_is_taken_away_even_if_whoever_was_about_to_do_it_was_killed(
    left: int, without: None, tmp_path: Path
) -> None:
    place = tmp_path / lock_file.NAME
    for _ in range(left):
        place.write_text(GONE)
        said, modified = lock_file._read(str(place)) or (b"", 0)
        place = Path(f"{place}.{lock_file.digest(said + str(modified).encode())[:32]}")
    place.write_text(GONE)
    with alone_in(str(tmp_path), patience=1):
        assert len(list(tmp_path.iterdir())) == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("left", LEFT)
def test_a_lock_is_abandoned_by_a_process_that_is_gone_or_by_its_age(
    left: str, without: None, tmp_path: Path
) -> None:
    said, age, is_free = LEFT[left]
    place = tmp_path / lock_file.NAME
    place.write_bytes(said.encode("utf-8", "surrogateescape"))
    os.utime(place, (time.time() - age, time.time() - age))
    try:
        with alone_in(str(tmp_path), patience=0.1):
            assert is_free
    except Busy as busy:
        assert not is_free
        assert str(place) in busy.hint
        place.unlink()
    assert list(tmp_path.iterdir()) == []


def test_where_no_lock_can_be_had_at_all_that_is_said_once_and_the_work_goes_on(
    without: None, root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(*_: object) -> bool:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(lock_file, "make", refuse)
    done = []
    for _ in range(3):
        with alone_in_project(str(root)):
            done.append(1)
    err = capsys.readouterr().err
    assert len(done) == 3
    assert err.count("no lock can be had") == 1
