"""What is shipped: a wheel out of a clean copy of the tree, in an environment of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from conftest import ROOT

from director_ctx import __version__
from director_ctx.context.settings.profiles import PROFILES
from director_ctx.doors.cli.man import page


def run(
    *arguments: str | Path, cwd: Path, stdin: bytes = b"", **more: str
) -> subprocess.CompletedProcess[bytes]:
    """A program that must not see this checkout."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in ("PYTHONPATH", "PYTHONHOME")
    }
    env = {
        **kept,
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_NO_INPUT": "1",
        **more,
    }
    return subprocess.run(
        arguments, cwd=cwd, env=env, input=stdin, capture_output=True, timeout=300, check=False
    )


def pip(python: Path | str, *arguments: str | Path, cwd: Path) -> None:
    """Runs pip; without an index to ask there is nothing to test."""
    done = run(python, "-m", "pip", *arguments, cwd=cwd, PYTHONDONTWRITEBYTECODE="1")
    if done.returncode:
        said = done.stderr.decode(errors="replace") + done.stdout.decode(errors="replace")
        unreachable = (
            "Could not find a version",
            "No matching distribution",
            "NewConnectionError",
            "Max retries",
        )
        if any(words in said for words in unreachable):
            pytest.skip("pip cannot reach an index, so no wheel can be built or installed here")
        pytest.fail(said)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from the files that git knows, as they are now."""
    base = tmp_path_factory.mktemp("wheel")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if listed.returncode:
        pytest.skip("this is not a git checkout, so there is no list of files to build from")
    for name in filter(None, os.fsdecode(listed.stdout).split("\0")):
        if (ROOT / name).is_file():
            target = base / "copy" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, target)
    pip(sys.executable, "wheel", "--no-deps", "--wheel-dir", base / "out", base / "copy", cwd=base)
    (made,) = (base / "out").iterdir()
    return made


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `bin` folder of an environment with nothing but the wheel and what it asks for."""
    base = tmp_path_factory.mktemp("venv")
    done = run(sys.executable, "-m", "venv", base / "env", cwd=base)
    assert done.returncode == 0, done.stderr.decode()
    pip(base / "env" / "bin" / "python", "install", "--no-compile", wheel, cwd=base)
    return base / "env" / "bin"


def test_the_wheel_holds_the_package_its_templates_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    assert "director_ctx/py.typed" in names
    code = {
        f"director_ctx/{path.relative_to(ROOT / 'director_ctx')}"
        for path in tracked("director_ctx")
    }
    templates = {
        f"director_ctx/templates/{path.relative_to(ROOT / 'templates')}"
        for path in tracked("templates")
    }
    assert code <= names
    assert templates <= names
    assert {f"director_ctx/templates/instructions/{agent}.md" for agent in PROFILES} <= templates
    skills = {
        f"director_ctx/skills/{path.relative_to(ROOT / 'skills')}" for path in tracked("skills")
    }
    assert skills and skills <= names
    example = {
        f"director_ctx/examples/{path.relative_to(ROOT / 'examples')}"
        for path in tracked("examples")
        if path.name != "README.md" or path.parent.name == "reading-list"
    }
    assert example and example <= names
    manual = f"director_ctx-{__version__}.data/data/share/man/man1/dctx.1"
    assert manual in names
    rest = names - code - templates - skills - example - {manual}
    assert rest and all(
        name.startswith(f"director_ctx-{__version__}.dist-info/") for name in rest
    ), rest
    assert not any(
        part in name.split("/") for name in names - example for part in ("tests", "benchmarks")
    )
    assert any(name.endswith("LICENSE") for name in rest)


def tracked(folder: str) -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", folder], cwd=ROOT, capture_output=True, check=True
    )
    names = filter(None, os.fsdecode(listed.stdout).split("\0"))
    return [ROOT / name for name in names if (ROOT / name).is_file()]


