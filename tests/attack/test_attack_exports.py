"""A backup that falls into other hands: who may read it, and what stands in it."""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Result, write

Run = Callable[..., Result]

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
    assert dctx("compress", "said.json", "--set", "window_size=2", cwd=root).code == 0
    assert dctx("vars", "set", "why", SECRETS[2], "--reason", "noted", cwd=root).code == 0
    return root


def test_an_export_is_for_its_owner_only_and_says_what_it_shows(root: Path, dctx: Run) -> None:
    done = dctx("store", "export", "-o", "open.jsonl", cwd=root)
    assert "The file has conversations and variables as they are" in done.err
    text = (root / "open.jsonl").read_text()
    for packed in re.findall(r'{\\"zlib\\":\\"([^"\\]+)', text):
        text += zlib.decompress(base64.b64decode(packed)).decode()
    assert all(secret in text for secret in SECRETS)
    assert (root / "open.jsonl").stat().st_mode & 0o077 == 0


def test_an_export_warns_of_hidden_variables_and_of_nothing_else(tmp_path: Path, dctx: Run) -> None:
    write(tmp_path, {"VISION.md": "# Vision\nHarm nobody.\n"})
    exporting = ("store", "export", "-o", "open.jsonl")
    dctx("vars", "set", "a", "1", "--reason", "x", cwd=tmp_path)
    assert dctx(*exporting, cwd=tmp_path).err.count("\n") == 1
    dctx("vars", "set", "password", "hunter2", "--reason", "x", cwd=tmp_path)
    (tmp_path / "open.jsonl").unlink()
    done = dctx(*exporting, cwd=tmp_path)
    assert "variables as they are" in done.err and "hunter2" not in done.err
