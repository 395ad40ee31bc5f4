"""YAML that was read before: its values by the hash of its text, because importing PyYAML costs
more than a start.

The name is the hash, so what is found belongs to this text and no other. It lies in the user's own
cache: a project cannot bring any.
"""

from __future__ import annotations

import os

from director_ctx.base.hashing import text_digest
from director_ctx.base.light_json import dump, parse
from director_ctx.base.system.user_folders import cache_place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MOST, LARGEST = 64, 1_000_000
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def parse_known(text: str, path: str) -> Any:
    """The value of a YAML text; as `parse_yaml` gives it, errors and all."""
    place = cache_place("yaml", f"{text_digest(text)}.json")
    try:
        return parse(_read(place))
    except (OSError, ValueError):
        pass
    from director_ctx.base.system.yaml_file import parse_yaml

    value = parse_yaml(text, path)
    _keep(place, value)
    return value


def _read(place: str) -> str:
    if not place:
        raise ValueError
    descriptor = os.open(place, _FLAGS)
    try:
        return os.read(descriptor, LARGEST).decode("ascii")
    finally:
        os.close(descriptor)


def _keep(place: str, value: Any) -> None:
    """Only what JSON can hold: dates and odd keys are read from YAML each time."""
    from director_ctx.base.system.write import write_whole

    try:
        written = dump(value)
        if not place or len(written) > LARGEST:
            return
        if parse(written) != value:
            return
        folder = os.path.dirname(place)
        os.makedirs(folder, 0o700, exist_ok=True)
        write_whole(place, written.encode("ascii"))
        _forget_oldest(folder)
    except (OSError, ValueError, RecursionError):
        pass


def _forget_oldest(folder: str) -> None:
    files: list[tuple[float, str]] = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_file(follow_symlinks=False):
                files.append((entry.stat().st_mtime, entry.path))
    files.sort()
    for _, path in files[:-MOST]:
        os.unlink(path)
