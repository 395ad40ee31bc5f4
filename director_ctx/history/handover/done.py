"""What a call did: its line for a shell, the files that it changed, and what cannot be taken back
quietly: commits, pushes, pull requests, releases, migrations.
"""

from __future__ import annotations

import re

from director_ctx.base.one_line import line
from director_ctx.base.record import Record
from director_ctx.history.handover.handover import DELETED, NEW, ChangedFile, is_whole
from director_ctx.history.messages.quoted import quoted_line
from director_ctx.history.signals.attempts import COMMANDS as COMMAND_KEYS
from director_ctx.history.signals.attempts import commands_in, unwrapped
from director_ctx.history.signals.files import command_of, object_in, touches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from director_ctx.history.messages.message import Block


_FOLDERS = ("workdir", "cwd", "working_directory")
_MAY_BE_SHELL = tuple(f'"{name}"' for name in COMMAND_KEYS)
_DOCUMENT = re.compile(
    r"<<-?[ \t]*(['\"]?)(\w+)\1[^\n]*\n(?P<text>.*?)(?:\n[ \t]*\2\b|\Z)", re.DOTALL
)
"""A text for a command, between `<<EOF` and `EOF`; without an end it is all that follows."""
_WITH_VALUE = ("-C", "-R", "--repo", "--git-dir", "--work-tree", "-c")
"""Flags before the name of what a program is to do, with a word of their own."""


class ShellLine(Record):
    """One line for a shell."""

    text: str
    commands: tuple[tuple[str, ...], ...]
    """The words of each command, from its program on."""
    document: str = ""
    """The first text that it gives to a command."""
    folder: str = ""
    """Where it runs, as far as it says so."""


def shell_line(call: Block, folder: str = "") -> ShellLine:
    """The line of a call in this folder, where it names no other; an empty one where it is for no
    shell.
    """
    arguments: dict[str, Any] = {}
    if any(name in call.text for name in _MAY_BE_SHELL):
        arguments = object_in(call.text)
    if not arguments:
        return ShellLine("", ())
    text = command_of(arguments)
    for name in _FOLDERS:
        if isinstance(arguments.get(name), str):
            folder = below(folder, arguments[name])
            break
    match = _DOCUMENT.search(text)
    document = match["text"] if match else ""
    commands: list[tuple[str, ...]] = []
    for words in commands_in(_DOCUMENT.sub("", text)):
        own = unwrapped(words)
        if own and own[0] == "cd" and len(own) > 1:
            folder = below(folder, own[1].strip("'\""))
        elif own:
            commands.append(tuple(own))
    return ShellLine(text, tuple(commands), document, folder)


def below(folder: str, path: str) -> str:
    """A path with the folder that it is told from, where there is one and it is not whole."""
    name = path.removeprefix("./")
    if not folder or is_whole(name) or name.startswith(folder):
        return name
    return f"{folder.rstrip('/')}/{name}"


def without_flags(words: Sequence[str]) -> list[str]:
    """The program, what it is to do, and what with."""
    plain: list[str] = []
    is_value = False
    for word in words:
        if is_value:
            is_value = False
        elif word in _WITH_VALUE and len(plain) < 2:
            is_value = True
        elif not word.startswith("-"):
            plain.append(word)
    return plain


def value_of(flag: str, letter: str, words: Sequence[str]) -> str:
    """The word behind a flag or its letter, which may be the last of several, without quotes."""
    for place, word in enumerate(words):
        name, equals, value = word.partition("=")
        if name == flag and equals:
            return value.strip("'\"")

        is_letters = word.startswith("-") and word[1:].isalpha()
        has_letter = is_letters and word.endswith(letter)
        following = words[place + 1 : place + 2]
        if following and (word == flag or has_letter):
            return following[0].strip("'\"")
    return ""


SCRATCH = ("/dev/", "/tmp/", "/private/tmp/", "/var/folders/")
"""What a shell writes there is nobody's file."""
_PATCH = "*** Begin Patch"
_PATCHED = re.compile(r"^\*\*\* (?:(Add|Update|Delete) File|(Move) to): (.+)$", re.MULTILINE)
_STATES = {"Add": NEW, "Update": "", "Delete": DELETED, "Move": NEW}
_CREATES = re.compile(r'create|"command":\s*"create"', re.IGNORECASE)
_CREATED = re.compile(r"\bcreated\b", re.IGNORECASE)
_HEAD = 200
"""Characters of an answer in which it says that a file is new."""
_WHERE = " in "


