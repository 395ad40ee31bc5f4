"""Changes of settings files, as git shows them."""

from __future__ import annotations

import os

from director_ctx.doors.cli.shared.asking import patch_lines
from director_ctx.doors.cli.shared.table import put_lines
from director_ctx.upkeep.settings_file import PATH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.clients.hooks.install import SettingsChange
    from director_ctx.upkeep.settings_file import ConfigChange


def put_patches(settings: Sequence[SettingsChange], config: ConfigChange | None = None) -> None:
    for change in settings:
        _put(change.name, change.before, change.after)
    if config:
        _put(PATH, config.before, config.after)


def _put(name: str, before: str | None, after: str | None) -> None:
    was = name
    if before is None:
        was = os.devnull
    now = name
    if after is None:
        now = os.devnull
    put_lines(list(patch_lines(before, after, was, now)), tabs=True)
