"""Which key seals what is stored here, and which keys open it."""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.memory.variables import key_files
from director_ctx.memory.variables.entries import changes, variables
from director_ctx.memory.variables.sealing import (
    MissingKey,
    fingerprint,
    is_key,
    needed_keys,
    new_key,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from director_ctx.memory.store.open import Where
    from director_ctx.memory.store.store import Store


class Need(Record):
    """What was sealed with one key."""

    fingerprint: str
    variables: int
    changes: int
    """Those of the history, which keeps every earlier value."""
    here: bool


class KeyState(Record):
    """What `dctx store key` tells."""

    fingerprint: str | None
    """Of the key that seals; None where nothing was sealed yet."""
    place: str
    """The file, or the variable that gave the key."""
    needed: tuple[Need, ...]


def sealing_key(store: Store, root: str | None) -> str:
    """The key for new secrets: the environment's, the workflow's, the one its values have, or else
    a new one.

    Where the values here need a key that is somewhere else, there is no new one, which only this
    machine would have.
    """
    given, named = key_files.given()
    if given:
        return _checked(given, named)[0]
    if own := _usable(key_files.of_workflow(store.workflow, root)):
        return own[0]
    needed = sorted(set().union(*(needed_keys(row.sealed) for row in variables(store))))
    here = find_key(root)
    used = next(filter(None, map(here, needed)), None)
    if needed and used is None:
        raise MissingKey(needed[0])
    return key_files.put_first(
        store.workflow, root, lambda known: next(iter(_usable(known)), used or new_key())
    )


def find_key(root: str | None) -> Callable[[str], str | None]:
    """Finds a key by its fingerprint, wherever it came from. They are read when the first is looked
    for.
    """
    known: dict[str, str] = {}

    def find(mark: str) -> str | None:
        if not known:
            given, named = key_files.given()
            found = [*key_files.all_known(root), *(_checked(given, named) if given else ())]
            known.update({fingerprint(key): key for key in _usable(found)})
        return known.get(mark)

    return find


def key_state(store: Store, root: str | None) -> KeyState:
    given, named = key_files.given()
    own = _checked(given, named) if given else _usable(key_files.of_workflow(store.workflow, root))
    place = named or (key_files.place(store.workflow) if store.workflow else "")
    return KeyState(fingerprint(own[0]) if own else None, place, _needs(store, root))


def _needs(store: Store, root: str | None) -> tuple[Need, ...]:
    now = _counted(row.sealed for row in variables(store))
    ever = _counted(one.sealed or "" for one in changes(store))
    find = find_key(root)
    return tuple(
        Need(mark, now.get(mark, 0), ever.get(mark, 0), bool(find(mark)))
        for mark in sorted({*now, *ever})
    )


def _counted(stored: Iterable[str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for text in stored:
        for mark in needed_keys(text):
            counts[mark] = counts.get(mark, 0) + 1
    return counts


def exported_key(store: Store, root: str | None) -> str:
    """The key that seals here; the first is made for it, so that a team can share it before there
    are secrets.
    """
    return sealing_key(store, root)


def take_key(store: Store, root: str | None, text: str) -> str:
    """Makes a teammate's key the one that seals here, and keeps the others. Its fingerprint."""
    found = text.split()
    if len(found) != 1 or not is_key(found[0]):
        raise DctxError(
            "That is not a key.", "It is the one line that `dctx store key --export` prints."
        )
    key_files.put_first(store.workflow, root, lambda _: found[0])
    return fingerprint(found[0])


def _usable(found: Iterable[str]) -> list[str]:
    return [key for key in found if is_key(key)]


def _checked(given: list[str], named: str) -> list[str]:
    if not given or not all(map(is_key, given)):
        raise DctxError(
            f"{named} holds no key.", "It is the one line that `dctx store key --export` prints."
        )
    return given


def project_root(project: Where) -> str | None:
    return project.root if project else None
