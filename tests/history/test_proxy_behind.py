"""`dctx history proxy -- CLIENT`: a client is run behind the proxy, with its terminal and its exit code."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT
from proxied import Upstream
from real_clients import found
from test_proxy_sizes import CountingProvider

from director_ctx.clients.behind import ANY_CLIENT, client_of, run_behind, usual_address
from director_ctx.clients.verify.offline_clients import Bench
from director_ctx.clients.verify.run import bare_environment, prepare_home
from director_ctx.clients.verify.scripted_model import AnswerRule, ScriptedModel
from director_ctx.clients.verify.scripted_wires import ScriptedCall

CLIENT = """\
import json, os, sys, urllib.request
address = os.environ["ANTHROPIC_BASE_URL"]
text = "会議の議事録を読み、決定事項と担当者をまとめてから、次の作業に進みます。" * 40
for count in range(1, 40, 3):
    messages = [{"role": ("user", "assistant")[i % 2], "content": f"{i} {text}"} for i in range(count)]
    body = json.dumps({"model": "claude-sonnet-4-5", "messages": messages[: count | 1]}, ensure_ascii=False)
    request = urllib.request.Request(address + "/v1/messages", body.encode())
    urllib.request.urlopen(request, timeout=30).read()
with urllib.request.urlopen(address + "/dctx/stats") as stats:
    cuts = json.load(stats)["cuts"]
print("said:", sys.stdin.read(), "words:", *sys.argv[1:], "cuts:", cuts)
sys.exit(7)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / ".director").mkdir()
    return tmp_path


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "director_ctx", "history", "proxy", *words]


def run(folder: Path, *words: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*words),
        cwd=folder,
        env=environment(),
        input=typed,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), **more}


def test_a_client_has_its_own_words_streams_and_exit_code(folder: Path) -> None:
    program = folder / "own-client.py"
    program.write_text(CLIENT)
    with Upstream(CountingProvider()) as upstream:
        own = (sys.executable, str(program), "-p", "--limit", "x")
        ran = run(folder, "--upstream", upstream.url, "--limit", "20k", "--", *own, typed="typed")
    assert ran.returncode == 7
    assert ran.stdout.startswith("said: typed words: -p --limit x cuts: "), ran
    assert int(ran.stdout.split()[-1]) > 0
    assert "over 20,000 tokens are" in ran.stderr and ", receipt " in ran.stderr
    assert "read anew: net " in ran.stderr
    assert "/t/" not in ran.stderr, "its address is for the client alone"


def test_a_client_that_is_not_there_is_named_before_anything_is_started(folder: Path) -> None:
    ran = run(folder, "--", "no-such-client")
    assert ran.returncode == 2
    assert "There is no program 'no-such-client'." in ran.stderr


def test_a_file_that_may_not_be_run_and_a_program_without_an_address_are_told_so(
    folder: Path,
) -> None:
    (folder / "agent.py").write_text("print()")
    ran = run(folder, "--", "./agent.py")
    assert ran.returncode == 2 and "./agent.py is a file that may not be run." in ran.stderr
    ran = run(folder, "--", sys.executable, "-c", "0")
    assert ran.returncode == 2 and f"Where {sys.executable} asks its model" in ran.stderr
    assert "--upstream https://api.anthropic.com --" in ran.stderr


def test_where_requests_go_is_said_at_the_start(folder: Path) -> None:
    ran = run(folder, "--upstream", "http://127.0.0.1:9/a", "--", sys.executable, "-c", "0")
    assert "Requests go to http://127.0.0.1:9/a." in ran.stderr


