"""`dctx hook` harms no run: whatever it is given, wherever it runs, it ends by itself, well and
silently.
"""

from __future__ import annotations

import json
import os
import py_compile
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, Result, commit, needs_permissions, plan, process, task, write
from hook_answers import inside, is_an_answer
from hook_events import BASE, BUILDER, ask, log, new_prompt, runs, session, spawn
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from director_ctx.clients.table import CLIENTS
from director_ctx.project import hook_log

EVENT = json.dumps(spawn()).encode()
PYTHON = (sys.executable, "-m", "director_ctx", "hook")
GUARD = 60
"""Seconds after which a test gives up; nothing here takes nearly as long."""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "boat", BASE)


def tell(root: Path, data: bytes = EVENT, *words: str, **env: str) -> str:
    """What it prints; it ends with 0, and says nothing on stderr."""
    result = process("hook", *words, cwd=root, stdin=data, env=env)
    assert (result.code, result.err) == (0, ""), result
    return result.out


def begin(root: Path, package: Path = ROOT, **options: Any) -> subprocess.Popen[bytes]:
    env = {**os.environ, "PYTHONPATH": str(package), **options.pop("env", {})}
    pipe = subprocess.PIPE
    given = {"stdin": pipe, "stdout": pipe, "stderr": pipe, **options}
    return subprocess.Popen(PYTHON, cwd=root, env=env, **given)


def tree(folder: Path) -> dict[str, bytes]:
    """Every file below a folder."""
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


# Any input


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b" \n",
        b"\0" * 1_000,
        bytes(range(256)) * 10,
        b"{",
        b"null",
        b"[]",
        b'"PreToolUse"',
        b"1e999",
        b"NaN",
        b"{'a': 1}",
        EVENT[:-1],
        EVENT + b"}",
        EVENT + EVENT,
        b"[" * 100_000,
        b'{"hook_event_name":' * 100_000,
        b'{"hook_event_name": "PreToolUse", "tool_name": "Agent", "tool_input": '
        + b"[" * 900
        + b"]" * 900
        + b"}",
        json.dumps(spawn(deep=json.loads("[" * 600 + "]" * 600))).encode(),
        json.dumps(spawn()).encode("utf-16"),
        b"{" + b'"a":1,' * 200_000 + b'"b":1}',
    ],
    ids=range(20),
)
def test_what_is_no_event_is_answered_with_nothing(data: bytes, root: Path) -> None:
    said = tell(root, data)
    assert said == "" or new_prompt(json.loads(said)).endswith("\nDo it.")
    assert len(log(root)) <= 1


def test_a_byte_order_mark_and_bad_bytes_do_no_harm(root: Path) -> None:
    assert tell(root, b"\xef\xbb\xbf" + EVENT)
    said = tell(root, EVENT.replace(b"Do it.", b"Do \xff it."))
    assert new_prompt(json.loads(said)).endswith("\nDo \ufffd it.")


def test_a_huge_input_is_not_read_to_its_end(root: Path) -> None:
    assert tell(root, b'{"prompt": "' + b"x" * 60_000_000 + b'"}') == ""
    assert len(log(root)) == 1


def test_a_prompt_of_a_megabyte_goes_through_whole(root: Path) -> None:
    said = tell(root, json.dumps(spawn("Do it. " * 150_000)).encode())
    assert new_prompt(json.loads(said)).endswith("Do it. " * 150_000)


KNOWN = ("hook_event_name", "tool_name", "tool_input", "session_id", "transcript_path", "source", "agent_type", "model",
         "prompt", "subagent_type", "agent_name", "resume", "conversation_id", "trigger")  # fmt: skip