def test_the_wheel_says_what_it_is(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        info = f"director_ctx-{__version__}.dist-info"
        metadata = archive.read(f"{info}/METADATA").decode()
        scripts = archive.read(f"{info}/entry_points.txt").decode()
    assert f"\nVersion: {__version__}\n" in metadata
    assert "\nRequires-Python: >=3.11\n" in metadata
    assert "dctx = director_ctx.doors.cli.main:main" in scripts


def test_every_command_works_from_the_wheel_in_another_folder(
    installed: Path, tmp_path: Path
) -> None:
    def dctx(*words: str, stdin: bytes = b"") -> str:
        done = run(installed / "dctx", *words, cwd=tmp_path, stdin=stdin)
        assert done.returncode == 0, (words, done.stderr.decode())
        assert b"Traceback" not in done.stderr
        return done.stdout.decode()

    assert dctx("--version") == f"dctx {__version__}\n"
    assert "dctx help --all" in dctx("--help")
    # That it is the same to the byte is proven where a slow disk does not make git too late for it.
    assert "A sub-agent receives it, and nobody pasted anything" in dctx("demo")
    assert ".director/VISION.md" in dctx("init", "--root", ".")
    director = tmp_path / ".director"
    assert (director / "reference" / "terminology.md").is_file()
    assert json.loads((director / "config.json").read_text())
    (director / "VISION.md").write_text("# Vision\n\n## Project Name\nShipped\n\nIt is shipped.\n")
    tasks = director / "goals" / "01-first" / "01-step" / "tasks"
    tasks.mkdir(parents=True)
    (tasks / "01-one.md").write_text("# Task: One\n\n## What To Do\nShip it.\n")
    assert dctx("status").startswith("Shipped\n")
    assert dctx("next").startswith("1/1/1  One\n")
    assert "builder" in dctx("profiles")
    assert "Total" in dctx("budget", "builder") and dctx("budget", "--all")
    assert dctx("assemble", "--skill", "brainstorm", "--inject").startswith("<vision>\n")
    put = ("--client", "claude", "--no-verify", "--yes")
    assert "into .claude/skills (10 files)" in dctx("setup", "--what", "skills", *put)
    assert "into .claude/settings.local.json" in dctx("setup", "--what", "hooks", *put)
    assert "recorded events: `dctx hook` answered all" in dctx(
        "agents", "verify", "--replay", "--client", "claude"
    )
    assert "take hooks for Claude Code out" in dctx("setup", "--undo", "--what", "hooks", "--yes")
    (tmp_path / "issues.md").write_text("1. Broken.\n")
    for agent, text in told_by_agent(installed, tmp_path).items():
        shipped = (
            (ROOT / "templates" / "instructions" / f"{agent}.md").read_text().strip().split("\n")
        )
        first = next(line for line in shipped if "{{" not in line and line.strip())
        assert first in text, f"the instructions of {agent} were not found in the wheel"
    (director / "dctx.yaml").write_text("budget: 20%\n")
    assert json.loads(dctx("assemble", "builder", "--format", "json"))["budget"]["limit"] == 40_000


EVERY_AGENT = """
import json, os
from contextlib import redirect_stdout
from io import BytesIO, TextIOWrapper
from director_ctx.context.settings.profiles import PROFILES
from director_ctx.doors.cli.main import main
told = {}
for agent in PROFILES:
    out = TextIOWrapper(BytesIO(), "utf-8")
    with redirect_stdout(out):
        assert main(["assemble", agent, "--issues", "issues.md"]) == 0
    out.flush()
    told[agent] = out.buffer.getvalue().decode()
print(json.dumps(told))
"""


def told_by_agent(installed: Path, folder: Path) -> dict[str, str]:
    """What every agent is told, by one process."""
    done = run(installed / "python", "-c", EVERY_AGENT, cwd=folder)
    assert done.returncode == 0, done.stderr.decode()
    told: dict[str, str] = json.loads(done.stdout)
    assert told.keys() == PROFILES.keys()
    return told


def test_the_manual_page_is_installed_where_man_looks_for_it(installed: Path) -> None:
    assert (installed.parent / "share" / "man" / "man1" / "dctx.1").read_text() == page()


def test_the_library_works_from_the_wheel_and_comes_from_there(
    installed: Path, tmp_path: Path
) -> None:
    (tmp_path / ".director").mkdir()
    (tmp_path / ".director" / "VISION.md").write_text("# Vision\nIt is shipped.\n")
    script = (
        "import director_ctx\nprint(director_ctx.__file__)\n"
        "print(director_ctx.assemble(director_ctx.load_project(), 'interviewer').text)\n"
    )
    done = run(installed / "python", "-c", script, cwd=tmp_path)
    assert done.returncode == 0, done.stderr.decode()
    where, _, text = done.stdout.decode().partition("\n")
    assert Path(where).is_relative_to(installed.parent)
    assert text.startswith("<vision>")


def test_only_the_promised_libraries_come_along(installed: Path, tmp_path: Path) -> None:
    script = (
        "from importlib.metadata import requires\n"
        "always = [line for line in requires('director-ctx') if 'extra ==' not in line]\n"
        "print(*sorted(line.split(';')[0].split('<')[0].split('>')[0].strip() for line in always))\n"
    )
    done = run(installed / "python", "-c", script, cwd=tmp_path)
    every_command = ["pyyaml", "rich", "typer"]
    the_page = ["jinja2", "markdown-it-py", "starlette", "uvicorn"]
    promised = sorted(every_command + the_page)
    assert done.stdout.decode().split() == promised, done.stderr.decode()


def test_what_the_wheel_brings_along_is_written_down_in_a_valid_sbom(
    installed: Path, tmp_path: Path
) -> None:
    """The program that writes it holds it against the schema of CycloneDX before it does."""
    cyclonedx = Path(sys.executable).with_name("cyclonedx-py")
    done = run(
        cyclonedx,
        "environment",
        "--output-reproducible",
        "--validate",
        installed / "python",
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr.decode()

    bom = json.loads(done.stdout)
    versions = {
        component["name"].casefold(): component["version"] for component in bom["components"]
    }
    assert bom["bomFormat"] == "CycloneDX"
    assert versions["director-ctx"] == __version__
    assert {"pyyaml", "rich", "typer"} <= versions.keys()
