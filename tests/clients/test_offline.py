"""What a client is given when it is run offline: a home of its own, a dummy key, and no way out."""

from __future__ import annotations

import os
import time
import tomllib
from pathlib import Path

import pytest
import yaml

from director_ctx import DctxError
from director_ctx.clients.verify.offline_clients import WAYS, Bench
from director_ctx.clients.verify.run import prepare_home, run_offline
from director_ctx.clients.verify.scripted_model import ScriptedModel

URL = "http://127.0.0.1:9"


def bench(client: str, folder: Path, *program: str) -> Bench:
    made = Bench(client, program, str(folder / "home"), str(folder), URL)
    prepare_home(made, "director-builder")
    return made


@pytest.mark.parametrize("client", WAYS)
def test_the_environment_has_nothing_of_the_users_and_leads_nowhere_but_to_the_model(
    client: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = (
        "ANTHROPIC_AUTH_TOKEN",
        "OPENAI_API_KEY",
        "GEMINI_API_KEY",
        "HTTPS_PROXY",
        "CLAUDE_CONFIG_DIR",
        "CODEX_HOME",
    )
    for name in mine:
        monkeypatch.setenv(name, "mine")
    ran = run_offline(bench(client, tmp_path, "sh", "-c", "env"), "Hello")
    given = dict(line.split("=", 1) for line in ran.out.splitlines() if "=" in line)
    assert ran.code == 0 and "mine" not in given.values()
    assert given["HOME"] == str(tmp_path / "home") and given["TMPDIR"].startswith(given["HOME"])
    assert {given[name] for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")} == {URL}
    assert given["PATH"] == os.environ["PATH"]


ODD = [
    'a"b',
    'a"\nkey = "x',
    "a\nkey: x\n---",
    "x: y # z",
    "- a",
    "\\",
    "'",
    "ünï",
    "",
    "a\tb",
    "*",
    "null",
]


@pytest.mark.parametrize("kind", ODD)
@pytest.mark.parametrize("client", WAYS)
def test_a_type_of_agents_adds_no_key_whatever_is_in_it(
    client: str, kind: str, tmp_path: Path
) -> None:
    files = WAYS[client].agent(Bench(client, (), str(tmp_path), str(tmp_path), URL), kind)
    path, text = list(files.items())[-1]
    if path.endswith(".toml"):
        found, keys = tomllib.loads(text), {"name", "description", "developer_instructions"}
    else:
        assert text.startswith("---\n")
        found, keys = yaml.safe_load(text.split("\n---\n")[0]), {"name", "description"}
    name = (
        kind.rpartition(":")[2] if client in ("claude", "copilot") else kind
    )  # a plugin's, which its folder names
    assert (found["name"], set(found)) == (name, keys)


@pytest.mark.parametrize(
    "kind", ["../../x", "/etc/x", "..:../../x", "..", "../x:y", "a/b", "C:\\x", "é" * 300, "\ud800"]
)
@pytest.mark.parametrize("client", WAYS)
def test_a_type_of_agents_is_no_path(client: str, kind: str, tmp_path: Path) -> None:
    (tmp_path / "all" / "project").mkdir(parents=True)
    made = Bench(client, (), str(tmp_path / "all" / "home"), str(tmp_path / "all" / "project"), URL)
    prepare_home(made, kind)
    paths = [Path(path) for path in WAYS[client].agent(made, kind)]
    assert all(path.is_file() and ".." not in path.parts for path in paths)
    assert paths[-1].parent.name == "agents"
    assert [one.name for one in tmp_path.iterdir()] == ["all"]
    assert all(".." not in Path(word).parts for word in WAYS[client].more(made, kind))


def test_more_arguments_and_variables_are_passed_on(tmp_path: Path) -> None:
    made = bench("claude", tmp_path, "sh", "-c", 'echo "$OWN" "$@"', "claude")
    ran = run_offline(made, "two words", ("--more",), {"OWN": "one"})
    assert ran.out == "one -p two words --output-format json --more\n"


def test_a_client_that_does_not_end_is_ended_with_all_it_started(tmp_path: Path) -> None:
    made = bench("claude", tmp_path, "sh", "-c", f"sleep 77.7 & echo $! > {tmp_path}/pid; wait")
    with pytest.raises(DctxError, match=r"sh did not end within 0\.5 seconds"):
        run_offline(made, "Hello", seconds=0.5)
    pid = int((tmp_path / "pid").read_text())
    for _ in range(100):
        if (
            not Path(f"/proc/{pid}").exists()
            or b"sleep" not in Path(f"/proc/{pid}/cmdline").read_bytes()
        ):
            return
        time.sleep(0.05)
    raise AssertionError("it still runs")


def test_a_client_that_is_not_there_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(DctxError, match="nothing-like-it could not be started: No such file"):
        run_offline(bench("codex", tmp_path, str(tmp_path / "nothing-like-it")), "Hello")


def test_the_model_connects_nobody_to_anybody() -> None:
    import http.client

    with ScriptedModel([]) as model:
        connection = http.client.HTTPConnection(model.url.removeprefix("http://"), timeout=10)
        connection.set_tunnel("example.org", 443)
        with pytest.raises(OSError, match="501"):
            connection.connect()
        connection.close()
