"""Repositories that bring a `.director/.dctx/` of their own, so that what is private goes out with
the next commit.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from conftest import Result, git, plan, task, write
from hook_answers import heard

from director_ctx.project.dctx_folder import kept_path, trouble
from director_ctx.project.git.repository import tracked_below

Dctx = Callable[..., Result]
Figure = Callable[[str, str], None]

CORNER = ".director/.dctx"
SECRET = "what-nobody-else-may-read"
VISION = {"VISION.md": "# Vision\nHarm nobody.\n"}
BROUGHT = {
    "an empty store": ("store.db", b""),
    "a record of runs": ("runs.jsonl", b""),
    "a text of a run": (f"texts/ab/ab{'0' * 62}", b"x"),
    "marks of stale notes": ("evidence", b""),
    "notes of compactions": ("compactions.json", b"[]"),
    "what a session saw": ("session.json", b"[]"),
    "a log of hooks": ("hooks.log", b"old\n"),
    "a folder of the archive": ("archive/IDEAS.md", b"old\n"),
    "a file of no meaning": ("anything", b""),
}


def repository(root: Path, *options: str) -> Path:
    write(root, {**VISION, **plan({"01-one.md": task("One")})})
    git(root, "init", "-q", "-b", "main", *options)
    return root


def commit_all(root: Path) -> None:
    git(root, "add", "-f", "-A")
    git(root, "commit", "-q", "-m", "Come and see")


def bring(root: Path, name: str, data: bytes) -> None:
    write(root, {f".dctx/{name}": data})
    commit_all(root)


def session_begins(root: Path) -> str:
    """What the hook says then."""
    event = {"hook_event_name": "SessionStart", "session_id": SECRET, "source": "startup"}
    return heard(root, {**event, "cwd": str(root)}, "--client", "claude")


def use(root: Path, dctx: Dctx) -> None:
    """What somebody does in a project, a client's hooks included."""
    dctx("vars", "set", "name", SECRET, "--reason", SECRET, cwd=root)
    dctx("add", "idea", "Later", cwd=root)
    dctx("assemble", "builder", "--note", SECRET, cwd=root)
    session_begins(root)
    (root / "said.json").write_text(json.dumps([{"role": "user", "content": SECRET}]))
    dctx("compress", "said.json", "--ratio", "0.1", cwd=root)


def committed(root: Path) -> bytes:
    """All that anybody gets who fetches, after the most careless of commits."""
    git(root, "add", "-A")
    git(root, "commit", "-q", "-a", "--allow-empty", "-m", "Work")
    names = git(root, "ls-files", "-z", "--", CORNER).split("\0")
    return b"".join((root / name).read_bytes() for name in names if name)


@pytest.mark.parametrize("what", BROUGHT)
def test_what_a_repository_puts_into_the_corner_is_never_written_to(
    what: str, tmp_path: Path, dctx: Dctx
) -> None:
    name, data = BROUGHT[what]
    bring(repository(tmp_path), name, data)
    use(tmp_path, dctx)
    public = committed(tmp_path)
    assert public == data
    assert dctx("assemble", "director", cwd=tmp_path).code == 0


def test_a_valid_store_that_git_tracks_is_refused_with_a_sentence_and_said_everywhere(
    tmp_path: Path, dctx: Dctx
) -> None:
    repository(tmp_path)
    dctx("vars", "set", "planted", "by a stranger", "--reason", "x", cwd=tmp_path)
    commit_all(tmp_path)
    before = (tmp_path / CORNER / "store.db").read_bytes()

    for line in ("vars show", "plan show", "store show", "vars set a 1 --reason x"):
        done = dctx(*line.split(), cwd=tmp_path)
        assert done.code == 1, done
        assert "git tracks .director/.dctx/" in done.err.lower()
        assert "git rm -r --cached .director/.dctx" in done.err
        assert "planted" not in done.out
    assert "git tracks" in dctx("doctor", cwd=tmp_path).out
    assert "git tracks .director/.dctx/" in session_begins(tmp_path)
    assert (tmp_path / CORNER / "store.db").read_bytes() == before