NAMES = tuple({name for client in CLIENTS.values() for name in client.events})
WORDS = (
    *NAMES,
    "Agent",
    "Task",
    "invoke_agent",
    BUILDER,
    "dctx:planner",
    "compact",
    "startup",
    "Do 1/1/3.",
    "gpt-4",
)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
)
SOME = st.sampled_from(WORDS) | SCALARS
ANY = st.recursive(
    SOME,
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(KNOWN), inner),
    max_leaves=8,
)
INPUTS = st.fixed_dictionaries(
    {
        "prompt": st.just("Do it.") | ANY,
        "subagent_type": st.just(BUILDER) | ANY,
        "agent_name": st.just(BUILDER) | ANY,
    },
    optional={"model": ANY, "resume": ANY, "more": ANY},
)
EVENTS = st.fixed_dictionaries(
    {
        "hook_event_name": st.sampled_from(NAMES),
        "tool_name": st.sampled_from(("Agent", "Task", "invoke_agent")) | ANY,
        "tool_input": INPUTS | ANY,
        "agent_type": st.just(BUILDER) | ANY,
    },
    optional=dict.fromkeys(("session_id", "transcript_path", "source", "model", "cwd"), ANY),
)
OPTIONS = st.lists(
    st.sampled_from(
        [
            "--client",
            *CLIENTS,
            *(f"--client={name}" for name in CLIENTS),
            "--part",
            "--part=2",
            "1",
            "99",
        ]
    ),
    max_size=4,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(event=EVENTS | ANY, words=OPTIONS)
def test_any_json_is_answered_in_a_clients_form_or_not_at_all(
    event: Any, words: list[str], root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DCTX_ROOT", str(root))
    monkeypatch.setenv("DCTX_RECORD", "off")
    code, said = inside(json.dumps(event).encode(), *words)
    assert code == 0
    assert not said or is_an_answer(event, json.loads(said))
    assert [line for line in log(root) if "is no JSON" not in line] == []


# Any project


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ({"dctx.yaml": "hooks: ["}, "dctx.yaml is not valid YAML"),
        ({"dctx.yaml": "hooks: {agent: builder}"}, "did you mean agents?"),
        ({"dctx.yaml": "hooks: {agents: {x: nobody}}"}, "hooks.agents.x"),
        ({"dctx.yaml": b"\0\xff" * 1_000}, "dctx.yaml"),
        ({"dctx.yaml/x": "a folder"}, "dctx.yaml is a folder"),
        (
            {"VISION.md": "# Vision\n\n## Project Name\n[What's your project called?]\n"},
            "still a template",
        ),
    ],
)
def test_a_project_with_a_mistake_gives_nothing_and_one_line_with_the_reason(
    files: dict[str, str | bytes], reason: str, tmp_path: Path
) -> None:
    if "VISION.md" in files:
        assert process("init", cwd=tmp_path).code == 0
        root = write(tmp_path, plan({"01-one.md": task("One")}))
    else:
        root = write(tmp_path / "boat", {**BASE, **files})
    assert tell(root) == ""
    (line,) = log(root)
    assert reason in line
    assert line[:4].isdecimal() and " claude PreToolUse: gave no answer: " in line


def test_where_nothing_is_ready_there_is_one_line_that_says_so(tmp_path: Path) -> None:
    waiting = write(
        tmp_path, {"VISION.md": "# Vision\nX.\n", **plan({"01-one.done.md": task("One")})}
    )
    told = new_prompt(json.loads(tell(waiting)))
    assert told.startswith("dctx gives you no task: every task is done.\n\n")
    assert ask(waiting, session()) and log(waiting) == []


def test_without_a_project_nothing_is_said_and_nothing_written(tmp_path: Path) -> None:
    home, folder = tmp_path / "home", tmp_path / "folder"
    home.mkdir()
    folder.mkdir()
    for data in (EVENT, b"garbage", json.dumps(session()).encode()):
        assert tell(folder, data, HOME=str(home)) == ""
    assert tree(tmp_path) == {}


@pytest.mark.parametrize("value", ["off", "OFF", "0", "no", "false"])
def test_the_switch_turns_everything_off(value: str, root: Path) -> None:
    before = tree(root)
    assert tell(root, DCTX_HOOKS=value) == ""
    assert tell(root, b"garbage", DCTX_HOOKS=value) == ""
    assert tree(root) == before


@pytest.mark.parametrize("value", ["", "on", "1", "yes"])
def test_another_value_of_the_switch_leaves_it_on(value: str, root: Path) -> None:
    assert tell(root, DCTX_HOOKS=value)


def test_a_file_named_like_the_folder_is_no_project(tmp_path: Path) -> None:
    (tmp_path / ".director").write_text("x")
    assert tell(tmp_path) == ""
    assert tree(tmp_path) == {str(tmp_path / ".director"): b"x"}


