"""`dctx store key`: which key seals secrets here, and how it gets to a teammate."""

from __future__ import annotations

from director_ctx.base.errors import OK, DctxError, UsageProblem
from director_ctx.base.record import as_dict
from director_ctx.doors.cli.shared.output import is_on_screen, json_text, put, put_json
from director_ctx.doors.cli.shared.private_file import put_private
from director_ctx.doors.cli.shared.speak import say
from director_ctx.doors.cli.shared.table import put_unstyled
from director_ctx.doors.cli.shared.text_input import read_named
from director_ctx.memory.store.open import open_store, project_here
from director_ctx.memory.variables.sealing import fingerprint
from director_ctx.memory.variables.sealing_keys import (
    exported_key,
    key_state,
    project_root,
    take_key,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from director_ctx.memory.variables.sealing_keys import KeyState


def run(values: dict[str, Any]) -> int:
    if values["export"] and values["take"]:
        raise UsageProblem(
            "--export and --import cannot be used together.", "Choose one of the two."
        )
    if values["output"] is not None and not values["export"]:
        raise UsageProblem(
            "--output is only for --export.", "Say `dctx store key --export -o team.key`."
        )
    if values["export"]:
        return _export(values)
    if values["take"]:
        return _take(values)
    project = project_here(values["root"])
    with open_store(project) as store:
        state = key_state(store, project_root(project))
    if values["json"]:
        put_json(_json(state))
    else:
        put_unstyled(_lines(state))
    return OK


def _export(values: dict[str, Any]) -> int:
    """On a terminal it would stay on the screen, and in what the terminal keeps of it."""
    path = values["output"]
    if path is None and is_on_screen():
        raise DctxError(
            "A key is not shown on a terminal.",
            "`dctx store key --export -o team.key` writes it to a file.",
        )

    project = project_here(values["root"])
    with open_store(project, write=True) as store:
        key = exported_key(store, project_root(project))
    mark = fingerprint(key)
    text = f"{key}\n"
    if values["json"]:
        text = json_text({"fingerprint": mark, "key": key})

    if path is None:
        put(text)
    else:
        put_private(path, lambda file: file.write(text.encode()))
        say(f"Wrote the key {mark} to {path}, which only you can read.")
    return OK


def _take(values: dict[str, Any]) -> int:
    text = read_named(values["take"], "--import")
    project = project_here(values["root"])
    with open_store(project, write=True) as store:
        mark = take_key(store, project_root(project), text)
    if values["json"]:
        put_json({"fingerprint": mark})
    else:
        put(f"Secrets are sealed with the key {mark} from now on; earlier keys are kept.\n")
    return OK


def _json(state: KeyState) -> dict[str, Any]:
    return {
        "fingerprint": state.fingerprint,
        "place": state.place or None,
        "needed": [as_dict(key) for key in state.needed],
    }


def _lines(state: KeyState) -> Iterator[str]:
    if state.fingerprint:
        yield f"Key {state.fingerprint} seals secrets here ({state.place})."
    else:
        yield _no_key(state)
    for key in state.needed:
        where = "not on this machine"
        if key.here:
            where = "here"
        need = f"{_count(key.variables, 'variable')} and {_count(key.changes, 'change')}"
        yield f"  {key.fingerprint} is {where}: {need} need it."


def _no_key(state: KeyState) -> str:
    """What the next secret will do, as `sealing_key` decides it."""
    # A key that only earlier values need decides nothing: a new secret may have another.
    needed = [key for key in state.needed if key.variables]
    for key in needed:
        if key.here:
            return (
                f"No key is chosen for this store yet; the first secret will use {key.fingerprint}."
            )
    if needed:
        return (
            "The key of this store is not on this machine; "
            "`dctx store key --import FILE` takes it from a teammate's file."
        )
    return "There is no key here yet; the first secret makes a key."


def _count(number: int, word: str) -> str:
    if number == 1:
        return f"1 {word}"
    return f"{number:,} {word}s"
