"""What a start costs: which modules are loaded, and that the public names are there."""

from __future__ import annotations

import ast
import os
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT, agreed, commit, plan, task, write
from loading import HEAVY, loaded_by

import director_ctx
from director_ctx.project.reading import model, search

SLOW = (
    "typing",
    "re",
    "dataclasses",
    "pathlib",
    "subprocess",
    "json",
    "enum",
    "collections",
    "functools",
    "logging",
    "argparse",
    "datetime",
    "hashlib",
    "tempfile",
    "inspect",
    "importlib.metadata",
    "shutil",
    "difflib",
)
MODULES = ["director_ctx"] + [
    module.name
    for module in pkgutil.walk_packages(director_ctx.__path__, "director_ctx.")
    if not module.name.endswith("__main__")
]
RUN = "from director_ctx.doors.cli.main import main\nassert main({words!r}) == {code}\n"


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """What this interpreter loads for nothing at all, `.pth` files and all."""
    return loaded_by("pass", tmp_path_factory.mktemp("bare"))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    files = {
        "VISION.md": "# Vision\nGrüße.\n",
        **plan({"01-one.md": task("One"), "02-two.done.md": task("Two")}),
    }
    return write(tmp_path, files)


def run_words(*words: str, code: int = 0) -> str:
    return RUN.format(words=list(words), code=code)


def test_a_search_looks_for_the_folder_that_everybody_means() -> None:
    assert search.FOLDER == model.FOLDER


def test_importing_the_package_loads_nothing_heavy(bare: set[str], tmp_path: Path) -> None:
    new = loaded_by("import director_ctx", tmp_path) - bare
    assert sorted(new & set(HEAVY)) == []
    assert {name for name in new if name.startswith("director_ctx")} == {"director_ctx"}
    assert sorted(new & set(SLOW)) == []


def test_a_plain_assemble_loads_nothing_slow(bare: set[str], root: Path) -> None:
    agents = ("builder", "planner", "verifier", "interviewer")
    new = loaded_by("".join(run_words("assemble", agent) for agent in agents), root) - bare
    assert sorted(new & set(HEAVY)) == []
    assert sorted(new & set(SLOW)) == []


def test_a_plain_assemble_is_as_light_in_a_repository_with_all_documents(
    bare: set[str], example: Path
) -> None:
    words = (
        "assemble",
        "builder",
        "--task",
        "2/1/4",
        "--budget",
        "2900",
        "--note",
        "Quick.",
        "--ref",
        "terminology",
    )
    new = loaded_by(run_words(*words), example) - bare
    assert "director_ctx.project.git.log" in new
    assert sorted(new & {*HEAVY, *SLOW}) == []


def test_no_plain_command_loads_a_framework(bare: set[str], root: Path) -> None:
    commands = ("status", "next", "budget builder", "profiles", "init")
    new = loaded_by("".join(run_words(*one.split()) for one in commands), root) - bare
    assert sorted(new & set(HEAVY)) == []


def test_the_lists_above_would_notice(bare: set[str], root: Path) -> None:
    helped = loaded_by(run_words("assemble", "--help"), root)
    assert "typer" in helped
    assert "json" in loaded_by(run_words("assemble", "builder", "--format", "json"), root) - bare
    assert not bare & {"typer", "yaml", "rich"}


def test_the_library_loads_no_command_line(bare: set[str], root: Path) -> None:
    script = "from director_ctx import assemble, load_project\nassert assemble(load_project(), 'builder').text\n"
    new = loaded_by(script, root) - bare
    assert not {name for name in new if name.startswith("director_ctx.doors")}
    assert sorted(new & set(HEAVY)) == []


def test_every_public_name_can_be_imported() -> None:
    assert sorted(director_ctx.__all__) == director_ctx.__all__
    assert set(director_ctx.__all__) == set(director_ctx._WHERE)
    for name in director_ctx.__all__:
        value = getattr(director_ctx, name)
        assert value.__name__ == name
        assert value.__module__ == director_ctx._WHERE[name]
        assert name in dir(director_ctx)
    space: dict[str, object] = {}
    exec("from director_ctx import *", space)
    assert set(director_ctx.__all__) <= set(space)


