"""Repositories that would like git to run something: each set-up leaves a mark if anything of it
runs.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import pytest
from conftest import ROOT, commit, git, write
from git_traps import signed
from hook_events import BASE, session, spawn

SETTINGS = """
core.fsmonitor={trap}; core.fsmonitorHookVersion=2
core.pager={trap}; pager.log={trap}; pager.diff=true; color.ui=always
core.sshCommand={trap}; remote.origin.url=ssh://localhost/x
core.gitProxy={trap}; remote.origin.url=git://localhost/x
core.editor={trap}; sequence.editor={trap}
core.askPass={trap}; remote.origin.url=http://localhost:1/x
core.alternateRefsCommand={trap}
core.hooksPath={hooks}
credential.helper=!{trap}
diff.external={trap}
diff.trap.command={trap}; core.attributesFile={attributes}
diff.trap.textconv={trap}; core.attributesFile={attributes}
filter.trap.clean={trap}; filter.trap.required=true
filter.trap.smudge={trap}; filter.trap.required=true
filter.trap.process={trap}; filter.trap.required=true
merge.trap.driver={trap}
gpg.program={trap}; log.showSignature=true; format.pretty=%G? %GS %H
gpg.format=ssh; gpg.ssh.program={trap}; log.showSignature=true
alias.log=!{trap}; alias.rev-parse=!{trap}; alias.ls-tree=!{trap}; alias.diff-tree=!{trap}; \
alias.cat-file=!{trap}; alias.rev-list=!{trap}; alias.check-ignore=!{trap}; alias.version=!{trap}
include.path={included}
includeIf.gitdir:/**.path={included}
uploadpack.packObjectsHook={trap}; remote.origin.url={repo}
remote.origin.url=ext::{trap} %S; protocol.ext.allow=always; remote.origin.promisor=true; \
extensions.partialClone=origin; core.repositoryFormatVersion=1
remote.origin.url=x; remote.origin.vcs=trap; remote.origin.promisor=true; protocol.trap.allow=always; \
extensions.partialClone=origin; core.repositoryFormatVersion=1
remote.origin.url={repo}; remote.origin.uploadpack={trap}; remote.origin.promisor=true; \
protocol.file.allow=always; extensions.partialClone=origin; core.repositoryFormatVersion=1
diff.submodule=log; status.submoduleSummary=true
core.useBuiltinFSMonitor=true; core.fsmonitor=true
core.worktree={repo}/elsewhere; core.fsmonitor={trap}
interactive.diffFilter={trap}; pager.rev-list={trap}; pager.ls-tree={trap}
trailer.x.command={trap}; trailer.x.cmd={trap}; format.notes=*
fetch.bundleURI={repo}/trap; remote.origin.url={repo}
log.date=format:%c; log.decorate=full; notes.displayRef=refs/notes/*
"""
"""A set-up a line."""
VARIABLES = """
GIT_PAGER={trap}
PAGER={trap}
GIT_EXTERNAL_DIFF={trap}
GIT_SSH={trap}
GIT_SSH_COMMAND={trap}
GIT_ASKPASS={trap}
SSH_ASKPASS={trap}
GIT_EDITOR={trap}
GIT_SEQUENCE_EDITOR={trap}
GIT_PROXY_COMMAND={trap}
EDITOR={trap}
VISUAL={trap}
GIT_EXEC_PATH={hooks}
GIT_CONFIG_COUNT=1; GIT_CONFIG_KEY_0=core.fsmonitor; GIT_CONFIG_VALUE_0={trap}
GIT_CONFIG_PARAMETERS='core.fsmonitor={trap}' 'diff.external={trap}'
GIT_TEMPLATE_DIR={hooks}
GIT_DIR={other}/.git; GIT_WORK_TREE={other}
"""
TRACES = tuple(f"GIT_{name}" for name in (
    "TRACE", "TRACE_PACKET", "TRACE_PERFORMANCE", "TRACE_SETUP", "TRACE2", "TRACE2_EVENT", "TRACE2_PERF",
))  # fmt: skip
"""These run nothing, but write where they are told."""
HOOKS = (
    "post-index-change", "post-checkout", "reference-transaction", "pre-auto-gc", "fsmonitor-watchman",
    "git", "git-remote-trap", "git-log",
)  # fmt: skip
ATTRIBUTES = "* filter=trap diff=trap merge=trap export-subst ident\n"


class Stage:
    """A repository, a program that leaves a mark, and files that lead to it."""

    def __init__(self, folder: Path, model: Path) -> None:
        self.folder, self.mark = folder, folder / "RAN"
        folder.mkdir()
        trap, hooks = folder / "trap", folder / "hooks"
        trap.write_text(
            f'#!/bin/sh\necho "$0 $*" >>"{self.mark}"\ncat 2>/dev/null </dev/null\nexit 0\n'
        )
        trap.chmod(0o755)
        hooks.mkdir()
        for name in HOOKS:
            shutil.copy(trap, hooks / name)
        (folder / "attributes").write_text(ATTRIBUTES)
        self.root = copied(model, folder / "boat")
        self.words = {
            "trap": str(trap), "hooks": str(hooks), "attributes": str(folder / "attributes"), "repo": str(self.root),
            "included": str(folder / "included"), "other": str(folder / "other"),
        }  # fmt: skip
        (folder / "included").write_text(
            f"[core]\n fsmonitor = {trap}\n pager = {trap}\n[diff]\n external = {trap}\n"
        )

    def configure(self, settings: Mapping[str, str], place: Path | None = None) -> None:
        for key, value in settings.items():
            git(place or self.root, "config", "--local", key, value.format(**self.words))


def repository(root: Path) -> Path:
    """With notes that cite, a signature, a tag, and changes that are not committed."""
    write(root, {**BASE, "codebase/STACK.md": "See `a.txt` and `b.txt`.\n"})
    commit(root, "First", {"a.txt": "one\n", "b.txt": "x\n"})
    commit(root, "Second", {"a.txt": "two\n", ".gitattributes": ATTRIBUTES})
    signed(root)
    (root / "a.txt").write_text("three\n")
    os.utime(root / "b.txt", (1, 1))
    return root


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """Such a repository, made once for all stages of a test."""
    return repository(tmp_path / "model")


def copied(model: Path, root: Path) -> Path:
    """With the times of its files, which git's index has too."""
    return Path(shutil.copytree(model, root, symlinks=True))


COMMANDS = (
    "assemble builder", "assemble debugger --changes HEAD~1", "status", "doctor --stale",
    "status --nodes --since HEAD~1",
    "setup --client claude --dry-run",
)  # fmt: skip
EVENTS = (spawn(), session(identity="one"), session("compact", "two"))
ONE_AFTER_THE_OTHER = """
import json, os, sys
from director_ctx.doors.cli.main import main
for words in json.loads(sys.argv[1]):
    main(words.split())
for event in json.loads(sys.argv[2]):
    above, below = os.pipe()
    os.write(below, json.dumps(event).encode())
    os.close(below)
    os.dup2(above, 0)
    main(["hook"])
"""


def everything_asked(root: Path, env: Mapping[str, str]) -> None:
    """Every command and event that asks git something."""
    given = (json.dumps(COMMANDS), json.dumps(EVENTS))
    command = [sys.executable, "-c", ONE_AFTER_THE_OTHER, *given]
    surroundings = {**os.environ, "PYTHONPATH": str(ROOT), **env}
    done = subprocess.run(command, cwd=root, env=surroundings, capture_output=True, check=True)
    assert done.stdout.count(b'"hookSpecificOutput"') >= 2, done.stderr.decode()


def apart(setups: str) -> list[dict[str, str]]:
    """All that is set, on as few stages as there are values for one name. What changes which
    repository git looks at, or whether it can read it, has a stage of its own.
    """
    together: list[dict[str, str]] = []
    alone = []
    for line in setups.strip().splitlines():
        setup = dict(pair.split("=", 1) for pair in line.split("; "))
        if ALONE & setup.keys():
            alone.append(setup)
            continue
        stage = next((one for one in together if not one.keys() & setup.keys()), None)
        if stage is None:
            together.append(stage := {})
        stage |= setup
    return together + alone


ALONE = {"core.worktree", "extensions.partialClone", "GIT_DIR", "GIT_EXEC_PATH"}


def by_settings(stage: Stage, settings: Mapping[str, str]) -> Mapping[str, str]:
    stage.configure(settings)
    if "extensions.partialClone" in settings:
        # One file less, which a partial clone would like to fetch.
        tree = git(stage.root, "rev-parse", "HEAD^{tree}")
        (stage.root / ".git" / "objects" / tree[:2] / tree[2:]).unlink()
    return {"PATH": f"{os.environ['PATH']}:{stage.words['hooks']}"}


def by_variables(stage: Stage, variables: Mapping[str, str]) -> Mapping[str, str]:
    copied(stage.root, stage.folder / "other")
    stage.configure({"core.fsmonitor": "{trap}"}, stage.folder / "other")
    return {key: value.format(**stage.words) for key, value in variables.items()}


def by_another_folder(stage: Stage) -> Mapping[str, str]:
    """`.git` is a file that leads to a folder of somebody else's."""
    stage.configure({**WATCHED, "diff.external": "{trap}"})
    away = stage.folder / "away"
    shutil.move(stage.root / ".git", away)
    (stage.root / ".git").write_text(f"gitdir: {away}\n")
    return {}


def by_a_bare_repository(stage: Stage) -> Mapping[str, str]:
    """The project's own folder looks like a bare repository, as files that anybody can commit."""
    stage.configure({**WATCHED, "core.bare": "true"})
    for part in ("HEAD", "config", "objects", "refs"):
        shutil.move(stage.root / ".git" / part, stage.root / part)
    shutil.rmtree(stage.root / ".git")
    commit(stage.folder, "Around it", {"c.txt": "x"})
    return {}


def by_a_submodule(stage: Stage) -> Mapping[str, str]:
    other = copied(stage.root, stage.folder / "other")
    adding = "-c protocol.file.allow=always submodule --quiet add"
    git(stage.root, *adding.split(), str(other), "sub")
    stage.configure(WATCHED, stage.root / "sub")
    stage.configure({"submodule.sub.update": "!{trap}", "diff.submodule": "log"})
    commit(stage.root, "With a part")
    return {}


WATCHED = {"core.fsmonitor": "{trap}", "core.pager": "{trap}"}
SETUPS: list[Callable[[Stage], Mapping[str, str]]] = [
    *(partial(by_settings, settings=one) for one in apart(SETTINGS)),
    *(partial(by_variables, variables=one) for one in apart(VARIABLES)),
    by_another_folder,
    by_a_bare_repository,
    by_a_submodule,
]


def test_nothing_that_a_repository_or_a_variable_names_is_ever_run(
    model: Path, tmp_path: Path, figure: Callable[[str, str], None]
) -> None:
    executed = {}
    for number, prepare in enumerate(SETUPS):
        stage = Stage(tmp_path / str(number), model)
        env = prepare(stage)
        stage.mark.unlink(missing_ok=True)
        everything_asked(stage.root, env)
        if stage.mark.exists():
            executed[number] = stage.mark.read_text()

    tried = SETTINGS.count("\n") + VARIABLES.count("\n") + 1
    figure("Git set-ups that run a program", f"{len(executed)} of {tried} executed anything")
    assert executed == {}


def test_no_variable_makes_git_write(tmp_path: Path) -> None:
    root = repository(tmp_path / "boat")
    places = {name: str(tmp_path / name) for name in TRACES}
    everything_asked(root, places)
    written = [name for name in TRACES if os.path.exists(places[name])]
    assert written == []


MARKED = (
    "core.fsmonitor={trap}",
    "diff.external={trap}",
    "filter.trap.clean={trap}",
    "alias.trap=!{trap}",
)


@pytest.mark.parametrize("setting", MARKED)
def test_the_marks_would_have_been_left(setting: str, model: Path, tmp_path: Path) -> None:
    """Else the test above proves nothing."""
    stage = Stage(tmp_path / "stage", model)
    stage.configure(dict([setting.split("=")]))
    for words in ("trap", "-p log -1", "diff", "status"):
        subprocess.run(["git", *words.split()], cwd=stage.root, capture_output=True, check=False)
    assert stage.mark.exists()
