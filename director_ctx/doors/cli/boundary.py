"""One boundary for every error: expected ones are a sentence and a hint, the others a log."""

from __future__ import annotations

import os
import sys

from director_ctx.base.errors import BUG, FAILED, INTERRUPTED, OK, DctxError
from director_ctx.doors.cli import parse
from director_ctx.doors.cli.shared import menu
from director_ctx.doors.cli.shared.speak import abandon_output, complain, say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def run(arguments: Sequence[str]) -> int:
    """The exit code of one command line."""
    if "--inject" in arguments:
        from director_ctx.doors.cli.shared.inject import inject

        return inject(arguments, answer)
    return answer(arguments)


def answer(arguments: Sequence[str]) -> int:
    """The short way first, Typer where it is needed."""
    try:
        code = _dispatch(arguments)
        if sys.stdout:
            sys.stdout.flush()
        return code
    except DctxError as error:
        complain(error)
        return error.exit_code
    except KeyboardInterrupt:
        abandon_output()
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read us has seen enough.
        abandon_output()
        return OK
    except OSError as error:
        abandon_output()
        where = f" ({error.filename})" if error.filename else ""
        say(
            f"{error.strerror or error}{where}.",
            "Check free space and permissions, then try again.",
        )
        return FAILED
    except Exception:
        return _bug()


def _dispatch(arguments: Sequence[str]) -> int:
    is_completion = "_DCTX_COMPLETE" in os.environ
    parsed = None if is_completion else parse.parse(arguments)
    if parsed is None:
        from director_ctx.doors.cli import typer_app

        return typer_app.run(arguments)

    command, values = parsed
    return menu.run(command, values)


def _bug() -> int:
    from director_ctx.doors.cli.bug import write_log

    path = write_log()
    say(
        "This is a bug in dctx, not in your project.",
        f"The details are in {path}; please report them.",
    )
    return BUG
