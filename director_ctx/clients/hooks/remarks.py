"""What a person should know about hooks that have just been installed."""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.clients.entries import PROGRAM
from director_ctx.clients.json_text import NotJson
from director_ctx.clients.program import file_to_write, program, settings_files, shown_path
from director_ctx.clients.settings_file import read_settings
from director_ctx.clients.settings_text import own_entries
from director_ctx.project.git.changes import could_be_committed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.clients.entries import Entries
    from director_ctx.clients.table import Client

    Remark = tuple[str, str]
    """A sentence, and a hint."""


def remarks(
    client: Client,
    root: str | None,
    here: str | None,
) -> list[Remark]:
    """Those for a person in the project `here`."""
    every = (
        _trust(client, root),
        _machine(client, root),
        _twice(client, root, here),
    )
    return [remark for remark in every if remark]


def _trust(client: Client, root: str | None) -> Remark | None:
    if client.review:
        said = f"{client.title} runs no hook before you have looked at it."
        return said, f"Start {client.program} and say {client.review} once."
    if client.name == "gemini" and root:
        return (
            "Gemini CLI warns of a project's new hooks once, and runs them in trusted folders only; "
            "about new agents it asks.",
            "",
        )
    return None


def _machine(client: Client, root: str | None) -> Remark | None:
    if root is None or program() == (PROGRAM,):
        return None
    if not client.local_settings:
        return names_machine(client.settings)

    start = "With"
    if could_be_committed(root, file_to_write(client, root, program())):
        start = "Keep it out of git: add it to .git/info/exclude. With"
    return (
        f"The hooks name the path of dctx on this machine, so they are in {client.local_settings}, which is yours.",
        f"{start} dctx on everyone's PATH (pipx, uv tool) they go into"
        f" {client.settings}, which a project shares.",
    )


def names_machine(name: str) -> Remark:
    """Of a file that is as good as a project's own."""
    return (
        f"{name} names the path of dctx on this machine.",
        "Keep it out of git: add it to .git/info/exclude."
        " With dctx on everyone's PATH (pipx, uv tool) it can be shared.",
    )


def _twice(
    client: Client,
    root: str | None,
    here: str | None,
) -> Remark | None:
    """Looked for in the other scope."""
    if not root and not here:
        return None
    own = settings_files(client, root)
    other = here
    if root:
        other = None
    for path in settings_files(client, other):
        if path not in own and _ours_in(client, path):
            said = f"Hooks are also in {shown_path(path, other)}, so they run twice here; one of the two is enough."
            return said, f"dctx agents remove --client {client.name} --project"
    return None


def _ours_in(client: Client, path: str) -> Entries:
    """Nothing of a file that cannot be read: that is said where it is written."""
    try:
        text = read_settings(path) or ""
        return own_entries(text, client)
    except (DctxError, NotJson):
        return {}