@pytest.mark.parametrize(
    "content", [b"", b"!*\n", b"# nothing\n", b"*\n!store.db\n", b"runs.jsonl\n"]
)
def test_an_ignore_file_that_lets_something_through_is_replaced_and_said(
    tmp_path: Path, dctx: Dctx, content: bytes
) -> None:
    bring(repository(tmp_path), ".gitignore", content)
    assert "git tracks .director/.dctx/.gitignore" in dctx("doctor", cwd=tmp_path).out
    use(tmp_path, dctx)
    assert (tmp_path / CORNER / ".gitignore").read_bytes() == b"*\n"
    assert committed(tmp_path) == b"*\n"


def test_a_link_as_ignore_file_is_replaced_and_its_target_left_alone(
    tmp_path: Path, dctx: Dctx
) -> None:
    repository(tmp_path)
    (tmp_path / "target").write_text("mine\n")
    (tmp_path / CORNER).mkdir()
    (tmp_path / CORNER / ".gitignore").symlink_to(tmp_path / "target")
    use(tmp_path, dctx)
    assert (tmp_path / "target").read_text() == "mine\n"
    assert not (tmp_path / CORNER / ".gitignore").is_symlink()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")
def test_nobody_else_can_read_what_is_kept_however_it_came_to_lie_there(
    tmp_path: Path, dctx: Dctx
) -> None:
    use(repository(tmp_path), dctx)
    corner = tmp_path / CORNER
    places = [corner, *corner.rglob("*")]
    for place in places:
        place.chmod(0o755 if place.is_dir() else 0o644)
    dctx("vars", "show", cwd=tmp_path)
    now = open_to_others(corner, *corner.rglob("*"))
    assert len(places) > 8
    assert now == []

    with closing(sqlite3.connect(corner / "store.db")) as reader:
        reader.execute("SELECT * FROM dctx_variables").fetchall()
        for place in corner.glob("store.db*"):
            place.chmod(0o666)
        dctx("vars", "show", cwd=tmp_path)
        beside = list(corner.glob("store.db*"))
        assert len(beside) == 3
        assert open_to_others(*beside) == []


def open_to_others(*places: Path) -> list[Path]:
    return [place for place in places if place.lstat().st_mode & 0o077]


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away"
)
def test_a_store_of_another_user_is_refused(
    tmp_path: Path, dctx: Dctx, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository(tmp_path)
    dctx("vars", "set", "a", "1", "--reason", "x", cwd=tmp_path)
    for theirs in (f"{CORNER}/store.db", CORNER):
        os.chown(tmp_path / theirs, 12345, 12345)
        assert "belongs to another user" in dctx("vars", "show", cwd=tmp_path).err

    # As in a container, where the project is mounted with the owner that it has outside.
    monkeypatch.setenv("DCTX_SAFE_DIRECTORY", str(tmp_path))
    assert dctx("vars", "show", cwd=tmp_path).code == 0
    assert dctx("assemble", "builder", cwd=tmp_path).code == 0


# Every kind of repository, against git's own word


def by(*commands: str, options: tuple[str, ...] = ()) -> Callable[[Path], Path]:
    """A repository after these commands of git."""

    def make(root: Path) -> Path:
        repository(root, *options)
        for command in commands:
            git(root, *command.split())
        return root

    return make


def _submodule(root: Path) -> Path:
    inner, outer = repository(root / "inner"), repository(root / "outer")
    commit_all(inner)
    git(outer, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner), "part")
    return outer / "part"


def _subfolder(root: Path) -> Path:
    git(root, "init", "-q", "-b", "main")
    return write(root / "größe" / "app", VISION)


def _linked(root: Path) -> Path:
    repository(root)
    (root / ".director").rename(root / "plan")
    (root / ".director").symlink_to("plan")
    return root


def _long_names(root: Path) -> Path:
    """Beyond the length that an entry says of its name."""
    folder = repository(root).joinpath("a", *["long" * 40] * 8)
    folder.mkdir(parents=True)
    for name in ("x", "link"):
        (folder / name).write_text("")
    return root


VERSION_4, ADD, SPLIT = "config index.version 4", "add -A", "update-index --split-index"
OTHER_HASH = ("--object-format=sha256",)
KINDS: dict[str, Callable[[Path], Path]] = {
    "plain": by(),
    "extended": by(ADD, "update-index --skip-worktree .director/VISION.md"),
    "compressed": by(VERSION_4),
    "split": by(ADD, SPLIT),
    "split and compressed": by(VERSION_4, ADD, SPLIT),
    "another hash": by(options=OTHER_HASH),
    "another hash, compressed": by(VERSION_4, options=OTHER_HASH),
    "a worktree": lambda root: (
        by(ADD, "commit -q -m First", "worktree add -q beside")(root) / "beside"
    ),
    "a submodule": _submodule,
    "a subfolder": _subfolder,
    "linked": _linked,
    "long names": _long_names,
}


