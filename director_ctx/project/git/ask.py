"""A question to git, and its answer within a time."""

from __future__ import annotations

from director_ctx.project.git.child import LOG_SECONDS, NO_GIT, SECONDS, UNREADABLE, start_git

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import IO

    from director_ctx.project.git.child import Child

MOST_BYTES = 256_000_000
AS_IT_IS = ("--no-replace-objects", "--literal-pathspecs")
"""For objects as they are in the repository, whatever it would put in their place, and for paths
that are no patterns.
"""


class NoAnswer(ValueError):
    """Git did not do what it was asked for, and why."""


def answer(root: str, *words: str | bytes) -> bytes:
    """All that git prints. Raises `NoAnswer` with the reason if it fails, or does not come to an
    end.
    """
    child = _started(root, words, SECONDS, None)
    printed = bytearray()
    for chunk in child.chunks():
        printed += chunk
        if len(printed) > MOST_BYTES:
            break
    why = child.finish()
    if not why and len(printed) > MOST_BYTES:
        why = "git printed without end"
    if why:
        raise NoAnswer(why.removeprefix(UNREADABLE))
    return bytes(printed)


def answer_line(root: str, *words: str | bytes) -> str:
    """The one line of an answer that is in ASCII, such as the id of a commit."""
    return answer(root, *words).decode("ascii", "replace").strip()


def streamed_answer(
    root: str,
    *words: str | bytes,
    given: IO[bytes] | None = None,
) -> Iterator[bytes]:
    """The same as it comes, to whoever knows how much it is."""
    child = _started(root, words, LOG_SECONDS, given)
    try:
        yield from child.chunks()
    finally:
        why = child.finish()
    if why:
        raise NoAnswer(why)


def _started(
    root: str,
    words: tuple[str | bytes, ...],
    seconds: float,
    given: IO[bytes] | None,
) -> Child:
    try:
        return start_git(root, words, seconds, given)
    except OSError as error:
        raise NoAnswer(NO_GIT) from error
    except ValueError as error:
        # A NUL in a word.
        raise NoAnswer("that is no revision") from error
