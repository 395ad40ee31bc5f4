"""What cannot be taken back quietly: commits, pushes, pull requests, releases, migrations."""

from __future__ import annotations

import re

from director_ctx.base.one_line import line
from director_ctx.history.handover.shell import value_of, without_flags
from director_ctx.history.messages.quoted import quoted_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from director_ctx.history.handover.shell import ShellLine
    from director_ctx.history.messages.message import Block

COMMIT, PUSH = "commit", "push"
COMMANDS = {
    "git commit": COMMIT,
    "git push": PUSH,
    "git merge": "merge",
    "git pull": "pull",
    "git rebase": "rebase",
    "git revert": "revert",
    "git cherry-pick": "cherry-pick",
    "git tag": "tag",
    "git reset --hard": "reset",
    "git branch -d": "branch deleted",
    "git branch -D": "branch deleted",
    "git stash drop": "stash dropped",
    "git worktree remove": "worktree removed",
    "gh pr create": "pull request",
    "gh pr merge": "pull request merged",
    "gh pr close": "pull request closed",
    "gh pr edit": "pull request changed",
    "gh pr comment": "comment on a pull request",
    "gh issue create": "issue",
    "gh issue close": "issue closed",
    "gh issue comment": "comment on an issue",
    "gh release create": "release",
    "gh repo create": "repository",
    "gh workflow run": "workflow started",
    "glab mr create": "merge request",
    "glab mr merge": "merge request merged",
    "npm publish": "published",
    "pnpm publish": "published",
    "yarn publish": "published",
    "cargo publish": "published",
    "publish": "published",
    "twine upload": "published",
    "gem push": "published",
    "docker push": "published",
    "terraform apply": "applied",
    "terraform destroy": "destroyed",
    "kubectl apply": "applied",
    "kubectl delete": "deleted in the cluster",
    "helm install": "deployed",
    "helm upgrade": "deployed",
    "wrangler deploy": "deployed",
    "vercel deploy": "deployed",
    "netlify deploy": "deployed",
    "fly deploy": "deployed",
    "firebase deploy": "deployed",
    "alembic upgrade": "migration",
    "alembic downgrade": "migration",
    "prisma migrate": "migration",
    "flyway migrate": "migration",
    "rails db:migrate": "migration",
    "manage.py migrate": "migration",
    "dropdb": "database deleted",
}
"""Of a shell's commands, by their first words, and what each is called. What stands before another
program, such as `uv`, is no word of it.
"""
TOOLS = re.compile(
    r"(?:^|_)(?P<act>create|merge|delete|close|update|publish|deploy|apply|run)_"
    r"(?P<thing>pull_request|merge_request|issue|release|branch|migration|tag|repository|deployment)s?$",
    re.IGNORECASE,
)
"""Tools of servers that do the like."""
_COMMITTED = re.compile(
    r"^\[(?P<branch>[^\]\n]+?)(?: \(root-commit\))? (?P<hash>[0-9a-f]{7,40})\] (?P<subject>.+)$",
    re.MULTILINE,
)
_PUSHED = re.compile(
    r"^[ \t]*(?:\+ )?(?:[0-9a-f]{6,40}\.{2,3}[0-9a-f]{6,40}|\* \[new (?:branch|tag)\]|- \[deleted\])"
    r"[ \t]+(?P<refs>\S+(?:[ \t]+->[ \t]+\S+)?)",
    re.MULTILINE,
)
_ADDRESS = re.compile(
    r"https://[^\s\"'<>]{1,200}/(?:pull|issues|merge_requests|releases/tag)/[\w.-]+"
)
_BACK = re.compile(r"(?:HEAD|@)(?P<mark>~|\^{1,9})(?P<many>\d{1,3})?")
_OF_BRANCH = re.compile(rf"{COMMIT} [0-9a-f]{{7,9}} on (?P<branch>.+?): ")
_NOTHING_DONE = ("Everything up-to-date", "Already up to date", "nothing to commit")
_LISTS = frozenset(("-l", "--list", "-n", "--show-current", "--dry-run", "--help"))
"""Flags by which a command only looks."""
_DELETES = ("-d", "-D", "--hard")
_LONG = 160
"""Characters of a command that is told as it was."""