def test_a_folder_that_is_a_link_out_of_the_project_is_neither_read_nor_written(
    root: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / ".director").symlink_to(root / ".director")
    before = tree(root)
    assert tell(other) == ""
    assert tree(root) == before


@pytest.mark.parametrize("name", ["", "hooks.log", "session.json", "runs.jsonl", "texts"])
def test_nothing_is_written_through_links_in_the_tools_own_corner(
    name: str, root: Path, tmp_path: Path
) -> None:
    away = tmp_path / "away"
    away.mkdir()
    (away / "file").write_text("[]")
    commit(root, "First", {"a.txt": "1"})
    corner = root / ".director" / ".dctx"
    if name:
        corner.mkdir()
        (corner / name).symlink_to(away if name == "texts" else away / "file")
    else:
        corner.symlink_to(away)
    for data in (EVENT, b"garbage", json.dumps(session()).encode()):
        tell(root, data)
    assert tree(away) == {str(away / "file"): b"[]"}
    assert tell(root)


@pytest.mark.parametrize("name", ["hooks.log", "session.json", "runs.jsonl"])
@pytest.mark.parametrize("kind", ["pipe", "folder"])
def test_odd_things_in_the_corner_hold_nothing_up(name: str, kind: str, root: Path) -> None:
    corner = root / ".director" / ".dctx"
    corner.mkdir()
    os.mkfifo(corner / name) if kind == "pipe" else (corner / name).mkdir()
    assert tell(root, b"garbage") == ""
    assert tell(root)
    assert tell(root, json.dumps(session()).encode())


@pytest.mark.parametrize("kind", ["pipe", "device", "folder", "loop"])
@pytest.mark.parametrize(
    "name", ["VISION.md", "dctx.yaml", "goals/01-first/01-step/tasks/02-two.md"]
)
def test_odd_things_in_the_plan_hold_nothing_up(kind: str, name: str, root: Path) -> None:
    place = root / ".director" / name
    place.unlink(missing_ok=True)
    if kind == "pipe":
        os.mkfifo(place)
    elif kind == "folder":
        place.mkdir()
    else:
        place.symlink_to("/dev/zero" if kind == "device" else place)
    said = tell(root)
    assert not said or new_prompt(json.loads(said))
    assert not [line for line in log(root) if "within" in line]


@needs_permissions
def test_folders_that_may_not_be_read_or_written_hold_nothing_up(root: Path) -> None:
    folder = root / ".director"
    folder.chmod(0o500)
    try:
        assert tell(root)
        assert tell(root, json.dumps(session()).encode())
        assert tell(root, b"garbage") == ""
    finally:
        folder.chmod(0o700)
    assert not (folder / ".dctx").exists()
    (folder / "goals").chmod(0)
    try:
        tell(root)
    finally:
        (folder / "goals").chmod(0o700)
    folder.chmod(0)
    try:
        assert tell(root) == ""
    finally:
        folder.chmod(0o700)


# Any surroundings


@pytest.mark.parametrize("name", [b"my boat \xc3\xbc", b"bo\xffat", b"a\nb", b"'; exit 3; '"])
@pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
def test_a_folder_may_have_any_name(name: bytes, locale: str, tmp_path: Path) -> None:
    root = write(tmp_path / os.fsdecode(name), {**BASE, "VISION.md": "# Vision\nX.\n"})
    commit(root, "First", {"a.txt": "1"})
    env = {"LC_ALL": locale, "PYTHONWARNINGS": "error", "PYTHONUTF8": "0"}
    assert new_prompt(json.loads(tell(root, **env)))
    assert "Task 1/1/2 Two: in progress" in tell(root, json.dumps(session()).encode(), **env)
    assert tell(root, b"garbage", **env) == ""
    assert len(log(root)) == 1


