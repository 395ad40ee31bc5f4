"""Skills by somebody who means harm: no text, link, repository or argument gets more than the list
gives.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import ROOT, Result, commit, git, write
from hypothesis import given
from hypothesis import strategies as st

from director_ctx.base.escape import escape_boundaries
from director_ctx.clients.skills.by_client import _INJECTED
from director_ctx.clients.skills.files import MOST_NAMES, shipped_skills
from director_ctx.clients.skills.render import NOT_LISTED, find, harmless

Run = Callable[..., Result]
HEAD = "---\nname: probe\ndescription: Looks.\n---\n"
GUARD = 20
"""Seconds, for what takes less than one of them."""


@pytest.fixture
def skill(tmp_path: Path, dctx: Run) -> Callable[..., Result]:
    """A project's skill with this body, rendered."""

    def run(body: str, *words: str, head: str = HEAD) -> Result:
        write(tmp_path, {"/.claude/skills/probe/SKILL.md": head + body})
        return dctx("skill", "show", "probe", "--rendered", *words, cwd=tmp_path)

    return run


# --- git


def embedded(folder: Path, filters: int, program: str) -> None:
    """A bare repository that is only a folder of another one, with a work tree and filters of its
    own.
    """
    folder.mkdir()
    commit(folder, "Inside", {"a.txt": "1\n", ".gitattributes": "*.txt filter=zz\n"})
    for path in (folder / ".git").iterdir():
        path.rename(folder / path.name)
    (folder / ".git").rmdir()
    dummies = "".join(f'[filter "{number:x>180}"]\n\tclean = cat\n' for number in range(filters))
    config = f"[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n{dummies}"
    (folder / "config").write_text(f'{config}[filter "zz"]\n\tclean = {program}\n')
    (folder / "a.txt").write_text("2\n")
    os.utime(folder / "a.txt", (1, 1))


@pytest.mark.parametrize("filters", [0, 3_000])
def test_a_repository_that_is_only_a_folder_of_another_is_not_asked(
    filters: int, tmp_path: Path, dctx: Run
) -> None:
    commit(tmp_path, "Begin", {"b.txt": "1\n"})
    embedded(tmp_path / "sub", filters, f"touch {tmp_path}/F; cat")
    write(
        tmp_path / "sub",
        {"/.claude/skills/probe/SKILL.md": HEAD + "!`git diff --stat`\n!`git log -1`\n"},
    )
    done = dctx("skill", "show", "probe", "--rendered", cwd=tmp_path / "sub")
    assert done.out.count("(not available: ") == 2 and not (tmp_path / "F").exists()
    git(tmp_path / "sub", "diff", "--stat")
    assert (tmp_path / "F").exists(), "git by itself runs it"


def test_git_runs_none_of_thousands_of_filters(tmp_path: Path, skill: Run) -> None:
    commit(tmp_path, "Begin", {"a.txt": "1\n", ".gitattributes": "*.txt filter=zz\n"})
    with (tmp_path / ".git/config").open("a") as config:
        config.writelines(f'[filter "{number:x>180}"]\n\tclean = cat\n' for number in range(3_000))
        config.write(f'[filter "zz"]\n\tclean = touch {tmp_path}/F; cat\n')
    (tmp_path / "a.txt").write_text("2\n")
    os.utime(tmp_path / "a.txt", (1, 1))
    assert "a.txt | 2 +-" in skill("!`git diff --stat`\n").out and not (tmp_path / "F").exists()


def test_git_is_not_asked_where_a_filter_has_a_name_that_is_no_text(
    tmp_path: Path, skill: Run
) -> None:
    commit(tmp_path, "Begin", {"a.txt": "1\n"})
    (tmp_path / ".git/info").mkdir()
    (tmp_path / ".git/info/attributes").write_bytes(b"*.txt filter=\xff\n")
    with (tmp_path / ".git/config").open("ab") as config:
        config.write(b'[filter "\xff"]\n\tclean = touch ' + os.fsencode(tmp_path) + b"/F; cat\n")
    (tmp_path / "a.txt").write_text("2\n")
    os.utime(tmp_path / "a.txt", (1, 1))
    assert (
        "git was not asked" in skill("!`git diff --stat`\n").out and not (tmp_path / "F").exists()
    )


@pytest.mark.parametrize(
    "words", [".. link/deep", "link/.. link", "x/.. .", "-- .. link/deep", "link/deep ..", "./.. a"]
)
def test_git_does_not_look_above_the_project(words: str, tmp_path: Path, skill: Run) -> None:
    write(tmp_path / "home", {"/deep/SECRET.txt": "x"})
    (tmp_path / "link").symlink_to(tmp_path / "home")
    commit(tmp_path, "Begin", {"a": "1\n"})
    out = skill(f"!`git diff --stat {words}`\n").out
    assert NOT_LISTED in out and "SECRET" not in out


