"""The front door: nothing is imported before Ctrl-C is understood."""

from __future__ import annotations

import sys

TOKENIZERS = "director_ctx.outside.tokenizers"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command line; returns its exit code."""
    try:
        from director_ctx.doors.cli.boundary import run

        code = run(sys.argv[1:] if arguments is None else arguments)
    except KeyboardInterrupt:
        return 130
    if arguments is None and TOKENIZERS in sys.modules:
        _leave(code)
    return code


def _leave(code: int) -> None:
    """A tokenizer's tables take milliseconds to give back one by one; everything is written, so the system may."""
    import os

    os._exit(code)


if __name__ == "__main__":
    sys.exit(main())
