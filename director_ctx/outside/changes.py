"""What changed since a revision, for agents that are asked to look at it: subjects and files, never the diff."""

from __future__ import annotations

from director_ctx.outside.git import LOG, answer, clean_line

MOST_LINES = 200
LONGEST_LINE = 300


def changes_since(root: str, revision: str, until: str = "HEAD") -> str:
    """Subjects and changed files since a revision, up to the last commit; never the diff itself.

    Trees are compared, not the working tree: that would refresh the index and run filters.
    Raises ValueError with the reason.
    """
    if revision.startswith("-") or not revision.strip():
        raise ValueError("that is no revision")
    commit = _ask(root, "rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}").strip()
    subjects = _ask(root, "log", *LOG[1:7], "--encoding=UTF-8", "--format=%s", f"{commit}..{until}")
    stat = _ask(
        root,
        "diff-tree",
        "--stat=280,240,20",
        "-M",
        "-r",
        "--no-color",
        "--no-ext-diff",
        "--no-textconv",
        commit,
        until,
    )
    lines = _clipped([f"- {clean_line(line)}" for line in subjects.split("\n") if line.strip()])
    files = _clipped([clean_line(line.rstrip()) for line in stat.split("\n") if line.strip()])
    return (
        "\n".join([*lines, *([""] if lines and files else []), *files])
        or "No commits since then. Work that is not committed is not looked at."
    )


def _clipped(lines: list[str]) -> list[str]:
    kept = [line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]}…" for line in lines[:MOST_LINES]]
    return kept if len(lines) <= MOST_LINES else [*kept, f"and {len(lines) - MOST_LINES} more"]


def _ask(root: str, *arguments: str) -> str:
    return answer("-C", root, *arguments).decode("utf-8", "replace")
