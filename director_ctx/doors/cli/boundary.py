"""One boundary for every error: expected ones are a sentence and a hint, the others a log."""

from __future__ import annotations

import os
import sys

from director_ctx.base.errors import BUG, FAILED, INTERRUPTED, OK, DctxError
from director_ctx.doors.cli import parse
from director_ctx.doors.cli.shared import menu
from director_ctx.doors.cli.shared.speak import abandon_output, complain, end_line, say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def run(arguments: Sequence[str]) -> int:
    """The exit code of one command line."""
    arguments = menu.with_verb(arguments)
    if "--inject" in arguments:
        # Before anything is parsed: for a skill a mistake in the command line is a sentence, too.
        from director_ctx.doors.cli.shared.inject import inject

        return inject(arguments, answer)
    return answer(arguments)


def answer(arguments: Sequence[str]) -> int:
    """The short way first, Typer where it is needed."""
    try:
        code = _dispatch(arguments)
        # A full disk or a reader that has gone shows itself here, where it is still an answer.
        if sys.stdout:
            sys.stdout.flush()
        return code
    except DctxError as error:
        complain(error)
        return error.exit_code
    except KeyboardInterrupt:
        # The terminal shows ^C, and no line end behind it.
        end_line()
        abandon_output()
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read us has seen enough.
        abandon_output()
        return OK
    except OSError as error:
        abandon_output()
        said = str(error.strerror or error)
        if error.filename:
            said += f" ({error.filename})"
        say(f"{said}.", "Check free space and permissions, then try again.")
        return FAILED
    except Exception:
        return _bug()


def _dispatch(arguments: Sequence[str]) -> int:
    parsed = None
    # A shell that completes a line must not run it.
    if "_DCTX_COMPLETE" not in os.environ:
        if not arguments:
            from director_ctx.doors.cli.start.bare import run as say_where_you_are

            return say_where_you_are()
        parsed = parse.parse(arguments)
    if parsed is None:
        # Typer takes longer to import than a whole context to assemble.
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
