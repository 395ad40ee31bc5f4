"""Repositories that would run something, and signed ones."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from conftest import git, plan, task

BASE = {
    "VISION.md": "# Vision\nA thing that works.\n",
    **plan({"01-one.md": task("One", "Nothing")}),
}


def set_traps(repo: Path, hooks: bool = False) -> Path:
    """Configures everything that git would run; whatever runs leaves a file."""
    mark = repo.parent / "RAN"
    script = repo.parent / "trap.sh"
    script.write_text(f'#!/bin/sh\necho "$0 $*" >> "{mark}"\ncat "$@" 2>/dev/null\nexit 0\n')
    script.chmod(0o755)
    for key in (
        "core.pager",
        "pager.log",
        "pager.diff",
        "diff.external",
        "diff.trap.textconv",
        "diff.trap.command",
        "gpg.program",
        "gpg.ssh.program",
        "core.fsmonitor",
        "core.editor",
        "core.sshCommand",
        "core.askPass",
        "credential.helper",
        "interactive.diffFilter",
        "sequence.editor",
        "alias.log",
        "alias.diff",
    ):
        git(repo, "config", key, str(script))
    git(repo, "config", "log.showSignature", "true")
    git(repo, "config", "color.ui", "always")
    git(repo, "config", "log.decorate", "full")
    git(repo, "config", "format.pretty", "raw")
    for folder in ("info", "hooks"):
        (repo / ".git" / folder).mkdir(exist_ok=True)
    for hook in ("post-index-change", "post-checkout", "reference-transaction") if hooks else ():
        shutil.copy(script, repo / ".git" / "hooks" / hook)
    (repo / ".git" / "info" / "attributes").write_text("* diff=trap\n")
    return mark


def signed(repo: Path) -> None:
    """A commit with something like a signature, so that showing signatures would ask a program."""
    raw = subprocess.run(
        ["git", "cat-file", "commit", "HEAD"], cwd=repo, capture_output=True, check=True
    ).stdout
    head, _, body = raw.partition(b"\n\n")
    lines = b"gpgsig -----BEGIN PGP SIGNATURE-----\n \n abcd\n -----END PGP SIGNATURE-----"
    made = subprocess.run(
        ["git", "hash-object", "-t", "commit", "-w", "--stdin"],
        cwd=repo,
        input=head + b"\n" + lines + b"\n\n" + body,
        capture_output=True,
        check=True,
    )
    git(repo, "update-ref", "HEAD", made.stdout.decode().strip())