def test_where_the_project_is_can_come_from_the_client(root: Path, tmp_path: Path) -> None:
    away = tmp_path / "away"
    away.mkdir()
    for name in ("CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "CURSOR_PROJECT_DIR"):
        assert tell(away, **{name: str(root)})
        assert tell(away, **{name: str(root / ".director" / "goals")})
        assert tell(away, **{name: "nowhere/at/all"}) == ""
    assert tell(away, DCTX_ROOT=str(root)) and tell(away, DCTX_ROOT=str(root / ".director"))
    assert tell(root, DCTX_ROOT="nowhere/at/all") == ""


def test_the_folder_that_it_runs_in_comes_before_what_the_client_says(
    root: Path, tmp_path: Path
) -> None:
    other = write(tmp_path / "other", {**BASE, "VISION.md": "# Vision\nThe other one.\n"})
    (other / "deep" / "er").mkdir(parents=True)
    assert "The other one." in tell(other / "deep" / "er", CLAUDE_PROJECT_DIR=str(root))
    assert "The other one." not in tell(other, DCTX_ROOT=str(root))


def test_a_relative_root_is_what_it_is_to_all_commands(root: Path) -> None:
    assert process("assemble", "builder", cwd=root.parent, env={"DCTX_ROOT": "boat"}).code == 0
    assert tell(root.parent, DCTX_ROOT="boat")


def test_a_folder_that_is_gone_and_a_home_that_is_none_do_no_harm(
    root: Path, tmp_path: Path
) -> None:
    script = (
        "import os, sys\n"
        "os.mkdir('gone'); os.chdir('gone'); os.rmdir('../gone')\n"
        "os.environ.pop('HOME', None); os.environ['XDG_CACHE_HOME'] = sys.argv.pop(1)\n"
        "from director_ctx.doors.cli.main import main\n"
        "main()\n"
    )
    words = [sys.executable, "-c", script, str(tmp_path / "cache"), "hook"]
    for place in ("", str(root)):
        env = {**os.environ, "PYTHONPATH": str(ROOT), "CLAUDE_PROJECT_DIR": place}
        done = subprocess.run(
            words, cwd=root, env=env, input=EVENT, capture_output=True, check=False, timeout=GUARD
        )
        assert (done.returncode, done.stderr) == (0, b"")
        assert bool(done.stdout) == bool(place)


def through_shell(root: Path, redirections: str) -> Result:
    words = ["sh", "-c", f'exec "$@" {redirections}', "sh", *PYTHON]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        words, cwd=root, env=env, input=EVENT, capture_output=True, check=False, timeout=GUARD
    )
    return Result(done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.mark.parametrize(
    "redirections",
    [
        ">/dev/full",
        ">&-",
        "<&-",
        "2>&-",
        "<&- >&-",
        "<&- >&- 2>&-",
        "</dev/null",
        ">/dev/null",
        "2>/dev/full",
    ],
)
def test_streams_that_are_closed_or_full_do_no_harm(redirections: str, root: Path) -> None:
    commit(root, "First", {"a.txt": "1"})
    before = tree(root / ".director")
    result = through_shell(root, redirections)
    assert (result.code, result.err) == (0, ""), result
    assert not result.out or new_prompt(json.loads(result.out))
    after = tree(root / ".director")
    assert {name: after[name] for name in before} == before
    assert all(run["agent"] == "builder" for run in runs(root))
    assert len(log(root)) <= 1


def test_a_reader_that_has_gone_does_no_harm(root: Path) -> None:
    with begin(root) as child:
        assert child.stdin and child.stdout and child.stderr
        child.stdout.close()
        child.stdin.write(EVENT)
        child.stdin.close()
        assert child.wait(GUARD) == 0
        assert child.stderr.read() == b""


def test_an_answer_that_was_begun_is_written_to_its_end(root: Path) -> None:
    """Even to a reader that takes longer than the deadline."""
    with begin(root) as child:
        assert child.stdin and child.stdout
        child.stdin.write(json.dumps(spawn("Do it. " * 100_000)).encode())
        child.stdin.close()
        time.sleep(3)
        assert new_prompt(json.loads(child.stdout.read())).endswith("Do it. " * 100_000)
        assert child.wait(GUARD) == 0
    assert log(root) == []


def test_a_pipe_that_does_not_block_gets_the_whole_answer(root: Path) -> None:
    out, end = os.pipe()
    os.set_blocking(end, False)
    with begin(root, stdout=end) as child, open(out, "rb") as reader:
        os.close(end)
        assert child.stdin
        child.stdin.write(json.dumps(spawn("Do it. " * 100_000)).encode())
        child.stdin.close()
        time.sleep(0.5)
        assert new_prompt(json.loads(reader.read())).endswith("Do it. " * 100_000)
        assert child.wait(GUARD) == 0


def test_a_disk_on_which_nothing_can_be_written_costs_only_the_record(root: Path) -> None:
    def full() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

    for data in (EVENT, json.dumps(session()).encode(), b"garbage"):
        out, err = (child := begin(root, preexec_fn=full)).communicate(data, timeout=GUARD)
        assert (child.returncode, err) == (0, b"")
        assert bool(out) == (data != b"garbage")
    assert runs(root) == []
    assert ask(root, spawn())
    assert len(runs(root)) == 1


def test_little_memory_ends_it_silently(root: Path) -> None:
    def little() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (100_000_000, 100_000_000))

    write(root, {"VISION.md": "# Vision\n" + "x" * 10_000_000})
    out, err = (child := begin(root, preexec_fn=little)).communicate(
        EVENT[:-1] + b" " * 40_000_000, timeout=GUARD
    )
    assert (child.returncode, out, err) == (0, b"", b"")


