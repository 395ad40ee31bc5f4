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

SECONDS = 600.0
"""That a summary may take to be written."""
MOST_BYTES = 4_000_000
_QUIET = {"DCTX_HOOKS": "off"}
"""A client that writes a summary is given no context of ours: it has it already."""
_GRACE = 2.0


def by_command(command: str, prompt: str) -> str:
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
    out, err, is_late = _heard(child, prompt.encode("utf-8", "replace"))
    why = f"its exit code was {child.returncode}" if child.returncode else ""
    if is_late:
        why = f"it took longer than {SECONDS:g} seconds"
    if len(out) > MOST_BYTES:
        why = "it printed without end"
    if why:
        lines = err.decode("utf-8", "replace").strip().splitlines()
        raise _failed(command, f"{why}: {lines[-1][:300]}" if lines else why)
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


def _failed(command: str, why: str) -> NoSummary:
    return NoSummary(
        f"{plain(command[:80])} wrote no summary: {plain(why).rstrip('.')}.", "Nothing was changed."
    )


def _heard(child: subprocess.Popen[bytes], prompt: bytes) -> tuple[bytes, bytes, bool]:
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
        child.wait(SECONDS)
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


def by_anthropic(model: str, prompt: str, most: int) -> str:
    library = _library("anthropic")

    def ask() -> tuple[str, bool]:
        with (
            library.Anthropic(timeout=SECONDS, max_retries=1) as client,
            client.messages.stream(
                model=model,
                max_tokens=most,
                messages=[{"role": "user", "content": prompt}],
            ) as stream,
        ):
            message = stream.get_final_message()
        texts = [block.text for block in message.content if block.type == "text"]
        return "".join(texts), message.stop_reason == "max_tokens"

    return _asked(f"anthropic:{model}", "ANTHROPIC_API_KEY", ask)


def by_openai(model: str, prompt: str, most: int) -> str:
    library = _library("openai")

    def ask() -> tuple[str, bool]:
        with library.OpenAI(timeout=SECONDS, max_retries=1) as client:
            response = client.responses.create(
                model=model,
                input=prompt,
                max_output_tokens=most,
                store=False,  # The provider need not keep the conversation.
            )
        return str(response.output_text), response.status == "incomplete"

    return _asked(f"openai:{model}", "OPENAI_API_KEY", ask)


PROVIDERS: dict[str, Callable[[str, str, int], str]] = {
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


def _asked(who: str, key: str, ask: Callable[[], tuple[str, bool]]) -> str:
    """The text, if it came to an end. Whatever a library of somebody else raises is one sentence.
    `key` is the variable that it reads its key from.
    """
    try:
        text, is_half = ask()
    except Exception as error:
        first_line, _, _ = str(error).strip().partition("\n")
        why = plain(first_line[:300]) or type(error).__name__
        unset = "" if os.environ.get(key) else f" {key} is not set."
        hint = f"Nothing was changed.{unset}"
        raise NoSummary(f"{plain(who)} wrote no summary: {why.rstrip('.')}.", hint) from error
    if is_half:
        raise NoSummary(f"{who} did not come to an end.", "Give it more room with --target-tokens.")
    return text


def provider_of(using: str) -> Sequence[str]:
    """The provider and its model, where `using` names one."""
    name, _, model = using.strip().partition(":")
    model = model.strip()
    return (name, model) if name in PROVIDERS and model else ()
