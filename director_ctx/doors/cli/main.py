"""The front door: nothing is imported before Ctrl-C is understood."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command line; returns its exit code."""
    try:
        from director_ctx.doors.cli.boundary import run

        return run(sys.argv[1:] if arguments is None else arguments)
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
