"""A part of what dctx puts into clients, and what is found of it."""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.clients.servers.places import PLACES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from director_ctx.clients.file_change import Ahead, FileChange

    Changes = tuple[FileChange, ...]
    Remark = tuple[str, str]
    """A sentence, and a hint."""

HOOKS, SERVER, AGENTS, SKILLS, RULES = "hooks", "mcp", "agents", "skills", "rules"
"""As `--what` names them."""
USER, PROJECT = "user", "project"
TITLES = {HOOKS: "Hooks", SERVER: "Tools", AGENTS: "Agents", SKILLS: "Skills", RULES: "Rules"}


class Wish(Record):
    """How something is to be installed."""

    prompts: bool = False
    """Whether hooks also wait for each prompt."""
    areas: str | None = None
    """What agents may change by the server; None leaves that as it is."""


class Installed(Record):
    """Something of dctx in one file or folder of clients."""

    part: str
    clients: tuple[str, ...]
    """Those that read it."""
    scope: str
    path: str
    """As it is shown."""
    names: tuple[str, ...] = ()
    """Events, skills or agents."""
    command: tuple[str, ...] = ()
    """What is called."""
    writes: str = ""
    """What agents may change by a server."""
    works: bool = True
    """Whether what is called is there."""
    current: bool = True
    """Whether it is what this version would write, or as good."""
    changed: tuple[str, ...] = ()
    """Files that somebody else wrote or changed: they stay."""
    foreign: bool = False
    """Whether it is a server of somebody else's."""
    plugin: bool = False
    """Whether the plugin brings it."""
    problem: str = ""
    """Why the file cannot be read."""

    @property
    def title(self) -> str:
        return TITLES[self.part]

    @property
    def says(self) -> str:
        """What is there, in words."""
        calls = f"calls {' '.join(self.command)}" if self.command else ""
        if self.plugin:
            return "brought by the plugin dctx, which is switched on here"
        if self.foreign:
            return f"{calls}, which is not dctx: somebody else's, left as it is"
        if calls and not self.works:
            calls += ", which is not there"
        return "; ".join(filter(None, (", ".join(self.names), calls)))

    @property
    def needs_update(self) -> bool:
        return self.is_dctx and not (self.works and self.current)

    @property
    def is_dctx(self) -> bool:
        return not (self.foreign or self.problem)

    @property
    def is_sound(self) -> bool:
        """Whether nothing is to be mended."""
        return self.is_dctx and self.works and self.current and not self.changed

    @property
    def titles(self) -> str:
        return ", ".join(PLACES[name].title for name in self.clients)

    @property
    def where(self) -> str:
        return "this project" if self.scope == PROJECT else "every project"

    @property
    def update(self) -> str:
        """The command that brings it up to date."""
        command = to_install(self.part, self.clients[0])
        return f"{command} --user" if self.scope == USER else command


def to_install(part: str, client: str) -> str:
    command = f"dctx setup --what {part}"
    return command if client == "claude" else f"{command} --client {client}"


class Part(Record):
    """How one part is found, put into a client, and taken out. A root of None means the user's own files."""

    name: str
    what: str
    """What a person calls it."""
    clients: tuple[str, ...]
    """Those that can have it."""
    find: Callable[[str | None], Iterable[Installed]]
    """All that there is, for the user and in a project."""
    put: Callable[[str, str | None, Wish, Ahead], Changes]
    """The changes that bring it in or up to date; none where it is there already."""
    take: Callable[[str, str | None, Ahead], Changes]
    """Those that take it out again; what somebody else wrote or changed stays."""
    files: Callable[[str, str | None], Collection[str]]
    """Where a client looks for it."""
    remarks: Callable[[str, str | None, Changes], Iterable[Remark]] = lambda *_: ()
    """What a person should know once it is written."""
    for_user: bool = True
    """Whether it can be there for every project."""


def scopes(root: str | None) -> tuple[tuple[str, str | None], ...]:
    """The user's, then the project's."""
    return ((USER, None), (PROJECT, root)) if root else ((USER, None),)


def each_once(every: Iterable[Installed]) -> Iterator[Installed]:
    """Several clients may read one file."""
    by_file: dict[tuple[str, str], Installed] = {}
    for installed in every:
        known = by_file.get((installed.scope, installed.path))
        clients = (*known.clients, *installed.clients) if known else installed.clients
        by_file[installed.scope, installed.path] = installed.replace(clients=clients)
    yield from by_file.values()


def guarded(
    installed: Installed, look: Callable[[Installed], Installed | None]
) -> Iterator[Installed]:
    """What is found, or why it cannot be read."""
    try:
        found = look(installed)
    except DctxError as error:
        found = installed.replace(problem=error.message)
    if found:
        yield found


def names_machine(names: Sequence[str]) -> Iterator[Remark]:
    for name in names:
        yield (
            f"{name} names the path of dctx on this machine.",
            "Keep it out of git: add it to .git/info/exclude."
            " With dctx on everyone's PATH (pipx, uv tool) it can be shared.",
        )