def test_few_open_files_end_it_silently(root: Path) -> None:
    commit(root, "First", {"a.txt": "1"})
    for most in range(3, 12):

        def few(most: int = most) -> None:
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))

        # Python itself needs some to start.
        started = subprocess.run(
            [sys.executable, "-c", "import json"], preexec_fn=few, capture_output=True, check=False
        )
        if started.returncode:
            continue
        out, err = (child := begin(root, preexec_fn=few)).communicate(EVENT, timeout=GUARD)
        if b"init_fs_encoding" in err or b"No module named" in err:
            continue
        assert (child.returncode, err) == (0, b""), most
        assert not out or new_prompt(json.loads(out))


# The deadline


def slow_git(folder: Path) -> str:
    """A `git` that writes down its number and then does nothing; the path that finds it first."""
    folder.mkdir()
    place = folder / "git"
    place.write_text(f"#!/bin/sh\necho $$ >>{folder}/started\nexec sleep 300\n")
    place.chmod(0o755)
    return f"{folder}:{os.environ['PATH']}"


def gone(pid: int) -> bool:
    """Soon, if not yet."""
    for _ in range(100):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


def test_a_git_that_does_not_answer_costs_a_spawn_its_recent_changes_alone(
    root: Path, tmp_path: Path
) -> None:
    commit(root, "First", {"a.txt": "1"})
    said = new_prompt(json.loads(tell(root, PATH=slow_git(tmp_path / "slow"))))
    assert "Recent progress:\nNot known: git did not answer in time." in said and said.endswith(
        "\nDo it."
    )
    assert log(root) == []
    started = [int(line) for line in (tmp_path / "slow" / "started").read_text().split()]
    assert started and all(map(gone, started))


def test_a_session_that_starts_does_not_wait_for_git_either(root: Path, tmp_path: Path) -> None:
    commit(root, "First", {"a.txt": "1"})
    ask(root, session(identity="one"))
    commit(root, "Second", {"a.txt": "2"})
    path = slow_git(tmp_path / "slow")
    said = tell(root, json.dumps(session(identity="two")).encode(), PATH=path)
    assert "is not known: git did not answer in time." in said and "Next task" in said
    assert log(root) == []


def ends_by_itself(child: subprocess.Popen[bytes], data: bytes) -> None:
    """Well and silently, though its input stays open."""
    with child:
        assert child.stdin and child.stdout and child.stderr
        child.stdin.write(data)
        child.stdin.flush()
        assert child.wait(GUARD) == 0
        assert (child.stdout.read(), child.stderr.read()) == (b"", b"")


@pytest.mark.parametrize("data", [b"", EVENT])
def test_an_input_that_never_ends_is_left(data: bytes, root: Path) -> None:
    ends_by_itself(begin(root), data)
    assert "gave no answer within 2 seconds" in log(root)[0]