def changes_of(call: Block, result: str, line: ShellLine) -> Iterator[ChangedFile]:
    """The files of a call that went well, with what it answered and its line for a shell."""
    if _PATCH in call.text:
        yield from _patched(call.text, line.folder)
        return
    for path, span in touches(call):
        if span is not None:
            continue
        if line.text:
            whole = _whole(path, line.folder)
            if not whole.startswith(SCRATCH):
                yield ChangedFile(whole, 1)
            continue
        creates = _CREATES.search(call.tool) or _CREATES.search(call.text[:_HEAD])
        is_new = creates or _CREATED.search(result[:_HEAD])
        yield ChangedFile(path, state=NEW) if is_new else ChangedFile(path, 1)
    yield from _moved_or_removed(line)


def _patched(text: str, folder: str) -> Iterator[ChangedFile]:
    # Within JSON its lines are ended by letters.
    patch = text if "\n" in text else text.replace("\\n", "\n")
    changed = ""
    for word, moved, name in _PATCHED.findall(patch):
        path = _whole(name.rstrip(' \t\r"}'), folder)
        state = _STATES[word or moved]
        if moved and changed:
            # It is not where it was.
            yield ChangedFile(changed, state=DELETED)
        changed = path
        yield ChangedFile(path, int(not state), state)


def _whole(path: str, folder: str) -> str:
    """With the folder that a shell was in."""
    return below(folder, path.partition(_WHERE)[0])


def _moved_or_removed(line: ShellLine) -> Iterator[ChangedFile]:
    for words in line.commands:
        program, *names = without_flags(words) or ("",)
        if program == "git" and names:
            program, *names = names
        if program not in ("rm", "mv"):
            continue
        # What only the shell knows is no path.
        plain = [name.strip("'\"") for name in names if "$" not in name and ">" not in name]
        paths = [_whole(name, line.folder) for name in plain if name]
        paths = [path for path in paths if not path.startswith(SCRATCH)]
        if program == "rm":
            for path in paths:
                yield ChangedFile(path, state=DELETED)
        elif len(paths) == 2:
            yield ChangedFile(paths[0], state=DELETED)
            yield ChangedFile(paths[1], state=NEW)


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
        if not kind:
            continue
        did_nothing = any(text in result for text in _NOTHING_DONE)
        if kind == COMMIT:
            subject = next(subjects, None)
            if subject or not did_nothing:
                yield _commit(subject, words, shell)
        elif not (did_nothing and len(shell.commands) == 1):
            yield _told(kind, words, result)


def amended_by(done: str, shell: ShellLine, before: Iterable[str]) -> str:
    """The commit that this one has taken the place of; empty where it is no such commit."""
    is_amended = any("--amend" in words for words in shell.commands)
    commit = _OF_BRANCH.match(done)
    last = ""
    for earlier in before if is_amended and commit else ():
        known = _OF_BRANCH.match(earlier)
        if known and commit and known["branch"] == commit["branch"]:
            last = earlier
    return last


def commits_taken_back(shell: ShellLine) -> int:
    """How many of the newest a line has taken back: `git reset --soft HEAD~2`."""
    back = 0
    for words in shell.commands:
        if without_flags(words)[:2] != ["git", "reset"]:
            continue
        for target in filter(None, map(_BACK.fullmatch, words)):
            back += int(target["many"] or len(target["mark"]))
    return back


def _kind(words: Sequence[str]) -> str:
    """What a command does; empty for any other."""
    if not _LISTS.isdisjoint(words):
        return ""
    plain = without_flags(words)
    if plain[:1] in (["python"], ["python3"]):
        plain = plain[1:]
    names = [plain[:3], plain[:2], plain[:1]] if plain != ["git", "tag"] else []
    # What deletes is told by a flag.
    deleting = [word for word in words if word in _DELETES]
    names.append([*plain[:2], *deleting[:1]])
    known = (COMMANDS[name] for name in map(" ".join, names) if name in COMMANDS)
    return next(known, "")


def _commit(match: re.Match[str] | None, words: Sequence[str], shell: ShellLine) -> str:
    if match:
        return f"{COMMIT} {match['hash'][:9]} on {match['branch']}: {match['subject'].strip()}"
    subject = value_of("--message", "m", words)
    if not subject or subject.startswith("$("):
        subject = shell.document
    first_line, _, _ = subject.strip().partition("\n")
    return f"{COMMIT}: {first_line}".removesuffix(": ")


def _told(kind: str, words: Sequence[str], result: str) -> str:
    """With what became of it: the address of a request, the branches of a push."""
    command = line(" ".join(words), _LONG)
    if kind == PUSH:
        refs = [" ".join(match["refs"].split()) for match in _PUSHED.finditer(result)]
        return f"{PUSH}: {', '.join(refs) or command}"
    address = _ADDRESS.search(result)
    if not address:
        return f"{kind}: {command}"
    title = value_of("--title", "t", words)
    return f"{kind}: {address[0]} {title}".rstrip()