@pytest.mark.parametrize("limit", ("200%", "1.5.2", "0%", "x%"))
def test_a_share_that_is_none_names_the_option(limit: str, folder: Path) -> None:
    ran = run(folder, "--upstream", "http://127.0.0.1:9", "--limit", limit)
    assert ran.returncode == 2 and f"--limit {limit}: " in ran.stderr
    assert "or a share, such as 90%" in ran.stderr


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGTERM, 41), (signal.SIGINT, 42)], ids=["SIGTERM", "Ctrl-C"]
)
def test_a_signal_is_the_clients(number: int, code: int, folder: Path) -> None:
    program = (
        "import signal, sys, time\n"
        "signal.signal(signal.SIGTERM, lambda *_: sys.exit(41))\n"
        "signal.signal(signal.SIGINT, lambda *_: sys.exit(42))\n"
        "print('ready', flush=True)\n"
        "time.sleep(60)\n"
    )
    words = ("--upstream", "http://127.0.0.1:9", "--", sys.executable, "-c", program)
    ran = subprocess.Popen(
        command(*words),
        cwd=folder,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert ran.stdout and ran.stdout.readline() == b"ready\n"
    if number == signal.SIGINT:
        # A terminal sends it to everybody in its foreground.
        os.killpg(ran.pid, number)
    else:
        ran.send_signal(number)
    _, said = ran.communicate(timeout=30)
    assert ran.returncode == code, said
    assert b"0 requests, 0 cuts" in said


def test_a_client_that_a_signal_ends_has_the_exit_code_that_a_shell_would_give(
    folder: Path,
) -> None:
    program = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
    ran = run(folder, "--upstream", "http://127.0.0.1:9", "--", sys.executable, "-c", program)
    assert ran.returncode == 128 + signal.SIGKILL


def test_each_client_is_told_in_its_own_way() -> None:
    address = "http://127.0.0.1:1/t/x"
    claude = run_behind(("claude", "-p", "hi"), address, {})
    assert claude.words == ("claude", "-p", "hi")
    assert claude.environment == {"ANTHROPIC_BASE_URL": address}
    named = run_behind(("/opt/bin/claude",), address, {"A": "b"})
    assert named.environment == {"A": "b", "ANTHROPIC_BASE_URL": address}
    codex = run_behind(("codex", "exec"), address, {})
    assert codex.words[-1] == "exec" and any(f"{address}/v1" in word for word in codex.words)
    other = run_behind(("my-agent",), address, {})
    assert other.environment == {name: address + end for name, end in ANY_CLIENT.items()}


def test_the_address_of_a_model_is_the_one_that_the_client_would_ask() -> None:
    assert usual_address("claude", {}) == "https://api.anthropic.com"
    assert usual_address("codex", {}) == "https://api.openai.com"
    assert (
        usual_address("claude", {"ANTHROPIC_BASE_URL": "https://gate.way/"}) == "https://gate.way"
    )
    assert usual_address("my-agent", {}) == ""
    assert client_of("/usr/bin/claude") is client_of("claude")


# Real clients


class Project:
    """A project with long files, and a client that reads them one after the other."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name.split(maxsplit=1)[0]
        self.root, self.home = folder / "project", folder / "home"
        (self.root / ".director").mkdir(parents=True)
        self.home.mkdir()
        self.program = found(name)
        for number in range(FILES):
            lines = (f"value_{number}_{line} = {number * line}\n" for line in range(600))
            (self.root / f"file{number}.py").write_text("".join(lines))

    def run(self, rules: list[AnswerRule], *words: str) -> subprocess.CompletedProcess[str]:
        with ScriptedModel(rules) as model:
            bench = Bench(self.name, (self.program,), str(self.home), str(self.root), model.url)
            prepare_home(bench)
            proxy = command("--upstream", model.url, "--limit", "40k", "--")
            ran = subprocess.run(
                [*proxy, self.program, *words], cwd=self.root, env=self._environment(bench), stdin=subprocess.DEVNULL,
                capture_output=True, text=True, timeout=120, check=False,
            )  # fmt: skip
        self.asked = [one for one in model.conversations if PROMPT in one.said]
        return ran

    def _environment(self, bench: Bench) -> dict[str, str]:
        """Nothing in it names the address of the model but what the proxy puts there."""
        from director_ctx.clients.verify.offline_clients import WAYS

        own = WAYS[bench.client].environment(bench)
        told = {name: value for name, value in own.items() if not name.endswith("_BASE_URL")}
        return {**bare_environment(bench), **told, "PYTHONPATH": str(ROOT), "OPENAI_API_KEY": "not-a-key"}  # fmt: skip


FILES = 12
PROMPT = "READ THEM ALL"


def reads(tool: str, key: str, before: str = "") -> list[AnswerRule]:
    rules = []
    for number in range(FILES):
        # As no listing of the folder has it.
        name = f"./file{number}.py"
        call = ScriptedCall(tool, {key: before + name})
        rules.append(AnswerRule(calls=(call,), when=PROMPT, unless=name))
    return [*rules, AnswerRule("all of it was read")]


@pytest.mark.proof
@pytest.mark.parametrize("client", ["claude 2.1.197", "claude 2.1.326"])
def test_claude_code_works_behind_it_and_its_model_is_sent_less(
    client: str, tmp_path: Path
) -> None:
    project = Project(client, tmp_path)
    ran = project.run(reads("Read", "file_path"), "-p", PROMPT, "--output-format", "json")
    assert ran.returncode == 0, ran
    assert json.loads(ran.stdout)["result"] == "all of it was read"
    assert len(project.asked) == FILES + 1
    assert ", receipt " in ran.stderr and " not sent; " in ran.stderr, ran.stderr
    assert "sent as it came" not in ran.stderr
    assert any("dctx:" in one.said for one in project.asked)


@pytest.mark.proof
def test_codex_works_behind_it(tmp_path: Path) -> None:
    project = Project("codex 0.169.0", tmp_path)
    (project.home / ".codex").mkdir()
    free = "--dangerously-bypass-approvals-and-sandbox"
    words = ("exec", "--skip-git-repo-check", "--json", free, PROMPT)
    ran = project.run(reads("exec_command", "cmd", "cat "), *words)
    assert ran.returncode == 0 and "all of it was read" in ran.stdout, ran
    assert len(project.asked) == FILES + 1
    assert ", receipt " in ran.stderr and "sent as it came" not in ran.stderr, ran.stderr