def copied(tmp_path: Path) -> Path:
    """A package of our own to break."""
    folder = tmp_path / "copy"
    shutil.copytree(
        ROOT / "director_ctx", folder / "director_ctx", ignore=shutil.ignore_patterns("__pycache__")
    )
    shutil.copytree(ROOT / "templates", folder / "director_ctx" / "templates", dirs_exist_ok=True)
    return folder


def test_the_end_of_a_session_waits_less(root: Path, tmp_path: Path) -> None:
    package = copied(tmp_path)
    with (package / "director_ctx" / "clients" / "hooks" / "answer.py").open("a") as file:
        file.write("\n\n__import__('time').sleep(300)\n")
    for name, said in (("SessionEnd", "0.8"), ("SessionStart", "2")):
        event = json.dumps({**session(), "hook_event_name": name}).encode()
        out, err = (child := begin(root, package)).communicate(event, timeout=GUARD)
        assert (child.returncode, out, err) == (0, b"", b"")
        assert log(root)[-1].endswith(f"claude {name}: gave no answer within {said} seconds")


def test_a_log_on_a_disk_that_hangs_does_not_keep_it(root: Path, tmp_path: Path) -> None:
    package = copied(tmp_path)
    with (package / "director_ctx" / "project" / "hook_log.py").open("a") as file:
        file.write("\n\n__import__('time').sleep(300)\n")
    ends_by_itself(begin(root, package), b"{")


# What is broken in between


def test_killed_at_any_moment_it_leaves_nothing_broken(root: Path) -> None:
    commit(root, "First", {"a.txt": "1"})
    for moment in range(24):
        with begin(root) as child:
            assert child.stdin
            child.stdin.write(
                EVENT if moment % 3 else json.dumps(session(identity=f"s{moment}")).encode()
            )
            child.stdin.close()
            time.sleep(moment * 0.004)
            child.send_signal(signal.SIGKILL)
    corner = root / ".director" / ".dctx"
    if (corner / "session.json").exists():
        assert isinstance(json.loads((corner / "session.json").read_text()), list)
    assert all(run["agent"] == "builder" for run in runs(root))
    assert tell(root)
    assert "Next task" in tell(root, json.dumps(session(identity="last")).encode())
    assert log(root) == []


DOORS = ("main.py", "hook.py", "__init__.py")
"""What runs before anything can be caught."""


