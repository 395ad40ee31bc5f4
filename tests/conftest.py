"""Small builders: a project out of a dictionary, a git repository, and the program itself."""

from __future__ import annotations

import gc
import itertools
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from director_ctx import Project, load_project
from director_ctx.clients.demo.example import make_example
from director_ctx.context.settings import agreement, overrides
from director_ctx.doors.cli.main import main

if TYPE_CHECKING:
    import pg

ROOT = Path(__file__).resolve().parent.parent
GIT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "Test",
    "GIT_AUTHOR_EMAIL": "test@example.org",
    "GIT_COMMITTER_NAME": "Test",
    "GIT_COMMITTER_EMAIL": "test@example.org",
    "GIT_AUTHOR_DATE": "2026-01-02T03:04:05+0000",
    "GIT_COMMITTER_DATE": "2026-01-02T03:04:05+0000",
}

Files = Mapping[str, str | bytes]

_home_numbers = itertools.count()

# What fails in them is told as in a test.
for _path in (Path(__file__).parent / "support").glob("*.py"):
    pytest.register_assert_rewrite(_path.stem)

# No test is judged by how long it takes: machines are slow, or busy. Everything else stays as it is,
# so that CI takes the same examples each time.
settings.register_profile(
    "patient", settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
)
settings.load_profile("patient")

# A shell that puts the suite into the background has it ignore Ctrl-C, and so would every program
# that a test starts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Before pytest itself, which then leaves out what `-m` does not choose."""
    import proofs

    proofs.mark(items)


