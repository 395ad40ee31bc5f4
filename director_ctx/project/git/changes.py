"""What changed since a revision, for agents that are asked to look at it; and whether git leaves a
file alone.
"""

from __future__ import annotations

from director_ctx.project.git.child import answer
from director_ctx.project.git.log import LOG, clean_line, in_repository, parse_log
from director_ctx.project.git.revision import commit_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from director_ctx.project.git.recent import Commit


MOST_LINES = 200
LONGEST_LINE = 300
NOTHING = "No commits since then. Work that is not committed is not looked at."
SAYS_NOTHING = "The commits since then say nothing of what they did, and left every file as it was."
_STAT = (
    "--stat=280,240,20",
    "-M",
    "-r",
    "--no-color",
    "--no-ext-diff",
    "--no-textconv",
)


def changes_since(
    root: str,
    revision: str,
    tell: Callable[[list[Commit]], Sequence[str]],
) -> str:
    """What the commits since a revision tell, and changed files; never the diff
    itself.

    Trees are compared, not the working tree: that would refresh the index and run filters. Raises
    ValueError with the reason.
    """
    commit = commit_id(root, revision)
    log = answer(root, *LOG, f"{commit}..HEAD", "--")
    commits = list(parse_log(iter([log])))
    files = _changed_files(root, commit)
    if not commits and not files:
        return NOTHING

    lines: list[str] = []
    for line in tell(commits):
        lines.append(f"- {line}")
    lines = _clipped(lines)
    if lines and files:
        lines.append("")
    lines += files
    return "\n".join(lines) or SAYS_NOTHING


def _changed_files(root: str, commit: str) -> list[str]:
    stat = answer(root, "diff-tree", *_STAT, commit, "HEAD").decode("utf-8", "replace")
    lines: list[str] = []
    for line in stat.split("\n"):
        if line.strip():
            lines.append(clean_line(line.rstrip()))
    return _clipped(lines)


def _clipped(lines: list[str]) -> list[str]:
    clipped: list[str] = []
    for line in lines[:MOST_LINES]:
        if len(line) > LONGEST_LINE:
            clipped.append(f"{line[:LONGEST_LINE]}…")
        else:
            clipped.append(line)
    left_out = len(lines) - len(clipped)
    if left_out:
        clipped.append(f"and {left_out} more")
    return clipped


def could_be_committed(root: str, path: str) -> bool:
    """Whether the file lies in a repository that does not ignore it; where git does not say, it
    could.
    """
    if not in_repository(root):
        return False
    try:
        answer(root, "check-ignore", "-q", "--", path)
    except ValueError:
        # So `check-ignore` ends for what is not ignored, too.
        return True
    return False