@pytest.mark.parametrize("damage", ["missing", "not Python", "cut short", "fails"])
def test_a_package_with_a_broken_module_says_nothing(
    damage: str, root: Path, tmp_path: Path
) -> None:
    """Half an upgrade, or a full disk while installing."""
    package = copied(tmp_path)
    script = (
        "import os, sys\nsys.argv = ['dctx', 'hook']\n"
        "from director_ctx.doors.cli.clients.hook import hook\nhook([], False)\n"
        "sys.stderr.write(' '.join(m.__file__ for n, m in sys.modules.items() if n.startswith('director_ctx.')))\n"
    )
    env = {**os.environ, "PYTHONPATH": str(package), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=root,
        env=env,
        input=EVENT,
        capture_output=True,
        check=True,
    )
    used = [Path(name) for name in done.stderr.decode().split() if Path(name).name not in DOORS]
    assert len(used) > 30
    # Else each of the runs below compiles all of them. The bytecode of a damaged one does not count.
    for module in used:
        py_compile.compile(
            str(module), doraise=True, invalidation_mode=py_compile.PycInvalidationMode.CHECKED_HASH
        )
    for module in used:
        source = module.read_text()
        if damage == "missing":
            module.unlink()
        else:
            bad = {
                "not Python": "\0 def (",
                "cut short": source[: len(source) // 2],
                "fails": "raise RuntimeError\n",
            }
            module.write_text(bad[damage])
        out, err = (
            child := begin(root, package, env={"PYTHONDONTWRITEBYTECODE": "1"})
        ).communicate(EVENT)
        assert (child.returncode, err) == (0, b""), (module, err)
        assert not out or new_prompt(json.loads(out)), module
        module.write_text(source)
    assert log(root)
    assert tell(root)


# The log


def test_the_log_stays_small_however_often_something_fails(root: Path) -> None:
    place = root / ".director" / ".dctx" / "hooks.log"
    largest = 0
    for number in range(10_000):
        hook_log.log(str(root), f"claude PreToolUse: failure {number}")
        largest = max(largest, place.stat().st_size)
    assert largest <= hook_log.LARGEST + hook_log.LONGEST * 4 + 30
    lines = hook_log.read_log(str(root))
    assert lines[-1].endswith("failure 9999")
    numbers = [int(line.split()[-1]) for line in lines]
    assert numbers == list(range(numbers[0], 10_000))
    assert len(numbers) > 500


def test_the_log_stays_whole_when_many_write_at_once(root: Path) -> None:
    script = (
        "import sys\nfrom director_ctx.project.hook_log import log\n"
        "for number in range(400):\n    log(sys.argv[1], f'writer {sys.argv[2]} failure {number} end')\n"
    )
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    children = [
        subprocess.Popen([sys.executable, "-c", script, str(root), str(n)], env=env)
        for n in range(16)
    ]
    assert [child.wait(GUARD) for child in children] == [0] * 16
    lines = hook_log.read_log(str(root))
    assert lines
    assert all(" writer " in line and line.endswith(" end") for line in lines)
    corner = root / ".director" / ".dctx"
    assert (corner / "hooks.log").stat().st_size < 3 * hook_log.LARGEST
    assert sorted(path.name for path in corner.iterdir()) == [".gitignore", "hooks.log"]


def test_a_line_of_the_log_is_one_line_of_what_can_be_shown(root: Path) -> None:
    hook_log.log(str(root), "a\nb\x1b[2J\u2028c\ud800" + "x" * 10_000)
    (line,) = (root / ".director" / ".dctx" / "hooks.log").read_text().splitlines()
    assert line[20:].strip().startswith("a b [2J c")
    assert len(line) < hook_log.LONGEST + 30


def test_the_log_is_for_its_user_alone_and_not_for_git(root: Path) -> None:
    tell(root, b"garbage")
    corner = root / ".director" / ".dctx"
    assert (corner / "hooks.log").stat().st_mode & 0o777 == 0o600
    assert (corner / ".gitignore").read_text() == "*\n"


# No network


@pytest.mark.skipif(not shutil.which("unshare"), reason="there is no unshare here")
def test_it_works_without_any_network(root: Path) -> None:
    alone = ["unshare", "-r", "-n"]
    if subprocess.run([*alone, "true"], capture_output=True, check=False).returncode:
        pytest.skip("a network of one's own is not allowed here")
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [*alone, *PYTHON], cwd=root, env=env, input=EVENT, capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert new_prompt(json.loads(done.stdout))


def test_for_a_person_at_a_terminal_it_says_what_it_is_for(root: Path) -> None:
    import pty

    above, below = pty.openpty()
    try:
        done = subprocess.run(
            PYTHON,
            cwd=root,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdin=below,
            capture_output=True,
            check=False,
        )
    finally:
        os.close(above)
        os.close(below)
    assert (done.returncode, done.stdout) == (0, b"")
    assert b"A client calls this" in done.stderr


def test_in_another_program_it_leaves_the_program_running(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(root)
    code, said = inside(json.dumps(spawn()).encode(), "--client", "claude")
    assert code == 0
    assert "PreToolUse" in json.loads(said)["hookSpecificOutput"]["hookEventName"]
    assert inside(b"garbage") == (0, b"")


def test_its_help_is_that_of_any_command(dctx: Callable[..., Result], root: Path) -> None:
    result = dctx("hook", "--help", cwd=root)
    assert result.code == 0
    assert "--client" in result.out


@pytest.mark.parametrize("word", ["install", "status", "uninstall"])
def test_a_word_that_means_another_command_is_refused(word: str, root: Path) -> None:
    for data in (b"", b" \n"):
        done = process("hook", word, cwd=root, stdin=data)
        assert (done.code, done.out) == (2, "")
        assert f"`dctx hook` takes no {word!r}" in done.err and "dctx setup" in done.err


def test_a_real_event_is_answered_whatever_stands_behind_the_name(root: Path) -> None:
    event = json.dumps(spawn("Do task 1.")).encode()
    plainly = process("hook", cwd=root, stdin=event)
    done = process("hook", "install", cwd=root, stdin=event)
    assert (done.code, done.out) == (0, plainly.out) and done.out
