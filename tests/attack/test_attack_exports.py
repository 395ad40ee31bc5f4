"""A backup that falls into other hands: what stands in it in the clear, and what changing it does."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Result, write

Run = Callable[..., Result]
Figure = Callable[[str, str], None]

SECRETS = (
    "sk-ant-api03-what-a-user-pasted",
    "a password in an output",
    "a decision nobody else may know",
)


@pytest.fixture
def root(tmp_path: Path, dctx: Run) -> Path:
    """A project that remembers a conversation, its compression, a plan and variables."""
    root = write(tmp_path / "one", {"VISION.md": "# Vision\nHarm nobody.\n"})
    said: list[dict[str, str]] = [{"role": "user", "content": f"Use {SECRETS[0]}."}]
    for number in range(8):
        said.append(
            {"role": "assistant", "content": f"{SECRETS[1]} {number} " + "and much more " * 50}
        )
        said.append({"role": "user", "content": f"Go on with {number}."})
    (root / "said.json").write_text(json.dumps(said))
    assert dctx("compress", "said.json", "--window", "2", cwd=root).code == 0
    assert dctx("vars", "set", "why", SECRETS[2], "--reason", "noted", cwd=root).code == 0
    return root


def found_in(file: Path) -> int:
    return sum(secret in file.read_text() for secret in SECRETS)


def test_a_sealed_export_shows_nothing_and_an_open_one_says_what_it_shows(
    root: Path, dctx: Run, figure: Figure
) -> None:
    plainly = dctx("store", "export", "-o", "open.jsonl", cwd=root)
    assert "The file has conversations in plain text" in plainly.err
    assert "--seal" in plainly.err
    assert found_in(root / "open.jsonl") == len(SECRETS)

    sealed = dctx("store", "export", "--seal", "-o", "sealed.jsonl", cwd=root)
    assert sealed.code == 0, sealed
    assert "in the clear" not in sealed.err
    figure(
        "Secrets in the clear in a sealed export",
        f"{found_in(root / 'sealed.jsonl')} of {len(SECRETS)}",
    )
    assert found_in(root / "sealed.jsonl") == 0
    assert (root / "sealed.jsonl").stat().st_mode & 0o077 == 0


def test_an_export_without_conversations_warns_of_nothing(tmp_path: Path, dctx: Run) -> None:
    write(tmp_path, {"VISION.md": "# Vision\nHarm nobody.\n"})
    dctx("vars", "set", "a", "1", "--reason", "x", cwd=tmp_path)
    assert dctx("store", "export", "-o", "open.jsonl", cwd=tmp_path).err.count("\n") == 1


def test_a_sealed_export_comes_back_whole_where_the_key_is(
    root: Path, dctx: Run, tmp_path: Path
) -> None:
    dctx("store", "export", "-o", "open.jsonl", cwd=root)
    dctx("store", "export", "--seal", "-o", "sealed.jsonl", cwd=root)
    other = write(tmp_path / "two", {"VISION.md": "# Vision\nHarm nobody.\n"})
    assert dctx("store", "import", str(root / "sealed.jsonl"), cwd=other).code == 0
    dctx("store", "export", "-o", "open.jsonl", cwd=other)
    rows = [set((place / "open.jsonl").read_text().split("\n")[1:]) for place in (root, other)]
    differing = [
        line
        for line in rows[0] ^ rows[1]
        if '"table":"workflows"' not in line and '"end"' not in line
    ]
    assert differing == []


def test_elsewhere_a_sealed_export_says_which_key_it_needs(
    root: Path, dctx: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dctx("store", "export", "--seal", "-o", "sealed.jsonl", cwd=root)
    dctx("store", "key", "--export", "-o", str(tmp_path / "team.key"), cwd=root)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "another-machine"))
    other = write(tmp_path / "two", {"VISION.md": "# Vision\nHarm nobody.\n"})
    refused = dctx("store", "import", str(root / "sealed.jsonl"), cwd=other)
    assert refused.code == 1
    assert "not on this machine" in refused.err
    assert "dctx store key --import" in refused.err
    assert (
        dctx("vars", "list", cwd=other).out
        == dctx("vars", "list", cwd=write(tmp_path / "three", {})).out
    )

    dctx("store", "key", "--import", str(tmp_path / "team.key"), cwd=other)
    assert dctx("store", "import", str(root / "sealed.jsonl"), cwd=other).code == 0
    assert SECRETS[2] in dctx("vars", "get", "why", cwd=other).out


def test_a_sealed_export_that_was_changed_or_cut_off_imports_nothing(
    root: Path, dctx: Run, tmp_path: Path, figure: Figure
) -> None:
    dctx("store", "export", "--seal", "-o", "sealed.jsonl", cwd=root)
    whole = (root / "sealed.jsonl").read_bytes()
    lines = whole.splitlines(keepends=True)
    changed = [
        whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :]
        for place in range(0, len(whole), 997)
    ]
    changed += [b"".join(lines[:number]) for number in range(len(lines))]
    changed += [b"".join(lines[:number] + lines[number + 1 :]) for number in range(len(lines))]
    changed += [b"".join([*lines[:-1], lines[1], lines[-1]]), whole + lines[-1]]

    taken = []
    other = write(tmp_path / "two", {"VISION.md": "# Vision\nHarm nobody.\n"})
    for number, data in enumerate(changed):
        (tmp_path / "changed.jsonl").write_bytes(data)
        done = dctx("store", "import", str(tmp_path / "changed.jsonl"), cwd=other)
        assert done.code == 1, (number, done)
        taken += [number] if "rows imported" in done.out else []
    figure("Changed sealed exports that import", f"{len(taken)} of {len(changed)}")
    assert taken == []
    assert dctx("vars", "get", "why", cwd=other).code != 0
