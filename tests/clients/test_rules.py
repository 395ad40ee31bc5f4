"""Rules, a section of AGENTS.md and its like: one section between marks, everything else to the byte."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from conftest import write
from hypothesis import given, settings
from hypothesis import strategies as st
from setting_up import Dctx, put, take

from director_ctx.clients.rules_section import (
    BEGIN,
    END,
    HEADS,
    Odd,
    find_section,
    section_text,
    with_section,
    without_section,
)
from director_ctx.doors.cli import parse

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
    monkeypatch.setattr("director_ctx.clients.parts.rules.program", lambda: words)


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


def test_an_empty_file_of_the_users_stays(root: Path, dctx: Dctx) -> None:
    (root / "AGENTS.md").write_bytes(b"")
    put(dctx, root, "rules", client="codex")
    take(dctx, root, "rules", client="codex")
    assert (root / "AGENTS.md").read_bytes() == b""


def test_all_clients_at_once_and_a_link_among_them(root: Path, dctx: Dctx) -> None:
    (root / "AGENTS.md").write_bytes(b"# Mine\r\n")
    (root / "CLAUDE.md").symlink_to("AGENTS.md")
    for folder in (".claude", ".codex", ".gemini"):
        (root / folder).mkdir()
    assert put(dctx, root, "rules", client="all").code == 0
    assert (root / "GEMINI.md").exists()
    assert (root / "CLAUDE.md").is_symlink() and (root / "AGENTS.md").read_bytes().count(BEGIN) == 1
    assert take(dctx, root, "rules", client="all").code == 0
    assert (root / "CLAUDE.md").is_symlink() and (root / "AGENTS.md").read_bytes() == b"# Mine\r\n"
    assert not (root / "GEMINI.md").exists()


def test_it_follows_the_name_of_the_project(root: Path, dctx: Dctx) -> None:
    put(dctx, root, "rules", client="codex")
    assert (root / "AGENTS.md").read_text("utf-8") == section_text("Reading List") + "\n"
    write(root, {"VISION.md": "# Vision\n\n## Project Name\nOther Name\n"})
    assert "`dctx setup --what rules --client codex` brings it up" in dctx("agents", cwd=root).out
    assert "up to date in AGENTS.md" in put(dctx, root, "rules", client="codex").out
    assert "Other Name is directed" in (root / "AGENTS.md").read_text("utf-8")
    assert len(section_text("x" * 5_000)) < 2_000


def test_it_calls_dctx_by_its_name_and_says_where_that_is_not_found(
    root: Path, dctx: Dctx, monkeypatch: pytest.MonkeyPatch
) -> None:
    called(("/some where/dctx",), monkeypatch)
    done = put(dctx, root, "rules")
    text = (root / "CLAUDE.md").read_text("utf-8")
    assert "`dctx next`" in text and "/some where" not in text
    assert "in a virtual environment" in done.err and "pipx install director-ctx" in done.err
    for again in (put(dctx, root, "rules"), take(dctx, root, "rules")):
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
    text: str, root: Path, dctx: Dctx
) -> None:
    (root / "AGENTS.md").write_text(text)
    for act in (put, take):
        result = act(dctx, root, "rules", client="codex")
        assert result.code == 1 and "AGENTS.md: " in result.out and "Put the marks" in result.out
    assert (root / "AGENTS.md").read_text() == text
    with pytest.raises(Odd):
        find_section(text.encode())


def test_a_patch_shows_what_is_added_alone_and_tabs_as_they_are(root: Path, dctx: Dctx) -> None:
    (root / "AGENTS.md").write_text("\tmine\n")
    out = put(dctx, root, "rules", "--dry-run", "--diff", client="codex").out
    assert "+## The plan: .director/\n" in out and " \tmine\n" in out


def test_trouble_is_a_sentence(
    root: Path, tmp_path_factory: pytest.TempPathFactory, dctx: Dctx
) -> None:
    outside = tmp_path_factory.mktemp("outside") / "AGENTS.md"
    outside.write_text("theirs\n")
    (root / "AGENTS.md").symlink_to(outside)
    (root / "CLAUDE.md").mkdir()
    (root / "GEMINI.md").write_bytes("# Mine\n".encode("utf-16"))
    for client in ("codex", "claude", "gemini"):
        result = put(dctx, root, "rules", client=client)
        assert result.code == 1 and "cannot   put rules for" in result.out, client
    assert outside.read_text() == "theirs\n"
    assert put(dctx, Path("/"), "rules").code == 1


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names here")
def test_a_pipe_is_not_waited_for(root: Path, dctx: Dctx) -> None:
    os.mkfifo(root / "CLAUDE.md")
    assert "it is not a regular file" in put(dctx, root, "rules").out


@pytest.mark.parametrize(
    "target", [".env", ".git/config", ".git/notes.md", "secrets.txt", "../outside.md"]
)
def test_a_link_to_what_is_no_document_of_the_project_is_refused(
    target: str, tmp_path: Path, dctx: Dctx
) -> None:
    root = write(tmp_path / "p", {"VISION.md": "# V\n"})
    place = root / target
    place.parent.mkdir(exist_ok=True)
    place.write_text("[core]\n")
    (root / "CLAUDE.md").symlink_to(place)
    shown = put(dctx, root, "rules", "--dry-run", "--diff")
    for done in (shown, put(dctx, root, "rules"), take(dctx, root, "rules")):
        assert done.code == 1 and "core" not in done.out + done.err
    assert place.read_text() == "[core]\n"


def test_very_many_marks_are_read_at_once() -> None:
    """Each time copied, four megabytes of them take minutes."""
    data = (BEGIN + b"\n") * 200_000
    with pytest.raises(Odd):
        find_section(data)
