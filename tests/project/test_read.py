"""Bytes to text: every encoding, no control characters, and files that must not be opened."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import ROOT, Files, needs_permissions
from hypothesis import example, given, settings
from hypothesis import strategies as st

from director_ctx import Project
from director_ctx.base.text import cleaned, decode, plain
from director_ctx.project.reading.read import LARGEST_FILE, Unreadable, read_document

TEXT = "# Aufgabe: Größe\n\nÄrger, naïve – und 日本語, 🙂.\n"
ASCII = "# Task: Plain\n\nNothing but letters here, for a while.\n"


LOST = "bytes that are not UTF-8 were replaced"
REMOVED = "control characters were removed"
LITTLE, BIG = "read as UTF-16-LE", "read as UTF-16-BE"


@pytest.mark.parametrize(
    ("data", "text", "notes"),
    [
        (b"", "", []),
        (TEXT.encode(), TEXT, []),
        (b"\xef\xbb\xbf" + TEXT.encode(), TEXT, []),
        (b"\xff\xfe" + TEXT.encode("utf-16-le"), TEXT, [LITTLE]),
        (b"\xfe\xff" + TEXT.encode("utf-16-be"), TEXT, [BIG]),
        (b"\xff\xfe", "", [LITTLE]),
        (b"\xfe\xffx\x00", "\u7800", [BIG]),
        # Without a mark it is known by its nuls, also where it is cut in half a character.
        (ASCII.encode("utf-16-le"), ASCII, [LITTLE]),
        (ASCII.encode("utf-16-be"), ASCII, [BIG]),
        (ASCII.encode("utf-16-le")[:-1], ASCII[:-1] + "\ufffd", [LITTLE]),
        (b"a\0b\0 and then a lot of text", "ab and then a lot of text", [REMOVED]),
        # What a crash can leave of a file that was being written.
        (b"a line\n" + b"\0" * 100, "a line\n", [REMOVED]),
        (b"caf\xe9 and \xff\xfe more\n", "caf\ufffd and \ufffd\ufffd more\n", [LOST]),
        # Line ends; a missing one stays missing.
        (b"a\nb\n", "a\nb\n", []),
        (b"a\r\nb\r\n", "a\nb\n", []),
        (b"a\rb\r", "a\nb\n", []),
        (b"a\r\nb\r", "a\nb\n", []),
        (b"\xff\xfe" + "a\r\nb\r\n".encode("utf-16-le"), "a\nb\n", [LITTLE]),
        (b"a\r\nb", "a\nb", []),
        # U+009B alone starts an escape sequence in a terminal.
        ("é\x9b31mred".encode(), "é31mred", []),
        ("\x80\x85\x9f".encode(), "", []),
        ("£ ° »\u00a0½".encode(), "£ ° »\u00a0½", []),
        (b"a\tb", "a\tb", []),
    ],
)
def test_bytes_become_a_text_with_notes(data: bytes, text: str, notes: list[str]) -> None:
    assert decode(data) == (text, tuple(notes))


def test_lone_surrogates_in_utf_16_do_not_survive() -> None:
    text, _ = decode(b"\xff\xfe" + b"a\0" + b"\x00\xd8" + b"b\0")
    text.encode("utf-8")
    assert text[0] == "a" and "\ufffd" in text


@pytest.mark.parametrize("code", [*(code for code in range(32) if code not in (9, 10, 13)), 127])
def test_ascii_control_characters_are_removed_and_noted(code: int) -> None:
    assert decode(b"one" + bytes([code]) + b"two, three") == ("onetwo, three", (REMOVED,))


_PIECES = [
    b"\xff\xfe",
    b"\xfe\xff",
    b"\xef\xbb\xbf",
    b"\0",
    b"\r",
    b"\r\n",
    b"\xc2\x9b",
    b"a",
    b"\x1b",
    b"\xd8",
    b"# x\n",
]


@settings(deadline=None)
@given(
    st.one_of(
        st.binary(max_size=200),
        st.text(max_size=100).map(lambda text: text.encode("utf-8", "surrogatepass")),
        st.text(max_size=100).map(lambda text: text.encode("utf-16", "surrogatepass")),
        st.lists(st.sampled_from(_PIECES)).map(b"".join),
    )
)
@example(b"\xef\xbb\xbf\xff\xfe")
@example(b"\xff\xfe\x9b\x00\x0d\x00")
def test_decode_never_fails_and_never_returns_a_control_character(data: bytes) -> None:
    text, notes = decode(data)
    assert {char for char in text if unicodedata.category(char) in ("Cc", "Cs")} <= {"\n", "\t"}
    assert all(notes) and len(set(notes)) == len(notes)


@settings(deadline=None)
@given(st.text(max_size=50))
def test_a_name_is_safe_to_print_on_one_line(name: str) -> None:
    shown = plain(name)
    shown.encode("utf-8")
    assert shown.isprintable() and len(shown) == len(name)
    assert plain(shown) == shown


def test_a_name_from_bytes_that_are_no_utf_8_can_be_printed() -> None:
    assert plain(os.fsdecode(b"01-caf\xe9")) == "01-caf\ufffd"
    assert plain("a\x1b[31m\nb") == "a\ufffd[31m\ufffdb"


# What is on disk


def test_a_document_knows_its_path_its_size_and_what_was_done_to_it(tmp_path: Path) -> None:
    (tmp_path / "file.md").write_bytes(b"one\r\ntwo\0\n")
    document = read_document(str(tmp_path / "file.md"), ".director/file.md")
    assert document.path == ".director/file.md"
    assert document.text == "one\ntwo\n"
    assert document.notes == ("control characters were removed",)
    assert document.size == 10


def test_a_missing_file_is_missing_and_not_unreadable(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_document(str(tmp_path / "none.md"), "none.md")


def test_a_pipe_is_refused_without_waiting_for_a_writer(tmp_path: Path) -> None:
    """In a process of its own: if it did wait, it would wait for ever."""
    os.mkfifo(tmp_path / "pipe.md")
    code = (
        "import sys; from director_ctx.project.reading.read import read_document; "
        "read_document(sys.argv[1], 'pipe.md')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "pipe.md")],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        timeout=20,
        check=False,
    )
    assert done.stderr.endswith(b"Unreadable: not a regular file\n")


@pytest.mark.parametrize("name", ["/dev/zero", "/dev/null", ".", "s.md", "a.md", "a\0b"])
def test_what_is_no_regular_file_is_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # a socket's path must be short
    (tmp_path / "a.md").symlink_to("a.md")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("s.md")
        with pytest.raises(Unreadable):
            read_document(name, "document.md")


@needs_permissions
def test_a_file_without_permission_is_unreadable(tmp_path: Path) -> None:
    (tmp_path / "file.md").write_text("secret")
    (tmp_path / "file.md").chmod(0)
    with pytest.raises(Unreadable, match="Permission denied"):
        read_document(str(tmp_path / "file.md"), "file.md")


def test_a_file_as_large_as_allowed_is_read_whole(tmp_path: Path) -> None:
    (tmp_path / "file.md").write_bytes(b"x" * (LARGEST_FILE - 1) + b"\n")
    document = read_document(str(tmp_path / "file.md"), "file.md")
    assert (len(document.text), document.notes) == (LARGEST_FILE, ())


def test_of_a_larger_file_the_first_whole_lines_are_read_and_noted(tmp_path: Path) -> None:
    line = b"x" * 999 + b"\n"
    (tmp_path / "file.md").write_bytes(b"ab\n" + line * (LARGEST_FILE // 1000 + 5))
    document = read_document(str(tmp_path / "file.md"), "file.md")
    assert len(document.text) == LARGEST_FILE - 997
    assert document.text.endswith("x\n")
    assert document.size == LARGEST_FILE + 5003
    assert document.notes == (
        f"only the first 4,000,000 of {LARGEST_FILE + 5003:,} bytes were read",
    )


def test_a_larger_file_of_one_line_is_cut_in_the_line(tmp_path: Path) -> None:
    (tmp_path / "file.md").write_bytes(b"x" * (LARGEST_FILE + 1))
    assert (
        LARGEST_FILE - 4
        <= len(read_document(str(tmp_path / "file.md"), "file.md").text)
        <= LARGEST_FILE
    )


def test_a_huge_sparse_file_is_not_read_to_its_end(tmp_path: Path) -> None:
    with (tmp_path / "file.md").open("wb") as file:
        file.write(b"a line\n" * 1000)
        file.truncate(1 << 40)
    document = read_document(str(tmp_path / "file.md"), "file.md")
    assert document.text == "a line\n" * 1000 and document.size == 1 << 40


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_a_larger_file_in_utf_16_is_cut_between_two_lines_too(
    tmp_path: Path, encoding: str
) -> None:
    (tmp_path / "file.md").write_bytes("a line\n".encode(encoding) * (LARGEST_FILE // 14 + 2))
    document = read_document(str(tmp_path / "file.md"), "file.md")
    assert document.text == "a line\n" * (LARGEST_FILE // 14)
    assert document.notes[0] == f"read as {encoding.upper()}" and len(document.notes) == 2


def test_the_limit_in_the_middle_of_a_character_does_not_make_the_file_broken(
    tmp_path: Path,
) -> None:
    (tmp_path / "file.md").write_bytes(b"x\n" + b"x" + "é".encode() * LARGEST_FILE)
    notes = read_document(str(tmp_path / "file.md"), "file.md").notes
    assert [note for note in notes if "UTF-8" in note] == []


# Through a project


def test_a_document_that_cannot_be_read_is_noted_and_empty(
    project: Callable[[Files], Project], tmp_path: Path
) -> None:
    loaded = project({"GAMEPLAN.md": "x"})
    os.mkfifo(tmp_path / ".director" / "VISION.md")
    (tmp_path / ".director" / "STATE.md").mkdir()
    assert (loaded.text(".director/VISION.md"), loaded.text(".director/STATE.md")) == ("", "")
    assert loaded.text(".director/GAMEPLAN.md") == "x"
    assert [(note.path, note.text) for note in loaded.notes] == [
        (".director/VISION.md", "is not a regular file; it was ignored"),
        (".director/STATE.md", "is a folder where a file should be"),
    ]


def test_what_had_to_be_done_to_a_document_is_noted_once(
    project: Callable[[Files], Project],
) -> None:
    loaded = project({"VISION.md": ASCII.encode("utf-16")})
    assert loaded.text(".director/VISION.md") == loaded.text(".director/VISION.md") == ASCII
    assert [(note.path, note.text) for note in loaded.notes] == [
        (".director/VISION.md", "read as UTF-16-LE")
    ]


def test_codes_for_a_terminal_are_no_words_of_a_text() -> None:
    assert cleaned("\x1b[2mCompacted\x1b[0m, \x1b[1;31mred\x1b[m, a[2m]") == "Compacted, red, a[2m]"
