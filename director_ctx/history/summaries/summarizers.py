"""Who writes summaries beside ourselves: a command of the user's, or a model behind a provider's
own library.
"""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import threading

from director_ctx.base.errors import DctxError, UsageProblem
from director_ctx.base.text import plain
from director_ctx.history.strategies.summary import NoSummary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import IO, Any

SECONDS = 300.0
MOST_BYTES = 4_000_000
_QUIET = {"DCTX_HOOKS": "off"}
"""A client that writes a summary is given no context of ours: it has it already."""
_GRACE = 2.0


def by_command(command: str, prompt: str, seconds: float = SECONDS) -> str:
    """What a command prints that is given the prompt on standard input. It runs without a shell
    unless it needs one.
    """
    words = words_of(command)
    try:
        child = subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **_QUIET},
            start_new_session=True,  # A group of its own, so that all of it can be ended.
        )
    except OSError as error:
        raise _not_run(words[0], error.strerror or str(error)) from error
    except ValueError as error:  # A word has a NUL in it.
        raise _not_run(words[0], str(error)) from error
    out, err, is_late = _heard(child, prompt.encode("utf-8", "replace"), seconds)
    late = ""
    if is_late:
        late = f"it took longer than {seconds:g} seconds"
    _refuse(command, child.returncode, out, err, late)
    try:
        return out.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _failed(command, "what it printed is no text") from error


def _not_run(program: str, why: str) -> NoSummary:
    return NoSummary(f"{plain(program)} could not be run: {why}.", "Nothing was changed.")


def expect_program(command: str) -> None:
    """A command that is not there is said before anything is read for it."""
    program, *_ = words_of(command)
    if shutil.which(program) is None:
        raise _not_run(program, "there is no such program")


def words_of(command: str) -> list[str]:
    """The words of a command; those of a shell where something in it is for a shell."""
    reader = shlex.shlex(command, posix=True, punctuation_chars=True)
    reader.whitespace_split = True
    reader.commenters = ""
    try:
        words = list(reader)
    except ValueError as error:
        raise UsageProblem(f"--using: {error}.", "Look at its quotes.") from error
    if not words:
        raise UsageProblem(
            "--using is empty.", "Say extractive, a command, anthropic:MODEL or openai:MODEL."
        )
    has_signs = any(set(word) <= set("();<>|&") for word in words)
    if has_signs or "$" in command or "`" in command:
        return ["sh", "-c", command]
    return words


def _refuse(command: str, code: int, out: bytes, err: bytes, why: str) -> None:
    if len(out) > MOST_BYTES:
        why = "it printed without end"
    if not why and code:
        why = f"its exit code was {code}"
    if not why:
        return
    lines = err.decode("utf-8", "replace").strip().splitlines()
    if lines:
        why = f"{why}: {lines[-1][:300]}"
    raise _failed(command, why)


def _failed(command: str, why: str) -> NoSummary:
    return NoSummary(
        f"{plain(command[:80])} wrote no summary: {plain(why).rstrip('.')}.", "Nothing was changed."
    )


def _heard(
    child: subprocess.Popen[bytes],
    prompt: bytes,
    seconds: float,
) -> tuple[bytes, bytes, bool]:
    """What it printed, and whether it was too late. Whatever it started ends with it."""
    out, err = bytearray(), bytearray()
    # A thread for each stream: a command may print before it has read all, and both would wait.
    telling = _thread(_tell, child.stdin, prompt)
    hearing = [
        _thread(_hear, child, child.stdout, out),
        _thread(_hear, child, child.stderr, err),
    ]
    is_late = False
    try:
        for thread in (telling, *hearing):
            thread.start()
        child.wait(seconds)
        # Something that it started may hold its streams open for ever.
        for thread in hearing:
            thread.join(_GRACE)
    except subprocess.TimeoutExpired:
        is_late = True
    finally:
        _end(child)
    for thread in (telling, *hearing):
        thread.join(_GRACE)
    return bytes(out), bytes(err), is_late


def _thread(work: Callable[..., None], *args: object) -> threading.Thread:
    return threading.Thread(target=work, args=args, daemon=True)


def _tell(stream: IO[bytes], prompt: bytes) -> None:
    try:
        with stream:
            stream.write(prompt)
    except OSError:
        pass  # A command that does not read is no mistake.


def _hear(
    child: subprocess.Popen[bytes],
    stream: IO[bytes],
    into: bytearray,
) -> None:
    with stream:
        piece = os.read(stream.fileno(), 65_536)
        while piece:
            into += piece
            if len(into) > MOST_BYTES:
                _end(child)
                return
            piece = os.read(stream.fileno(), 65_536)


def _end(child: subprocess.Popen[bytes]) -> None:
    """Everything in its process group."""
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except (AttributeError, OSError):
        # Windows has no groups of this kind, and one that ended is none any more.
        child.kill()
    child.wait()


def by_anthropic(
    model: str,
    prompt: str,
    most: int,
    seconds: float = SECONDS,
) -> str:
    library = _library("anthropic")
    asked = {
        "model": model,
        "max_tokens": most,
        "messages": [{"role": "user", "content": prompt}],
    }

    def ask() -> str:
        with (
            library.Anthropic(timeout=seconds, max_retries=1) as client,
            client.messages.stream(**asked) as stream,
        ):
            message = stream.get_final_message()
        if message.stop_reason == "max_tokens":
            raise NoSummary(
                f"anthropic:{model} did not come to an end.",
                "Give it more room with --target-tokens.",
            )
        return "".join(block.text for block in message.content if block.type == "text")

    return _asked(f"anthropic:{model}", "ANTHROPIC_API_KEY", ask)


def by_openai(
    model: str,
    prompt: str,
    most: int,
    seconds: float = SECONDS,
) -> str:
    library = _library("openai")

    def ask() -> str:
        with library.OpenAI(timeout=seconds, max_retries=1) as client:
            response = client.responses.create(
                model=model,
                input=prompt,
                max_output_tokens=most,
                store=False,  # The provider need not keep the conversation.
            )
        if response.status == "incomplete":
            raise NoSummary(
                f"openai:{model} did not come to an end.", "Give it more room with --target-tokens."
            )
        return str(response.output_text)

    return _asked(f"openai:{model}", "OPENAI_API_KEY", ask)


PROVIDERS: dict[str, Callable[[str, str, int, float], str]] = {
    "anthropic": by_anthropic,
    "openai": by_openai,
}


def _library(name: str) -> Any:
    from importlib import import_module

    try:
        return import_module(name)
    except ImportError as error:
        raise DctxError(
            f"The library {name} is not installed.",
            f"pip install 'director-ctx[summarizers]', or use a command such as --using 'claude -p'. ({error})",
        ) from error


def _asked(who: str, key: str, ask: Callable[[], str]) -> str:
    """Whatever a library of somebody else raises is one sentence. `key` is the variable that it
    reads its key from.
    """
    try:
        return ask()
    except DctxError:
        raise
    except Exception as error:
        first_line, _, _ = str(error).strip().partition("\n")
        why = plain(first_line[:300]) or type(error).__name__
        hint = "Nothing was changed."
        if not os.environ.get(key):
            hint = f"Nothing was changed. {key} is not set."
        raise NoSummary(f"{plain(who)} wrote no summary: {why.rstrip('.')}.", hint) from error


def provider_of(using: str) -> Sequence[str]:
    """The provider and its model, where `using` names one."""
    name, _, model = using.strip().partition(":")
    model = model.strip()
    if name not in PROVIDERS or not model:
        return ()
    return name, model
