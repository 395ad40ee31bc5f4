"""Runs an installed agent client without a network: its model is a scripted one on the loopback, its home a folder of
its own, its environment almost empty, its key a dummy. Nothing of the user's is read or written."""

from __future__ import annotations

import os
import signal
import subprocess

from director_ctx.errors import DctxError
from director_ctx.outside.scripted_wires import Call
from director_ctx.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

KEY = "not-a-key"
SECONDS = 60.0


class Ran(Record):
    """What a run of a client left."""

    code: int
    out: str
    err: str


class Bench(Record):
    """Where a client runs offline."""

    client: str
    program: tuple[str, ...]
    home: str
    folder: str
    """The project that it works in."""
    model: str
    """The address of its model."""


class Way(Record):
    """How one client is run: its environment, its arguments, what it wants to find in its home, how it spawns."""

    environment: Callable[[Bench], Mapping[str, str]]
    arguments: Callable[[str], tuple[str, ...]]
    files: Callable[[Bench], Mapping[str, str]]
    agent: Callable[[Bench, str], tuple[str, str]]
    """The file that makes a type of agents known, and what is in it."""
    spawns: Callable[[str, str], tuple[Call, ...]]
    """The calls that spawn a sub-agent of a type with a prompt; a client offers the tool of one of them."""
    result: str
    """What is in a conversation as soon as a tool was called."""


_PURPOSE = "Does what its prompt asks for."


def _described(place: str, kind: str) -> tuple[str, str]:
    """An agent as Claude Code and Gemini CLI know it."""
    text = f"---\nname: {kind}\ndescription: {_PURPOSE}\n---\n\n{_PURPOSE}\n"
    return os.path.join(place, "agents", f"{kind}.md"), text


def _codex_agent(bench: Bench, kind: str) -> tuple[str, str]:
    text = f'name = "{kind}"\ndescription = "{_PURPOSE}"\ndeveloper_instructions = "{_PURPOSE}"\n'
    return os.path.join(bench.home, ".codex", "agents", f"{kind}.toml"), text


def _claude_environment(bench: Bench) -> dict[str, str]:
    off = ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "DISABLE_AUTOUPDATER", "DISABLE_TELEMETRY",
           "DISABLE_ERROR_REPORTING")  # fmt: skip
    return {
        "ANTHROPIC_BASE_URL": bench.model, "ANTHROPIC_API_KEY": KEY,
        "CLAUDE_CODE_TMPDIR": os.path.join(bench.home, "tmp"), **dict.fromkeys(off, "1"),
    }  # fmt: skip


def _codex_config(bench: Bench) -> dict[str, str]:
    """Codex reads hooks in a project's folder only where the project is trusted."""
    from json import dumps

    text = f"""check_for_update_on_startup = false
model = "scripted"
model_provider = "scripted"
[model_providers.scripted]
name = "scripted"
base_url = {dumps(bench.model + "/v1")}
env_key = "SCRIPTED_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
[projects.{dumps(bench.folder)}]
trust_level = "trusted"
[analytics]
enabled = false
"""
    return {".codex/config.toml": text}


def _gemini_environment(bench: Bench) -> dict[str, str]:
    return {
        "GOOGLE_GEMINI_BASE_URL": bench.model, "GEMINI_API_KEY": KEY, "GEMINI_TELEMETRY_ENABLED": "false",
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
    }  # fmt: skip


def _gemini_settings(_: Bench) -> dict[str, str]:
    from json import dumps

    settings = {
        "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
        "telemetry": {"enabled": False},
        "privacy": {"usageStatisticsEnabled": False},
        "general": {"enableAutoUpdate": False},
    }
    return {".gemini/settings.json": dumps(settings)}


WAYS: dict[str, Way] = {
    "claude": Way(
        _claude_environment,
        lambda prompt: ("-p", prompt, "--output-format", "json"),
        lambda _: {},
        lambda bench, kind: _described(os.path.join(bench.folder, ".claude"), kind),
        lambda kind, prompt: (
            Call("Agent|Task", {"description": "Prove it", "prompt": prompt, "subagent_type": kind}),
        ),
        "tool_result",
    ),
    "codex": Way(
        lambda _: {"SCRIPTED_KEY": KEY},
        lambda prompt: (
            "exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", "--json", prompt,
        ),
        _codex_config,
        _codex_agent,
        lambda kind, prompt: (
            Call("multi_agent_v1.spawn_agent", {"message": prompt, "agent_type": kind}),
            Call("collaboration.spawn_agent", {"message": prompt, "agent_type": kind, "task_name": "proof"}),
        ),
        "function_call_output",
    ),
    "gemini": Way(
        _gemini_environment,
        lambda prompt: ("-p", prompt, "-y", "-m", "gemini-2.5-flash"),
        _gemini_settings,
        lambda bench, kind: _described(os.path.join(bench.home, ".gemini"), kind),
        lambda kind, prompt: (Call("invoke_agent", {"agent_name": kind, "prompt": prompt}),),
        "functionResponse",
    ),
}  # fmt: skip
"""Clients that can be run like that. Cursor talks to its own servers only."""


def prepare_home(bench: Bench, *kinds: str) -> None:
    """Makes the home, with what the client wants to find in it, and makes types of agents known."""
    way = WAYS[bench.client]
    os.makedirs(os.path.join(bench.home, "tmp"), exist_ok=True)
    files = {os.path.join(bench.home, name): text for name, text in way.files(bench).items()}
    for path, text in {**files, **dict(way.agent(bench, kind) for kind in kinds)}.items():
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


def run_offline(
    bench: Bench,
    prompt: str,
    more: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
    seconds: float = SECONDS,
) -> Ran:
    """One run with a prompt, in a home that was prepared. Raises DctxError where it does not end."""
    way = WAYS[bench.client]
    words = [*bench.program, *way.arguments(prompt), *more]
    return _run(words, bench.folder, {**_bare(bench), **way.environment(bench), **(environment or {})}, seconds)


def _bare(bench: Bench) -> dict[str, str]:
    """Without keys or settings; the path is kept, for the client may be a script. Where a client asks its vendor for
    news all the same, its proxy is the scripted model, which connects to nobody."""
    kept = ("PATH", "LANG", "LC_ALL", "SYSTEMROOT", "PATHEXT", "COMSPEC")
    own = {"HOME": bench.home, "USERPROFILE": bench.home, "TMPDIR": os.path.join(bench.home, "tmp")}
    proxy = {**dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), bench.model), "NO_PROXY": "127.0.0.1"}
    return {name: os.environ[name] for name in kept if name in os.environ} | own | proxy


def _run(words: Sequence[str], folder: str, environment: Mapping[str, str], seconds: float) -> Ran:
    try:
        process = subprocess.Popen(
            words, cwd=folder, env=dict(environment), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, start_new_session=True,
        )  # fmt: skip
    except OSError as error:
        raise DctxError(f"{words[0]} could not be started: {error.strerror or error}.") from error
    with process:
        try:
            out, err = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired as late:
            raise DctxError(f"{words[0]} did not end within {seconds:g} seconds.", "Try once more.") from late
        finally:
            _end(process)
    return Ran(process.returncode, out.decode("utf-8", "replace"), err.decode("utf-8", "replace"))


def _end(process: subprocess.Popen[bytes]) -> None:
    """The client, and whatever it started."""
    try:
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    except OSError:
        pass
