#!/usr/bin/env python3
"""Copy the example project to a new folder and give it a git history.

usage: make_example.py DEST        (DEST must be missing or empty)

history.json lists the commits. "files" names what a commit adds or changes; "planned" names
finished tasks that are still pending in it; "edits" turns a file into an earlier version of
itself: [text, replacement], or [text, ""] to leave out the lines that contain the text.
remembered.jsonl is what its store holds: a plan and variables. It is put there by the dctx of the
Python that runs this; without one, the copy has no store.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
SOURCE = HERE / "reading-list"
NAME, EMAIL = "Robin Reader", "robin@example.org"
SETTINGS = (
    f"user.name={NAME}",
    f"user.email={EMAIL}",
    "commit.gpgsign=false",
    "core.autocrlf=false",
    "core.fileMode=false",
    f"core.hooksPath={os.devnull}",
    f"core.excludesFile={os.devnull}",
    f"core.attributesFile={os.devnull}",
)


def git(folder: Path, date: str, *arguments: str) -> None:
    """Run git untouched by the settings of whoever calls this."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    environment |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    for role in ("AUTHOR", "COMMITTER"):
        environment |= {f"GIT_{role}_NAME": NAME, f"GIT_{role}_EMAIL": EMAIL}
        environment[f"GIT_{role}_DATE"] = f"{date}+00:00"
    options = [part for setting in SETTINGS for part in ("-c", setting)]
    subprocess.run(["git", *options, *arguments], cwd=folder, env=environment, check=True)


def matching(patterns: list[str]) -> list[Path]:
    """The example's files that match, as paths inside the example."""
    found: list[Path] = []
    for pattern in patterns:
        files = sorted(path for path in SOURCE.glob(pattern) if path.is_file())
        if not files:
            raise SystemExit(f"history.json: nothing matches {pattern}")
        found += [path.relative_to(SOURCE) for path in files]
    return found


def earlier(text: str, edits: list[list[str]]) -> str:
    """The file as it was at the time of a commit."""
    for old, new in edits:
        if old not in text:
            raise SystemExit(f"history.json: no file text contains {old!r}")
        lines = text.splitlines(keepends=True)
        text = text.replace(old, new) if new else "".join(x for x in lines if old not in x)
    return text


def write(source: Path, target: Path, edits: list[list[str]]) -> None:
    text = source.read_bytes().decode("utf-8")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(earlier(text, edits).encode("utf-8"))


def commit(dest: Path, entry: dict[str, Any]) -> None:
    """Write the files of one commit and record it."""
    edits = entry.get("edits", {})
    for path in matching(entry.get("planned", [])):
        pending = path.with_name(path.name.replace(".done.md", ".md"))
        write(SOURCE / path, dest / pending, [["- [x]", "- [ ]"]])
    for path in matching(entry["files"]):
        if path.name.endswith(".done.md"):
            (dest / path.with_name(path.name.replace(".done.md", ".md"))).unlink(missing_ok=True)
        write(SOURCE / path, dest / path, edits.get(path.as_posix(), []))
    git(dest, entry["date"], "add", "--all")
    git(dest, entry["date"], "commit", "--quiet", "--message", entry["subject"])


def remember(dest: Path) -> None:
    """The plan and the variables, if dctx is there to take them."""
    if importlib.util.find_spec("director_ctx") is None:
        return
    command = [
        sys.executable,
        "-m",
        "director_ctx",
        "store",
        "import",
        str(HERE / "remembered.jsonl"),
    ]
    environment = {key: value for key, value in os.environ.items() if key != "DCTX_STORE"}
    subprocess.run(
        [*command, "--root", str(dest)], env=environment, check=True, capture_output=True
    )


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print("usage: make_example.py DEST", file=sys.stderr)
        return 2
    dest = Path(arguments[0])
    if dest.exists() and (not dest.is_dir() or any(dest.iterdir())):
        print(f"{dest} exists and is not an empty folder", file=sys.stderr)
        return 1
    dest.mkdir(parents=True, exist_ok=True)
    history = json.loads((HERE / "history.json").read_text(encoding="utf-8"))
    git(dest, history[0]["date"], "init", "--quiet", "--template=", "--initial-branch=main")
    for entry in history:
        commit(dest, entry)
    remember(dest)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