def pytest_collection_finish() -> None:
    """Twelve thousand collected tests stay to the end: no search for garbage has to look at them."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    import proofs

    proofs.begin(item)


@pytest.fixture(autouse=True)
def _own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test sees or touches the real home, or the settings of whoever runs it."""
    # Ten thousand homes have a folder of their own: pytest looks through all that stands beside
    # each new folder of a test.
    homes = tmp_path_factory.getbasetemp() / "homes"
    home = homes / str(next(_home_numbers))
    home.mkdir(parents=True)
    others = (
        "XDG_STATE_HOME",
        "XDG_CACHE_HOME",
        "XDG_CONFIG_HOME",
        "CLAUDE_CONFIG_DIR",
        "NO_COLOR",
    )
    ours = (
        "DCTX_ROOT",
        "DCTX_RECORD",
        "DCTX_STORE",
        "DCTX_CDP",
        "DCTX_KEY",
        "CLEAN_CONTEXT_ENABLED",
    )
    for name in (*ours, *others, "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(home))
    # Texts name dctx by its name where it is found and by its place elsewhere; here it is the same
    # for everybody, however the suite was started.
    monkeypatch.setattr(sys, "argv", ["-c"])
    own_programs = str(Path(sys.executable).parent)
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    monkeypatch.setenv("PATH", os.pathsep.join(name for name in folders if name != own_programs))
    for name, value in GIT.items():
        monkeypatch.setenv(name, value)


def write(root: Path, files: Files) -> Path:
    """Writes files below `.director/`; a name that begins with `/` is relative to the root instead."""
    (root / ".director").mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        path = root / name[1:] if name.startswith("/") else root / ".director" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


def agreed(root: Path) -> Path:
    """As after `dctx setup --trust`: the user agrees to what the project has agents told in its own
    words.
    """
    project = load_project(root=str(root))
    agreement.agree(project, overrides.overrides(project))
    return root


def task(
    title: str = "Do it", needs: str = "", what: str = "Build it.", done: str = "- [ ] It works"
) -> str:
    """A task file in the usual form."""
    return (
        f"# Task: {title}\n\n## What To Do\n{what}\n\n## Why It Matters\nBecause.\n\n## Size\n**Estimate:** small\n"
        f"Little.\n\n## Done When\n{done}\n\n## Needs First\n{needs}\n"
    )


def step(
    number: int = 1,
    title: str = "A step",
    tasks: str = "",
    decisions: str = "",
    needs: str = "Nothing.",
) -> str:
    """A STEP.md in the usual form."""
    end = f"\n## Decisions\n\n{decisions}\n" if decisions else ""
    return (
        f"# Step {number}: {title}\n\n## What This Delivers\nIt delivers something. And more.\n\n"
        f"## Tasks\n\n{tasks}\n\n"
        f"## Needs First\n{needs}\n{end}"
    )


def plan(*steps: Mapping[str, str]) -> dict[str, str]:
    """One goal; each step is a mapping of task file names to their content."""
    files = {"goals/01-first/GOAL.md": "# Goal 1: First\n"}
    for number, tasks in enumerate(steps, 1):
        folder = f"goals/01-first/{number:02}-step"
        files[f"{folder}/STEP.md"] = step(number, f"Step {number}")
        files.update({f"{folder}/tasks/{name}": content for name, content in tasks.items()})
    return files


@pytest.fixture
def project(tmp_path: Path) -> Callable[[Files], Project]:
    """Makes a project of some files and loads it."""

    def make(files: Files) -> Project:
        return load_project(root=str(write(tmp_path, files)))

    return make


def git(folder: Path, *arguments: str) -> str:
    """Runs git for a test; its output. It tidies nothing up behind each commit, which takes longer
    than the commit.
    """
    done = subprocess.run(
        ["git", "-c", "maintenance.auto=false", *arguments],
        cwd=folder,
        env={**os.environ, **GIT},
        capture_output=True,
        check=True,
    )
    return done.stdout.decode(errors="replace").strip()


def commit(folder: Path, subject: str, files: Mapping[str, str] | None = None) -> None:
    """One commit, making the repository if there is none."""
    if not (folder / ".git").exists():
        git(folder, "init", "-q", "-b", "main", "--template=")
    for name, content in (files or {}).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--allow-empty", "-m", subject)


def permissions_count() -> bool:
    """Not for root with all its capabilities, who may read and write everything."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0)
        try:
            os.listdir(folder)
        except PermissionError:
            return True
        finally:
            os.chmod(folder, 0o700)
    return False


needs_permissions = pytest.mark.skipif(
    not permissions_count(),
    reason="root may read and write everything: missing permissions go untested",
)


class Result:
    """What one run of the program left: exit code, standard output, standard error."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    def __repr__(self) -> str:
        return f"exit {self.code}\n--- out\n{self.out}\n--- err\n{self.err}"


@pytest.fixture
def dctx(
    capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Result]:
    """Runs the program in this process; arguments as on a command line, `cwd` as a keyword."""

    def run(*arguments: str, cwd: Path | None = None) -> Result:
        if cwd is not None:
            monkeypatch.chdir(cwd)
        capfdbinary.readouterr()
        try:
            code = main(list(arguments))
        except SystemExit as stop:
            code = int(stop.code or 0)
        out, err = capfdbinary.readouterr()
        return Result(code, out.decode(), err.decode())

    return run


def process(
    *arguments: str, cwd: Path, stdin: bytes = b"", env: Mapping[str, str] | None = None
) -> Result:
    """Runs the program as a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "director_ctx", *arguments],
        cwd=cwd,
        input=stdin,
        capture_output=True,
        timeout=60,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT), **(env or {})},
    )
    return Result(
        done.returncode,
        done.stdout.decode("utf-8", "replace"),
        done.stderr.decode("utf-8", "replace"),
    )


@pytest.fixture(scope="session")
def server() -> Iterator[pg.Server]:
    """One PostgreSQL server for all tests of a worker; each has databases of its own in it."""
    import pg

    yield from pg.running()


@pytest.fixture(scope="session")
def example(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The bundled example with its own git history; read only, it is shared, and looked after in
    the end.
    """
    folder = tmp_path_factory.mktemp("example") / "reading-list"
    assert make_example(str(folder)) == ""
    before = remembered(folder)
    yield folder
    assert remembered(folder) == before, "a test wrote into the store of the shared example"


def remembered(folder: Path) -> list[tuple[str, int]]:
    """How many rows the tables of a project's store have."""
    with closing(sqlite3.connect(folder / ".director" / ".dctx" / "store.db")) as store:
        names = [
            name
            for (name,) in store.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
            )
        ]
        return [
            (name, store.execute(f"SELECT count(*) FROM {name}").fetchone()[0]) for name in names
        ]


@pytest.fixture
def figure(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Puts a figure into the table at the end of a run: what was tried, and how much of it came
    through.
    """

    def put(subject: str, result: str) -> None:
        request.node.user_properties.append(("figure", (subject, result)))

    return put


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """The table of figures; `user_properties` is what reaches this process from the workers."""
    figures = []
    for reports in terminalreporter.stats.values():
        for report in reports:
            for name, value in getattr(report, "user_properties", ()):
                if name == "figure" and report.when == "call":
                    figures.append(tuple(value))

    if not figures:
        return
    terminalreporter.section("figures")
    width = max(len(subject) for subject, _ in figures)
    for subject, result in sorted(figures):
        terminalreporter.write_line(f"{subject:<{width}}  {result}")