def test_what_git_tracks_is_known_in_every_kind_of_repository(
    tmp_path: Path, figure: Figure
) -> None:
    """Before it is tracked, while it is, and after it was taken out again."""
    wrong = []
    for kind, make in KINDS.items():
        (tmp_path / kind).mkdir()
        root = make(tmp_path / kind)
        corner = root / CORNER
        # With the first file the next name is shortened in a compressed index.
        write(
            root,
            dict.fromkeys(
                (".dcta", ".dctx/.gitignore", ".dctx/store.db", ".dctx/texts/ab/cd"), "x"
            ),
        )

        git(root, "add", "-A", ":!*.dctx*")
        before = trouble(str(root)), list(tracked_below(str(corner)))
        git(root, "add", "-f", "-A")
        during = sorted(tracked_below(str(corner)))
        is_refused = kept_path(str(root), "store.db") == ""
        folder = Path(os.path.realpath(root / ".director"))
        by_git = [name.removeprefix(".dctx/") for name in git(folder, "ls-files", ".dctx").split()]
        git(root, "rm", "-q", "-r", "--cached", os.path.realpath(corner))
        after = [] if "split" in kind else list(tracked_below(str(corner)))
        if (
            before != (None, [])
            or during != sorted(by_git)
            or len(during) != 3
            or not is_refused
            or after
        ):
            wrong.append((kind, before, during, after))
    figure("Kinds of repositories misread", f"{len(wrong)} of {len(KINDS)}")
    assert wrong == []


def test_other_letters_are_the_same_folder_on_a_disk_that_says_so(tmp_path: Path) -> None:
    repository(tmp_path)
    blob = git(tmp_path, "hash-object", "-w", "--stdin")
    git(tmp_path, "update-index", "--add", "--cacheinfo", f"100644,{blob},.Director/.DCTX/store.db")
    assert trouble(str(tmp_path)) is None
    (tmp_path / ".GIT").symlink_to(".git")  # as on a disk where both are one
    git(tmp_path, "update-index", "--force-write-index")
    assert tracked_below(str(tmp_path / CORNER)) == ("store.db",)


def test_the_corner_of_another_project_in_the_same_repository_is_its_own_affair(
    tmp_path: Path,
) -> None:
    repository(tmp_path)
    other = write(tmp_path / "app", VISION)
    bring(other, "store.db", b"")
    assert trouble(str(other)) is not None
    assert trouble(str(tmp_path)) is None


def test_a_corner_that_is_a_repository_of_its_own_is_not_ours(tmp_path: Path) -> None:
    repository(tmp_path)
    corner = repository(tmp_path / CORNER)
    git(corner, "add", "-A")
    assert trouble(str(tmp_path)) is not None


def test_an_index_that_cannot_be_read_is_said_and_harms_no_hook(tmp_path: Path, dctx: Dctx) -> None:
    bring(repository(tmp_path), "store.db", b"")
    index = tmp_path / ".git" / "index"
    whole = index.read_bytes()
    broken = [b"DIRC\0\0\0" + bytes([version]) + whole[8:] for version in (0, 1, 5, 255)]
    broken += [whole[:end] for end in range(whole.index(b".dctx") + 5, len(whole) - 100, 7)]
    used = 0
    for number, data in enumerate(broken):
        index.write_bytes(data)
        os.utime(index, ns=(number, number))
        used += trouble(str(tmp_path)) is None
    assert used == 0

    index.write_bytes(b"DIRC\0\0\0\x09" + whole[8:])
    assert "git's index cannot be read" in dctx("store", "show", cwd=tmp_path).err.lower()
    assert "git's index cannot be read" in session_begins(tmp_path)


def test_a_project_outside_of_any_repository_keeps_its_memory_when_it_is_copied(
    tmp_path: Path, dctx: Dctx
) -> None:
    root = write(tmp_path / "one", VISION)
    dctx("vars", "set", "a", "kept", "--reason", "x", cwd=root)
    shutil.copytree(root, tmp_path / "two")
    assert "kept" in dctx("vars", "show", cwd=tmp_path / "two").out