def test_what_a_type_checker_sees_is_what_there_is() -> None:
    tree = ast.parse(Path(director_ctx.__file__).read_text())
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    typed = {alias.asname: node.module for node in imports for alias in node.names if alias.asname}
    assert set(typed) == set(director_ctx.__all__) and typed == director_ctx._WHERE


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="'director_ctx' has no attribute 'nothing_like_it'"):
        director_ctx.nothing_like_it  # noqa: B018
    with pytest.raises(ImportError):
        exec("from director_ctx import nothing_like_it")


ALONE = """
import sys, traceback
failed = []
for name in sys.argv[1:]:
    for loaded in [one for one in sys.modules if one.partition(".")[0] == "director_ctx"]:
        del sys.modules[loaded]
    try:
        __import__(name)
    except BaseException:
        traceback.print_exc()
        failed.append(name)
sys.exit(f"FAILED {failed}" if failed else 0)
"""


def test_every_module_can_be_imported_on_its_own(tmp_path: Path) -> None:
    """Each where no other module of ours is: nothing may lean on another having been imported
    before. What others made stays loaded, because most of the time would go there.
    """
    done = subprocess.run(
        [sys.executable, "-c", ALONE, *MODULES],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    assert len(MODULES) > 50


def test_the_package_runs_as_a_module_from_anywhere(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "director_ctx", "--version"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.decode() == f"dctx {director_ctx.__version__}\n"


def test_an_assemble_that_tells_of_stale_notes_is_as_light(bare: set[str], tmp_path: Path) -> None:
    notes = {
        "VISION.md": "# Vision\nA thing.\n",
        "codebase/CONVENTIONS.md": "# Conventions\n\n`app.py`\n",
    }
    root = write(tmp_path, {**notes, **plan({"01-one.md": task("One")})})
    commit(root, "Begin", {"app.py": "one"})
    commit(root, "Change", {"app.py": "two"})
    assert "director_ctx.project.notes.freshness" in loaded_by(run_words("status"), root)
    words = ("assemble", "builder", "--codebase", "CONVENTIONS", "-o", "out.txt")
    new = loaded_by(run_words(*words), root) - bare
    assert (
        "may be out of date: since it was written, app.py changed" in (root / "out.txt").read_text()
    )
    assert sorted(new & {*HEAVY, *SLOW}) == []
    assert "director_ctx.project.notes.freshness" not in new


def test_keeping_a_record_of_a_context_loads_nothing_slow(bare: set[str], root: Path) -> None:
    new = loaded_by(run_words("assemble", "builder"), root) - bare
    assert (
        "director_ctx.memory.runs.storage" in new
        and (root / ".director" / ".dctx" / "runs.jsonl").exists()
    )
    assert sorted(new & {*HEAVY, *SLOW}) == []
    without = loaded_by(run_words("assemble", "builder", "--no-record"), root) - bare
    assert not {name for name in without if "record" in name or "runs" in name} - {
        "director_ctx.base.record"
    }


# A hook


HOOK = (
    "import os\n"
    "above, below = os.pipe()\n"
    "os.write(below, {event!r})\n"
    "os.close(below)\n"
    "os.dup2(above, 0)\n"
    "from director_ctx.doors.cli.main import main\n"
    "assert main(['hook']) == 0\n"
)
SPAWN = (
    b'{"hook_event_name": "PreToolUse", "tool_name": "Agent", "tool_input": '
    b'{"prompt": "Build 1/1/1.", "subagent_type": "director:director-builder"}}'
)
LIGHT = {"errno", "fcntl", "itertools", "__future__", "_json", "_sha256", "_sha2", "gc", "select"}
"""All that a spawn needs of the standard library, by the names of all Pythons."""
NETWORK = ("socket", "_socket", "ssl", "_ssl", "http.client", "urllib.request")


@pytest.fixture
def hooked(root: Path) -> Path:
    """A repository with a `dctx.yaml` that was read before."""
    write(root, {"dctx.yaml": "budget: 30%\nhooks: {agents: {Explore: planner}}\n"})
    commit(root, "First", {"app.py": "one"})
    loaded_by(HOOK.format(event=SPAWN), root)
    return root


def test_the_modules_that_a_spawn_loads_are_as_they_were(bare: set[str], hooked: Path) -> None:
    new = loaded_by(HOOK.format(event=SPAWN), hooked) - bare
    runs = (hooked / ".director" / ".dctx" / "runs.jsonl").read_text()
    assert runs.count('"agent":"builder"') == 2, "the spawn was not answered"
    found = "".join(f"{name}\n" for name in sorted(new) if name.startswith("director_ctx"))
    path = Path(__file__).parents[1] / "snapshots" / "spawn.modules"
    if os.environ.get("DCTX_UPDATE_SNAPSHOTS"):
        path.write_text(found)
    assert found == path.read_text()
    assert {name for name in new if not name.startswith("director_ctx")} <= LIGHT


def test_a_spawn_in_a_project_with_instructions_of_its_own_is_as_light(
    bare: set[str], hooked: Path
) -> None:
    own = {"instructions/builder.md": "Do it our way."}
    agreed(write(hooked, own))
    loaded_by(HOOK.format(event=SPAWN), hooked)
    new = loaded_by(HOOK.format(event=SPAWN), hooked) - bare
    assert "director_ctx.context.settings.consents" in new
    assert {name for name in new if not name.startswith("director_ctx")} <= LIGHT


def test_a_spawn_needs_pyyaml_only_for_a_file_that_is_new(hooked: Path) -> None:
    write(hooked, {"dctx.yaml": "budget: 20%\n"})
    assert "yaml" in loaded_by(HOOK.format(event=SPAWN), hooked)
    assert "yaml" not in loaded_by(HOOK.format(event=SPAWN), hooked)


@pytest.mark.parametrize(
    ("event", "light"),
    [
        (b'{"hook_event_name": "SubagentStart", "agent_type": "dctx:builder"}', True),
        (b'{"hook_event_name": "UserPromptSubmit", "transcript_path": "/dev/null"}', True),
        (b'{"hook_event_name": "SessionStart", "session_id": "s", "source": "compact"}', False),
        (b'{"hook_event_name": "SessionEnd", "session_id": "s"}', False),
    ],
)
def test_no_event_loads_anything_heavy_and_the_frequent_ones_nothing_slow(
    event: bytes, light: bool, bare: set[str], hooked: Path
) -> None:
    unwanted = {*HEAVY, *NETWORK, *(SLOW if light else ())}
    assert sorted((loaded_by(HOOK.format(event=event), hooked) - bare) & unwanted) == []
    assert not (hooked / ".director" / ".dctx" / "hooks.log").exists()


@pytest.mark.parametrize("switch", ["", "off"])
def test_a_hook_without_a_project_or_switched_off_loads_nothing_but_itself_and_the_search(
    switch: str, bare: set[str], hooked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DCTX_HOOKS", switch)
    folder = hooked if switch else tmp_path.parent
    new = loaded_by(HOOK.format(event=SPAWN), folder) - bare
    doors = {"director_ctx.doors", "director_ctx.doors.cli", "director_ctx.doors.cli.clients"}
    ours = {
        "director_ctx",
        *doors,
        "director_ctx.doors.cli.main",
        "director_ctx.doors.cli.clients.hook",
    }
    rooms = {"director_ctx.project", "director_ctx.project.reading"}
    search = set() if switch else {*rooms, "director_ctx.project.reading.search"}
    assert new - {"__future__", "gc"} == ours | search
