"""What the documents show is what the program does."""

from __future__ import annotations

import ast
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

from director_ctx.base.system.yaml_file import parse_yaml
from director_ctx.context.ladder import LADDER
from director_ctx.context.settings.config import parse_config
from director_ctx.doors.cli.main import main
from director_ctx.doors.cli.shared.menu import commands

DOCUMENTS = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    ROOT / "examples" / "README.md",
]
ALL = [*DOCUMENTS, *sorted(ROOT.glob("*.md")), *sorted((ROOT / "benchmarks").glob("*.md"))]


PICTURES = sorted((ROOT / "docs" / "pictures").glob("*.svg"))
UPDATE = os.environ.get("DCTX_UPDATE_SNAPSHOTS")


def blocks(language: str) -> list[tuple[Path, str]]:
    """Every fenced block of a language, with the document it is in."""
    found = []
    for path in DOCUMENTS:
        for match in re.finditer(
            rf"^```{language}\n(.*?)^```$", path.read_text("utf-8"), re.DOTALL | re.MULTILINE
        ):
            found.append((path, match.group(1)))
    return found


Session = tuple[Path, list[tuple[str, str]]]


def sessions() -> list[Session]:
    """The commands of each console block, in order, with the output that is shown for each."""
    found = []
    for path, block in blocks("console"):
        if path.name == "browser.md":
            continue  # it needs one: test_browser_docs.py runs it
        parts = [part.partition("\n") for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]
        found.append((path, [(command, output.rstrip("\n")) for command, _, output in parts]))
    return found


def timeless(text: str) -> str:
    """Text without what differs from run to run: times of today, names of runs, hashes."""
    text = re.sub(r"202[6-9]-\d\d-\d\d([ T]\d\d:\d\d(:\d\d(\.\d+)?Z)?)?", "TIME", text)
    return re.sub(r"\b[0-9a-f]{12,64}\b", "HASH", re.sub(r"\br[0-9a-f]{6}\b", "RUN", text))