def done_by(call: Block, result: str, shell: ShellLine) -> Iterator[str]:
    """What a call that went well has done for good."""
    tool = TOOLS.search(call.tool)
    if tool:
        asked = line(f"{call.tool} {call.text}", _LONG)
        yield f"{asked}: {quoted_line(line(result, _LONG))}"
    subjects = iter(_COMMITTED.finditer(result))
    for words in shell.commands:
        kind = _kind(words)
        if kind == COMMIT:
            yield from _commit(next(subjects, None), words, shell, result)
        elif kind and not _is_idle(result, shell):
            yield _told(kind, words, result)


def amended_by(done: str, shell: ShellLine, before: Iterable[str]) -> str:
    """The commit that this one has taken the place of; empty where it is no such commit."""
    is_amended = any("--amend" in words for words in shell.commands)
    commit = _OF_BRANCH.match(done)
    if not is_amended or not commit:
        return ""
    last = ""
    for earlier in before:
        known = _OF_BRANCH.match(earlier)
        if known and known["branch"] == commit["branch"]:
            last = earlier
    return last


def commits_taken_back(shell: ShellLine) -> int:
    """How many of the newest a line has taken back: `git reset --soft HEAD~2`."""
    back = 0
    for words in shell.commands:
        if without_flags(words)[:2] != ["git", "reset"]:
            continue
        for word in words:
            target = _BACK.fullmatch(word)
            if target and target["many"]:
                back += int(target["many"])
            elif target:
                back += len(target["mark"])
    return back


def _kind(words: Sequence[str]) -> str:
    """What a command does; empty for any other."""
    if not _LISTS.isdisjoint(words):
        return ""
    plain = without_flags(words)
    if plain[:1] == ["python"] or plain[:1] == ["python3"]:
        plain = plain[1:]
    for many in (3, 2, 1):
        name = " ".join(plain[:many])
        is_list_of_tags = plain == ["git", "tag"]
        if name in COMMANDS and not is_list_of_tags:
            return COMMANDS[name]

    # What deletes is told by a flag.
    deleting = [word for word in words if word in _DELETES]
    name = " ".join([*plain[:2], *deleting[:1]])
    return COMMANDS.get(name, "")


def _is_idle(result: str, shell: ShellLine) -> bool:
    """Whether the only command says that there was nothing to do."""
    return len(shell.commands) == 1 and any(words in result for words in _NOTHING_DONE)


def _commit(
    match: re.Match[str] | None,
    words: Sequence[str],
    shell: ShellLine,
    result: str,
) -> Iterator[str]:
    if match:
        yield f"{COMMIT} {match['hash'][:9]} on {match['branch']}: {match['subject'].strip()}"
        return
    if any(text in result for text in _NOTHING_DONE):
        return
    subject = value_of("--message", "m", words)
    if not subject or subject.startswith("$("):
        subject = shell.document
    first_line, _, _ = subject.strip().partition("\n")
    yield f"{COMMIT}: {first_line}".removesuffix(": ")


def _told(kind: str, words: Sequence[str], result: str) -> str:
    """With what became of it: the address of a request, the branches of a push."""
    command = line(" ".join(words), _LONG)
    if kind == PUSH:
        refs = [" ".join(match["refs"].split()) for match in _PUSHED.finditer(result)]
        what = ", ".join(refs) or command
        return f"{PUSH}: {what}"
    address = _ADDRESS.search(result)
    if not address:
        return f"{kind}: {command}"
    title = value_of("--title", "t", words)
    return f"{kind}: {address[0]} {title}".rstrip()
