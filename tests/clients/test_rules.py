"""`dctx agents install --what rules`: one section between marks, everything else to the byte."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Result, write
from hypothesis import given, settings
from hypothesis import strategies as st

from director_ctx.clients.agents_md_section import (
    BEGIN,
    END,
    FILES,
    HEADS,
    Odd,
    find_section,
    section_text,
    with_section,
    without_section,
)
from director_ctx.doors.cli import parse

Run = Callable[..., Result]
TEXT, OTHER = section_text("Thing"), section_text("Another thing")
PIECES = (
    b"\n",
    b"\r\n",
    b"\r",
    b"text",
    b"# Title",
    b" ",
    b"\xef\xbb\xbf",
    b"\xff\x00",
    BEGIN + b" not alone",
    b"`" + END,
)


def called(words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("director_ctx.doors.cli.clients.rules.program", lambda: words)


documents = st.lists(st.sampled_from(PIECES), max_size=9).map(b"".join)


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project, and a dctx that everybody finds."""
    called(("dctx",), monkeypatch)
    return write(tmp_path, {"VISION.md": "# Vision\n\n## Project Name\nReading List\n"})


@settings(max_examples=600)
@given(documents, st.sampled_from(["", HEADS["cursor"]]))
def test_taking_it_out_gives_the_former_bytes(data: bytes, head: str) -> None:
    put = with_section(data, TEXT, head)
    assert without_section(put, head) == data
    assert without_section(with_section(put, OTHER, head), head) == data


@settings(max_examples=600)
@given(documents)
def test_putting_it_in_twice_is_putting_it_in_once(data: bytes) -> None:
    put = with_section(data, TEXT)
    assert put.startswith(data) and with_section(put, TEXT) == put
    found = find_section(put)
    assert found and put[found.start : found.end].rstrip().replace(b"\r\n", b"\n") == TEXT.encode()


@settings(max_examples=300)
@given(documents, documents)
def test_what_others_write_around_it_stays(before: bytes, after: bytes) -> None:
    put = (
        with_section(before, TEXT)
        + b"\n" * (not with_section(before, TEXT).endswith(b"\n"))
        + after
    )
    changed = with_section(put, OTHER)
    assert (
        changed.startswith(before)
        and changed.endswith(after)
        and OTHER.splitlines()[3].encode() in changed
    )
    left = without_section(put)
    assert left is not None and left.endswith(after) and left.startswith(before.rstrip(b"\r\n"))


def test_a_file_is_made_and_unmade(root: Path, dctx: Run) -> None:
    for client, name in FILES.items():
        made = dctx("agents", "install", "--what", "rules", "--yes", "--client", client, cwd=root)
        assert (made.code, made.out) == (0, f"{name} made.\n")
        text = (root / name).read_text("utf-8")
        assert text == HEADS.get(client, "") + section_text("Reading List") + "\n"
        assert (
            dctx("agents", "install", "--what", "rules", "--yes", "--client", client, cwd=root).out
            == f"{name} is as it should be.\n"
        )
        assert (
            dctx("agents", "remove", "--what", "rules", "--yes", "--client", client, cwd=root).out
            == f"{name} removed.\n"
        )
        assert not (root / name).exists()


def test_an_empty_file_of_the_users_stays(root: Path, dctx: Run) -> None:
    (root / "AGENTS.md").write_bytes(b"")
    dctx("agents", "install", "--what", "rules", "--yes", cwd=root)
    assert (
        dctx("agents", "remove", "--what", "rules", "--yes", cwd=root).out == "AGENTS.md changed.\n"
    )
    assert (root / "AGENTS.md").read_bytes() == b""


