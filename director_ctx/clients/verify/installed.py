"""Before anything is run: what is installed here for a client, and can it work?"""

from __future__ import annotations

from director_ctx.clients.hooks.in_place import hooks_in_place, is_safe
from director_ctx.clients.hooks.installed import TWICE, installations, runs_twice
from director_ctx.clients.hooks.switches import switched_off
from director_ctx.clients.table import SPAWN, START
from director_ctx.clients.verify.proof import FAILED, NOTHING, PROVEN, Proof

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from director_ctx.clients.hooks.installed import Installation
    from director_ctx.clients.table import Client

NAME = "installation"
OFF = "DCTX_HOOKS=off: hooks answer with nothing."


def prove_installed(client: Client, root: str, off: bool) -> Proof:
    """What stands in the settings; nothing is run."""
    own = [one for one in installations(root) if one.client == client.name]
    faults = [*_faults(client, root, own), *([OFF] if off else [])]
    if faults:
        return Proof(client.name, NAME, FAILED, f"{client.title}, {NAME}: {faults[0]}", tuple(faults[1:]))
    said = "; ".join("the plugin dctx brings the hooks" if one.plugin else _where(one) for one in own)
    return Proof(client.name, NAME, PROVEN, f"{client.title}, {NAME}: {said}.", tuple(_remarks(client, own)))


def skipped(client: Client) -> Proof:
    said = f"{client.title} has no hooks of dctx here; skipped. `{to_install(client)}` installs them."
    return Proof(client.name, NAME, NOTHING, said)


def to_install(client: Client) -> str:
    return "dctx hooks install" + (f" --client {client.name}" if client.name != "claude" else "")


def _where(one: Installation) -> str:
    return f"{one.path} calls {' '.join(one.command)}"


def _faults(client: Client, root: str, own: list[Installation]) -> Iterator[str]:
    if not own:
        yield f"No hooks of dctx are installed for {client.title} here; `{to_install(client)}` does that."
    for one in own:
        if one.problem:
            yield f"{one.path}: {one.problem}"
        elif not one.works:
            yield f"{_where(one)}, which is not there; `{to_install(client)}` brings it up to date."
    if any(one.problem for one in own):
        return
    if own and not waits_for_agents(client, own):
        yield f"None of them waits for a spawned agent; `{to_install(client)}` brings them up to date."
    if not all(is_safe(client, placed, root) for placed in hooks_in_place(client, root)):
        yield f"They do not call this dctx as it writes it: looked at, not run; `{to_install(client)}` mends that."
    if said := switched_off(client, root):
        yield said


def waits_for_agents(client: Client, own: Sequence[Installation]) -> bool:
    """Whether one of them is asked when an agent is spawned or starts."""
    return any(one.plugin or {SPAWN, START} & {client.events.get(event) for event in one.events} for one in own)


def _remarks(client: Client, own: list[Installation]) -> Iterator[str]:
    if not all(one.current for one in own):
        yield f"They are not what this version would install; `{to_install(client)}` brings them up to date."
    if runs_twice(own):
        yield TWICE