@pytest.mark.parametrize("broken", [False, True])
def test_git_never_compares_files_outside_a_repository(
    broken: bool, tmp_path: Path, skill: Run
) -> None:
    """A committed link is a link: what it leads to is no part of the repository."""
    write(tmp_path / "home", {"/one/SECRET.txt": "x", "/two/SECRET.txt": "y"})
    (tmp_path / "link").symlink_to(tmp_path / "home")
    commit(tmp_path, "Begin", {"a": "1\n"})
    if broken:
        (tmp_path / ".git/HEAD").unlink()
    for words in ("link/one link/two", "-- link/one link/two"):
        assert "SECRET" not in skill(f"!`git diff --stat {words} | head`\n").out


# --- links


@pytest.mark.parametrize(
    "target", [".env", ".git/config", "notes.txt", "keys/credentials.md", ".git/x.md"]
)
def test_a_projects_link_to_what_is_no_skill_is_none(
    target: str, tmp_path: Path, dctx: Run
) -> None:
    write(tmp_path, {f"/{target}": "SECRET", "/docs/shared.md": HEAD + "text\n"})
    for name, to in (("leak", target), ("fine", "docs/shared.md")):
        (tmp_path / f".claude/skills/{name}").mkdir(parents=True)
        (tmp_path / f".claude/skills/{name}/SKILL.md").symlink_to(f"../../../{to}")
    for rendered in ((), ("--rendered",)):
        for named in ("leak", ".claude/skills/leak/SKILL.md", ".claude/skills/leak"):
            done = dctx("skill", "show", named, *rendered, cwd=tmp_path)
            assert done.code == 1 and "SECRET" not in done.out + done.err
        assert dctx("skill", "show", "fine", *rendered, cwd=tmp_path).code == 0
    assert "SECRET" not in dctx("skill", "--json", cwd=tmp_path).out


# --- tags


@pytest.mark.parametrize(
    ("first", "second"),
    [("<", "instructions>"), ("</", "task>"), ("x <inst", "ructions>"), ("< \u200b", "task>")],
)
@pytest.mark.parametrize(
    "body",
    [
        "```!\ncat .director/A.md\ncat .director/B.md\n```\n",
        "!`cat .director/A.md` !`cat .director/B.md`\n",
    ],
)
def test_no_tag_of_ours_comes_of_two_outputs(
    body: str, first: str, second: str, tmp_path: Path, skill: Run
) -> None:
    write(tmp_path, {"A.md": first, "B.md": second})
    out = skill(body).out
    assert "&lt;" in out and escape_boundaries(out) == (out, ())


@given(texts=st.lists(st.text(st.sampled_from("<//&;task visonTASK\u200b\n")), max_size=4))
def test_harmless_texts_stay_so_when_they_are_put_together(texts: list[str]) -> None:
    assert escape_boundaries("".join(harmless(text) for text in texts))[1] == ()


@pytest.mark.parametrize("text", ["if a < x", "a <b> c", "+  return <Vision>", "<Task id={1}>"])
def test_a_bracket_that_cannot_become_a_boundary_stays(text: str) -> None:
    assert harmless(text) == text


# --- sizes


def finishes(tmp_path: Path, text: str, *words: str) -> subprocess.CompletedProcess[bytes]:
    """Runs a command of `dctx skill` on this text, and ends it where it takes far longer than it
    may.
    """
    write(tmp_path, {"/.claude/skills/probe/SKILL.md": text})
    return subprocess.run(
        [sys.executable, "-m", "director_ctx", "skill", "show", "probe", *words],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, check=False, timeout=GUARD,
    )  # fmt: skip


NAMES = " ".join(f"{chr(97 + number % 26)}{number}" for number in range(14_000))
LONG = {
    "an open fence and blanks": HEAD + "```!" + " " * 190_000,
    "bare commands before a backtick": HEAD + ": !cat x" * 23_000 + "`",
    "bare commands": HEAD + ": !cat x" * 23_000,
    "a command each line": HEAD + "!`a`\n" * 35_000,
    "inert commands": HEAD + "`!cat x`\n" * 20_000,
    "blanks in a command": HEAD + "!`cat x" + " " * 180_000 + "y`\n",
    "pipes in a command": HEAD + "!`dctx status " + "| head 2>" * 20_000 + "`\n",
    "many names": HEAD.replace("---\n", f"---\narguments: {NAMES}\n", 1) + "$0 " * 30_000,
}


@pytest.mark.parametrize("name", LONG)
@pytest.mark.parametrize("words", [("--json",), ("--rendered", "x")])
def test_no_text_takes_long(name: str, words: tuple[str, ...], tmp_path: Path) -> None:
    done = finishes(tmp_path, LONG[name], *words)
    assert done.returncode in (0, 1) and b"Traceback" not in done.stderr


def test_so_many_names_are_known(skill: Run) -> None:
    names = [f"n{number}" for number in range(MOST_NAMES + 1)]
    head = HEAD.replace("---\n", f"---\narguments: [{', '.join(names)}]\n", 1)
    words = " ".join(map(str, range(MOST_NAMES + 1)))
    assert (
        skill(f"${names[-2]} ${names[-1]}\n", words, head=head).out
        == f"{MOST_NAMES - 1} ${names[-1]}\n"
    )


# --- our own


def test_what_each_client_gets_of_our_skills_is_every_command_in_them() -> None:
    for one in shipped_skills():
        assert _INJECTED.findall(one.body) == [found.command for found in find(one.body)]
