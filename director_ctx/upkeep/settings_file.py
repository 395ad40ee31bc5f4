"""The project's `dctx.yaml`, changed one value at a time: what somebody wrote around it stays."""

from __future__ import annotations

import json
import os
from shlex import quote

from director_ctx.base.errors import DctxError, UsageProblem
from director_ctx.base.record import Record
from director_ctx.base.resources import read_shipped
from director_ctx.base.system.write import create_whole, write_whole
from director_ctx.base.system.yaml_edit import value_at, with_value, without_value
from director_ctx.base.system.yaml_file import parse_yaml
from director_ctx.context.settings.config import FILE, KEYS, SCHEMA_NAME, parse_config
from director_ctx.context.settings.config_check import unknown
from director_ctx.context.settings.effective import TABLES
from director_ctx.context.settings.options import unknown_model
from director_ctx.project.dctx_folder import write_kept
from director_ctx.project.reading.locate import inside
from director_ctx.project.reading.model import FOLDER
from director_ctx.project.reading.read import LARGEST_FILE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

PATH = f"{FOLDER}/{FILE}"
SCHEMA_LINE = f"# yaml-language-server: $schema=.dctx/{SCHEMA_NAME}\n"
"""For editors: the schema lies beside the file, so nothing is fetched."""


class ConfigChange(Record):
    """The file before and after; None where there is none."""

    before: str | None
    after: str | None


def key_path(key: str) -> tuple[str, ...]:
    """`hooks.agents.general-purpose` as its keys. A name in the middle may have dots of its own."""
    first, dot, rest = key.strip().partition(".")
    names = [key.name for key in KEYS]
    if first not in names:
        said = f"The setting {first!r} is {unknown(first, names)}"
        raise UsageProblem(said, "`dctx config show` lists them all.")
    if not dot:
        return (first,)

    second, dot, name = rest.partition(".")
    keys: tuple[str, ...] = (first, rest)
    # A table has rows: a name, and behind the last dot the field of the row.
    if first == "hooks" and second == "agents" and dot:
        keys = (first, second, name)
    elif first in TABLES and dot:
        name, _, field = rest.rpartition(".")
        keys = (first, name, field)
    if not all(keys):
        raise UsageProblem(f"{key!r} is no key.", "A key is like budget, or hooks.session.")
    return keys


def value_of(text: str) -> object:
    """A value as a person types it: a number, yes or no, a list in brackets, or just text."""
    try:
        value = parse_yaml(text, "the value")
    except DctxError:
        return text
    try:
        # What the file could not be given back: a date, or a number that is none.
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        return text
    if value is None:
        return text
    return value


def read_config_text(root: str) -> str | None:
    """The file as it is, each character kept; None where there is none."""
    location = _location(root)
    try:
        # Whoever opens a pipe waits for its other end.
        if os.path.exists(location) and not os.path.isfile(location):
            raise ValueError("it is not a regular file")
        with open(location, "rb") as file:
            return file.read(LARGEST_FILE + 1).decode("utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError:
        why = "it is not UTF-8"
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
    raise DctxError(f"{PATH} cannot be read: {why}.", "Mend the file, or move it away.")


def _location(root: str) -> str:
    """Refused where a link would have something else read and written."""
    location = os.path.join(root, FOLDER, FILE)
    leads_nowhere = os.path.islink(location) and not os.path.exists(location)
    if leads_nowhere:
        raise DctxError(f"{PATH} is a link that leads nowhere.", "Remove the link first.")
    project = os.path.realpath(root)
    if not inside(os.path.realpath(location), project):
        raise DctxError(f"{PATH} is a link that leaves the project.", "Remove the link first.")
    return location


def mistakes_in(text: str) -> tuple[str, ...]:
    """All that is wrong with it, a sentence each; nothing where all is well."""
    try:
        parse_config(parse_yaml(text, PATH))
    except DctxError as error:
        return error.each or (error.message,)
    return ()


def warning_about(text: str) -> tuple[str, str]:
    """What is no mistake and still may not be meant, with a hint; both empty where there is nothing."""
    try:
        settings = parse_config(parse_yaml(text, PATH))
    except DctxError:
        return "", ""
    warning = unknown_model(settings)
    if not warning:
        return "", ""
    row = f"models.{settings.model}.window"
    return warning, f"Its window can be said under `models:`: dctx config set {quote(row)} 128000"


def plan_value(root: str, keys: Sequence[str], value: object) -> ConfigChange:
    """The file with another value. Refuses what a check of the file would refuse."""
    before = read_config_text(root)
    text = SCHEMA_LINE if before is None else before

    there = value_at(text, PATH, keys)
    # To Python, `1` and `true` are equal.
    if type(there) is type(value) and there == value:
        return ConfigChange(before, before)
    after = with_value(text, PATH, keys, value)
    _refuse_new_mistakes(text, after)
    return ConfigChange(before, after)


def plan_removal(root: str, keys: Sequence[str]) -> ConfigChange:
    """The file without a key, so that what is shipped counts again."""
    before = read_config_text(root)
    if before is None:
        return ConfigChange(None, None)
    after = without_value(before, PATH, keys)
    _refuse_new_mistakes(before, after)
    return ConfigChange(before, after)


def _refuse_new_mistakes(before: str, after: str) -> None:
    """What was wrong before may stay: a file is mended one value at a time."""
    known = mistakes_in(before)
    new = tuple(mistake for mistake in mistakes_in(after) if mistake not in known)
    if new:
        raise DctxError(
            "Nothing was changed, because that would be a mistake",
            "`dctx config show` lists every setting with its value.",
            new,
        )


def write_config(root: str, change: ConfigChange) -> None:
    """Puts the new text in place; refuses where the file is no longer what was read."""
    location = _location(root)
    if read_config_text(root) != change.before:
        raise DctxError(f"{PATH} was changed meanwhile.", "Look at it, and try again.")
    try:
        if change.after is None:
            os.unlink(location)
            return
        data = change.after.encode()
        if change.before is not None:
            write_whole(location, data)
        elif not create_whole(location, data):
            raise DctxError(f"{PATH} is there by now.", "Look at it, and try again.")
    except OSError as error:
        raise DctxError(
            f"Could not write {PATH}: {error.strerror or error}.", "Nothing was changed."
        ) from error
    if SCHEMA_LINE in change.after:
        keep_schema(root)


def keep_schema(root: str) -> bool:
    """Puts the schema of this version where the line for editors says it is."""
    data = read_shipped("templates", SCHEMA_NAME).encode()
    try:
        write_kept(root, SCHEMA_NAME, data)
    except OSError:
        # An editor without it still shows the file.
        return False
    return True
