"""What a client is given when it is run offline: a home of its own, a dummy key, and no way out."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from director_ctx import DctxError
from director_ctx.outside.offline import prepare_home, run_offline
from director_ctx.outside.offline_ways import WAYS, Bench
from director_ctx.outside.scripted_model import ScriptedModel

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
        if not Path(f"/proc/{pid}").exists() or b"sleep" not in Path(f"/proc/{pid}/cmdline").read_bytes():
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
