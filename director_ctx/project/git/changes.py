"""What changed since a revision, for agents that are asked to look at it; and whether git leaves a
file alone.
"""

from __future__ import annotations

from director_ctx.project.git.log import LOG, answer, clean_line, in_repository, parse_log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from director_ctx.project.git.recent import Commit


MOST_LINES = 200
LONGEST_LINE = 300
NOTHING = "No commits since then. Work that is not committed is not looked at."
SAYS_NOTHING = "The commits since then say nothing of what they did, and left every file as it was."


def changes_since(
    root: str, revision: str, tell: Callable[[list[Commit]], Sequence[str]], until: str = "HEAD"
) -> str:
    """What the commits since a revision tell, up to the last one, and changed files; never the diff
    itself.

    Trees are compared, not the working tree: that would refresh the index and run filters. Raises
    ValueError with the reason.
    """
    if revision.startswith("-") or not revision.strip():
        raise ValueError("that is no revision")
    commit = (
        _ask(root, "rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}")
        .decode("ascii")
        .strip()
    )
    log = _ask(root, *LOG, f"{commit}..{until}", "--")
    commits = list(parse_log(iter([log])))
    files = _changed_files(root, commit, until)
    if not commits and not files:
        return NOTHING
    lines = _clipped([f"- {line}" for line in tell(commits)])
    return "\n".join([*lines, *([""] if lines and files else []), *files]) or SAYS_NOTHING


def _changed_files(root: str, commit: str, until: str) -> list[str]:
    options = ("--stat=280,240,20", "-M", "-r", "--no-color", "--no-ext-diff", "--no-textconv")
    stat = _ask(root, "diff-tree", *options, commit, until).decode("utf-8", "replace")
    return _clipped([clean_line(line.rstrip()) for line in stat.split("\n") if line.strip()])


def _clipped(lines: list[str]) -> list[str]:
    kept = [
        line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]}…"
        for line in lines[:MOST_LINES]
    ]
    return kept if len(lines) <= MOST_LINES else [*kept, f"and {len(lines) - MOST_LINES} more"]


def _ask(root: str, *arguments: str) -> bytes:
    return answer("-C", root, *arguments)


def could_be_committed(root: str, path: str) -> bool:
    """Whether the file lies in a repository that does not ignore it; where git does not say, it
    could.
    """
    if not in_repository(root):
        return False
    try:
        answer("-C", root, "check-ignore", "-q", "--", path)
    except ValueError:
        return True
    return False