@pytest.fixture(scope="session")
def path_with_dctx(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("bin")
    program = folder / "dctx"
    program.write_text(
        f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m director_ctx "$@"\n'
    )
    program.chmod(0o755)
    return f"{folder}{os.pathsep}{os.environ['PATH']}"


def printed_by(line: str, folder: Path) -> str:
    """What a line of a shell writes, errors too. `dctx` alone needs neither a shell nor a start."""
    if not line.startswith("dctx ") or re.search(r"[|<>;&$*#~`\\\n]", line):
        done = subprocess.run(
            ["sh", "-c", f"exec 2>&1\n{line}"],
            cwd=folder,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
        return done.stdout.rstrip("\n")
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.chdir(folder)
            for stream in (1, 2):
                os.dup2(writing, stream)
            with (
                open(1, "w", encoding="utf-8", closefd=False) as sys.stdout,
                open(2, "w", encoding="utf-8", closefd=False, buffering=1) as sys.stderr,
            ):
                main(shlex.split(line)[1:])
        finally:
            os._exit(0)
    os.close(writing)
    with open(reading, encoding="utf-8") as said:
        text = said.read()
    os.waitpid(child, 0)
    return text.rstrip("\n")


@pytest.mark.skipif(os.name == "nt", reason="the examples are written for a POSIX shell")
@pytest.mark.parametrize(
    "session", sessions(), ids=lambda session: f"{session[0].name}: {session[1][0][0][:40]}"
)
def test_console_examples_print_what_is_shown(
    session: Session,
    example: Path,
    path_with_dctx: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", path_with_dctx)
    folder = shutil.copytree(
        example, tmp_path / "reading-list", ignore=shutil.ignore_patterns("runs.jsonl", "texts")
    )
    for command, shown in session[1]:
        out = printed_by(command, folder)
        printed, wanted = timeless(out), timeless(shown)
        if UPDATE:
            show_instead(session[0], command, shown, out)
        elif wanted.endswith("\n..."):
            assert printed.startswith(wanted.removesuffix("..."))
        else:
            assert printed == wanted


def show_instead(path: Path, command: str, shown: str, printed: str) -> None:
    """Writes what a command prints now into its document; where it was cut off, it stays cut off."""
    import fcntl

    wanted, really = timeless(shown), timeless(printed)
    if wanted.endswith("\n..."):
        lines = wanted.count("\n")
        really = "\n".join(really.split("\n")[:lines]) + "\n..."
        printed = "\n".join(printed.split("\n")[:lines]) + "\n..."
    if wanted == really:
        return
    # Other processes write the examples of other blocks.
    with (ROOT / "pyproject.toml").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        text = path.read_text("utf-8")
        before, after = f"$ {command}\n{shown}\n", f"$ {command}\n{printed}\n"
        assert before in text
        path.write_text(text.replace(before, after, 1), "utf-8")


def test_the_readme_is_short_and_shows_what_comes_out() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    assert len(text.splitlines()) <= 125
    assert len([path for path, _ in sessions() if path == ROOT / "README.md"]) >= 2


def made_by(script: str, *words: str) -> str:
    done = subprocess.run(
        [sys.executable, str(ROOT / script), *words],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=True,
    )
    return done.stdout.decode()


def test_the_page_of_commands_is_that_of_the_tables() -> None:
    path = ROOT / "docs" / "commands.md"
    page = made_by("docs/site/commands.py")
    if UPDATE:
        path.write_text(page, "utf-8")
    assert path.read_text("utf-8") == page
    assert all(f"\n### dctx {command.name}\n" in page for command in commands())


@pytest.mark.skipif(os.name == "nt", reason="a terminal of the tests is one of POSIX")
@pytest.mark.parametrize("path", PICTURES, ids=lambda path: path.stem)
def test_a_picture_shows_what_the_program_says(path: Path) -> None:
    picture = made_by("docs/pictures/make.py", path.stem)
    if UPDATE:
        path.write_text(picture, "utf-8")
    # Another version of Rich draws the same words in another way.
    assert words_of(path.read_text("utf-8")) == words_of(picture)
    assert "@font-face" not in picture


def words_of(svg: str) -> list[str]:
    return re.findall(r"<text [^>]*>([^<]*)</text>", svg)


def test_every_document_is_in_the_table_of_contents() -> None:
    folder = ROOT / "docs"
    contents = (folder / "README.md").read_text("utf-8")
    for path in [*folder.glob("*.md"), *folder.glob("clients/*.md")]:
        if path.name != "README.md":
            assert f"]({path.relative_to(folder).as_posix()})" in contents, path


def test_python_examples_run(
    example: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(shutil.copytree(example, tmp_path / "reading-list"))
    found = blocks("python")
    assert found
    for _, block in found:
        exec(compile(block, "example", "exec"), {})
    out = capsys.readouterr().out
    assert out.startswith("<vision>\n")
    assert "\nready\n" in out


def test_yaml_examples_are_accepted() -> None:
    found = blocks("yaml")
    assert found
    for path, block in found:
        assert parse_config(parse_yaml(block, path.name)) != parse_config({})


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_every_command_that_a_document_names_is_there(path: Path) -> None:
    if path.parent.name == "decisions":
        return  # they tell of their own time
    names = {command.name for command in commands()}
    groups = {name.split()[0] for name in names if " " in name}
    for first, second in re.findall(
        r"(?:`|^\$ |\| |^    )dctx ([a-z][a-z-]*)(?: ([a-z][a-z-]*))?",
        path.read_text("utf-8"),
        re.MULTILINE,
    ):
        both = f"{first} {second}".strip()
        is_group = first in groups and (not second or first not in names)
        assert first in names or both in names or (is_group and not second), both


@pytest.mark.parametrize("path", ALL, ids=lambda path: path.name)
def test_links_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", path.read_text("utf-8")):
        assert "://" in target or (path.parent / target).exists(), target


def test_every_rung_is_in_the_page_about_contexts() -> None:
    text = (ROOT / "docs" / "contexts.md").read_text("utf-8")
    assert all(rung.name in text for rung in LADDER)


def test_every_decision_is_listed() -> None:
    folder = ROOT / "docs" / "decisions"
    listed = re.findall(r"\]\((\d{4}-[\w-]+\.md)\)", (folder / "README.md").read_text("utf-8"))
    assert listed == sorted(path.name for path in folder.glob("0*.md"))


def test_the_tree_of_the_architecture_has_every_room_and_nothing_else() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    tree = text.partition("## The house")[2].partition("##")[0]
    house = ROOT / "director_ctx"

    rooms: set[str] = set()
    for path in house.rglob("__init__.py"):
        levels = path.parent.relative_to(house).parts
        if 0 < len(levels) < 3:
            rooms.add("/".join(levels))

    named: set[str] = set()
    district = ""
    for line in tree.splitlines():
        if not line.startswith("    ") or "/" not in line:
            continue
        names = re.findall(r"(\w+)/(?=\s|$)", line.partition("    ")[2])
        if not line.startswith("      "):
            district = names[0]
            named.add(district)
            names = names[1:]
        named |= {f"{district}/{name}" for name in names}
    assert named == rooms


def test_every_file_that_the_architecture_names_is_there() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    named = set(re.findall(r"`([a-z_]+/[a-z_/]+\.py)`", text))
    assert len(named) > 30
    for path in named:
        assert (ROOT / "director_ctx" / path).exists() or (ROOT / path).exists(), path


def test_every_room_says_what_is_in_it_and_where_to_begin() -> None:
    house = ROOT / "director_ctx"
    for path in house.rglob("__init__.py"):
        said = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
        assert said, path
        for name in re.findall(r"Begin with `([\w/]+)`", said):
            assert (path.parent / f"{name}.py").exists(), (path, name)
