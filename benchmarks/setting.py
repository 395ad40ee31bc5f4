"""What a run measures in: the two projects, their floors, and the environment of every child."""

from __future__ import annotations

import os
import platform
import subprocess
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.generate import generate
from benchmarks.library import find_floor
from benchmarks.measure import clean_environment
from director_ctx.clients.demo.example import make_example

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from benchmarks.library import Floor
    from benchmarks.peers import Peer

SMALL, LARGE = "example", "generated"


class Setting(NamedTuple):
    place: Path
    roots: dict[str, Path]
    floors: dict[str, Floor]
    environment: dict[str, str]


def prepare(place: Path) -> Setting:
    """Makes both projects in an empty folder."""
    roots = {SMALL: place / SMALL, LARGE: place / LARGE}
    make_example(str(roots[SMALL]))
    generate(roots[LARGE])
    empty = place / "empty"
    empty.mkdir()
    floors = {name: find_floor(root) for name, root in roots.items()}
    return Setting(place, roots, floors, clean_environment(empty))


def headline(rounds: int, peers: Sequence[Peer]) -> str:
    """What these numbers hold for. A load above the measuring itself makes them worse."""
    git = subprocess.run(
        ["git", "--version"], check=True, capture_output=True, text=True
    ).stdout.split()[2]
    machine = (
        f"Python {platform.python_version()}, git {git}, {platform.system()}, {os.cpu_count()} CPUs"
    )
    busy = f"load {os.getloadavg()[0]:.1f}"
    return f"{machine}, {busy}; {rounds} rounds; {', '.join(peer.shown for peer in peers) or 'no peers'}"