def test_all_clients_at_once_and_a_link_among_them(root: Path, dctx: Run) -> None:
    (root / "AGENTS.md").write_bytes(b"# Mine\r\n")
    (root / "CLAUDE.md").symlink_to("AGENTS.md")
    for folder in (".claude", ".codex", ".gemini"):
        (root / folder).mkdir()
    assert (
        dctx("agents", "install", "--what", "rules", "--yes", "--client", "all", cwd=root).code == 0
    )
    assert (root / "GEMINI.md").exists()
    assert (root / "CLAUDE.md").is_symlink() and (root / "AGENTS.md").read_bytes().count(BEGIN) == 1
    assert (
        dctx("agents", "remove", "--what", "rules", "--yes", "--client", "all", cwd=root).code == 0
    )
    assert (root / "CLAUDE.md").is_symlink() and (root / "AGENTS.md").read_bytes() == b"# Mine\r\n"
    assert not (root / "GEMINI.md").exists()


def test_all_means_the_clients_that_are_used_here(
    root: Path, dctx: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    (root / ".gemini").mkdir()
    done = dctx("agents", "install", "--what", "rules", "--yes", "--client", "all", cwd=root)
    assert (done.code, done.out) == (0, "GEMINI.md made.\n")
    assert "Codex CLI does not seem to be used here; skipped." in done.err
    assert not (root / "AGENTS.md").exists()


def test_the_folder_of_vs_code_shows_that_it_is_used(
    root: Path, dctx: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    skipped = "VS Code does not seem to be used here"
    asked = ("agents", "install", "--what", "mcp", "--dry-run", "--client", "all")
    assert skipped in dctx(*asked, cwd=root).err
    (root / ".vscode").mkdir()
    done = dctx(*asked, cwd=root)
    assert skipped not in done.err and ".vscode/mcp.json" in done.out


def test_where_there_is_nothing_to_take_out_that_is_said(root: Path, dctx: Run) -> None:
    assert (
        dctx("agents", "remove", "--what", "rules", "--yes", cwd=root).out
        == "There is no AGENTS.md.\n"
    )
    (root / "AGENTS.md").write_text("# Mine\n")
    assert (
        dctx("agents", "remove", "--what", "rules", "--yes", cwd=root).out
        == "AGENTS.md has no section of dctx.\n"
    )


def test_tabs_in_a_patch_stay_tabs(root: Path, dctx: Run) -> None:
    (root / "AGENTS.md").write_text("\tmine\n")
    assert (
        " \tmine\n"
        in dctx("agents", "install", "--what", "rules", "--yes", "--dry-run", cwd=root).out
    )


def test_it_follows_the_name_of_the_project(root: Path, dctx: Run) -> None:
    dctx("agents", "install", "--what", "rules", "--yes", cwd=root)
    write(root, {"VISION.md": "# Vision\n\n## Project Name\nOther Name\n"})
    assert (
        dctx("agents", "install", "--what", "rules", "--yes", cwd=root).out
        == "AGENTS.md changed.\n"
    )
    assert "Other Name is directed" in (root / "AGENTS.md").read_text("utf-8")
    assert len(section_text("x" * 5_000)) < 2_000


def test_it_calls_dctx_by_its_name_and_says_where_that_is_not_found(
    root: Path, dctx: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    called(("/some where/dctx",), monkeypatch)
    done = dctx("agents", "install", "--what", "rules", "--yes", cwd=root)
    text = (root / "AGENTS.md").read_text("utf-8")
    assert "`dctx next`" in text and "/some where" not in text
    assert "in a virtual environment" in done.err and "pipx install director-ctx" in done.err
    for words in (("install",), ("remove",)):
        again = dctx("agents", *words, "--what", "rules", "--yes", cwd=root)
        assert "virtual" not in again.err, "nothing was written"


def test_every_command_in_it_is_one_of_ours() -> None:
    import re
    import shlex

    commands = re.findall(r"`(dctx [^`]+)`", TEXT)
    assert len(commands) >= 7
    assert all(parse.parse(shlex.split(command)[1:]) for command in commands)


@pytest.mark.parametrize(
    "text",
    [
        f"# Mine\n{BEGIN.decode()}\ntext\n",
        f"# Mine\n{END.decode()}\n",
        f"{END.decode()}\n{BEGIN.decode()}\n",
        f"{BEGIN.decode()}\n{END.decode()}\n" * 2,
    ],
)
def test_marks_that_do_not_fit_are_a_sentence_and_nothing_is_written(
    text: str, root: Path, dctx: Run
) -> None:
    (root / "AGENTS.md").write_text(text)
    for action in ("install", "remove"):
        result = dctx("agents", action, "--what", "rules", "--yes", cwd=root)
        assert result.code == 1 and "AGENTS.md: " in result.err and "hint:" in result.err
    assert (root / "AGENTS.md").read_text() == text
    with pytest.raises(Odd):
        find_section(text.encode())


def test_dry_run_shows_the_change_and_makes_none(root: Path, dctx: Run) -> None:
    (root / "AGENTS.md").write_text("# Mine\n")
    out = dctx("agents", "install", "--what", "rules", "--yes", "--dry-run", cwd=root).out
    assert "+## The plan: .director/\n" in out and "-# Mine" not in out
    assert (root / "AGENTS.md").read_text() == "# Mine\n"


def test_trouble_is_a_sentence(
    root: Path, tmp_path_factory: pytest.TempPathFactory, dctx: Run
) -> None:
    outside = tmp_path_factory.mktemp("outside") / "AGENTS.md"
    outside.write_text("theirs\n")
    (root / "AGENTS.md").symlink_to(outside)
    (root / "CLAUDE.md").mkdir()
    (root / "GEMINI.md").write_bytes("# Mine\n".encode("utf-16"))
    for client in ("codex", "claude", "gemini"):
        result = dctx("agents", "install", "--what", "rules", "--yes", "--client", client, cwd=root)
        assert result.code == 1 and "hint:" in result.err, client
    assert outside.read_text() == "theirs\n"
    assert (
        dctx("agents", "install", "--what", "rules", "--yes", "--client", "odd", cwd=root).code == 2
    )
    assert dctx("agents", "install", "--what", "rules", "--yes", cwd=Path("/")).code == 1


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names here")
def test_a_pipe_is_not_waited_for(root: Path, dctx: Run) -> None:
    os.mkfifo(root / "AGENTS.md")
    assert (
        "is not a regular file"
        in dctx("agents", "install", "--what", "rules", "--yes", cwd=root).err
    )


@pytest.mark.parametrize(
    "target", [".env", ".git/config", ".git/notes.md", "secrets.txt", "../outside.md"]
)
def test_a_link_to_what_is_no_document_of_the_project_is_refused(
    target: str, tmp_path: Path, dctx: Run
) -> None:
    root = write(tmp_path / "p", {"VISION.md": "# V\n"})
    place = root / target
    place.parent.mkdir(exist_ok=True)
    place.write_text("[core]\n")
    (root / "AGENTS.md").symlink_to(place)
    for words in (("install", "--yes"), ("install", "--dry-run"), ("remove", "--yes")):
        done = dctx("agents", *words, "--what", "rules", cwd=root)
        assert done.code == 1 and "core" not in done.out + done.err
    assert place.read_text() == "[core]\n"


def test_one_document_under_two_names_is_kept_as_it_is(tmp_path: Path, dctx: Run) -> None:
    root = write(tmp_path / "p", {"VISION.md": "# V\n"})
    (root / "CLAUDE.md").write_text("# Ours\n")
    (root / "AGENTS.md").symlink_to("CLAUDE.md")
    assert dctx("agents", "install", "--what", "rules", "--yes", cwd=root).code == 0
    assert (root / "AGENTS.md").is_symlink() and "dctx next" in (root / "CLAUDE.md").read_text()


def test_very_many_marks_are_read_at_once() -> None:
    """Each time copied, four megabytes of them take minutes."""
    data = (BEGIN + b"\n") * 200_000
    with pytest.raises(Odd):
        find_section(data)
