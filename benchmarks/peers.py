"""Tools that print a folder for an agent, and how each is told to print `.director/`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from benchmarks.install import (
    NODE,
    PEERS,
    Missing,
    install_python_peer,
    install_repomix,
    python_version_of,
    repomix_version,
)

if TYPE_CHECKING:
    from collections.abc import Callable

SLOW = 4
"""A slow peer runs in every fourth round: it needs fewer rounds to be told from a fast one."""


class Peer(NamedTuple):
    name: str
    command: tuple[str, ...]
    install: Callable[[], None]
    version: Callable[[], str]
    every: int = 1
    times: float = 1.0
    """How many times faster dctx is meant to be."""

    @property
    def shown(self) -> str:
        return f"{self.name} {self.version()}"


def _in_python(name: str, *arguments: str, every: int = 1, times: float = 1.0) -> Peer:
    command = (str(PEERS / "bin" / name), *arguments)
    return Peer(
        name,
        command,
        lambda: install_python_peer(name),
        lambda: python_version_of(name),
        every,
        times,
    )


REPOMIX_BIN = str(NODE / "node_modules" / ".bin" / "repomix")
KNOWN = (
    _in_python("files-to-prompt", ".director", "--cxml"),
    _in_python("gitingest", ".director", "-o", "-", every=SLOW, times=5),
    Peer(
        "repomix", (REPOMIX_BIN, ".director", "--stdout"), install_repomix, repomix_version, SLOW, 5
    ),
)


def find_peers(say: Callable[[str], None]) -> list[Peer]:
    """The peers that are there or can be installed; says which are not, and why."""
    found = []
    for peer in KNOWN:
        try:
            peer.install()
            found.append(peer)
        except Missing as error:
            say(f"{peer.name} is skipped: {error}")
    return found
