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
    from collections.abc import Iterable

    from director_ctx.memory.store.open import Where
    from director_ctx.memory.store.store import Store
    from director_ctx.memory.variables.sealing import FindKey


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
    from_outside, origin = key_files.keys_of_environment()
    if from_outside:
        checked = _checked(from_outside, origin)
        return checked[0]
    own_keys = key_files.of_workflow(store.workflow, root)
    own = _usable(own_keys)
    if own:
        return own[0]

    # The workflow may have had another id, whose file has the key.
    needed: set[str] = set()
    for variable in variables(store):
        marks = needed_keys(variable.sealed)
        needed |= marks
    used = _first_known(sorted(needed), root)
    # A key made in silence would leave each teammate with half of the secrets.
    if needed and used is None:
        raise MissingKey(min(needed))

    def choose(known: list[str]) -> str:
        # Another process may have put one there just now.
        usable = _usable(known)
        if usable:
            return usable[0]
        return used or new_key()

    return key_files.put_first(store.workflow, root, choose)


def _first_known(marks: list[str], root: str | None) -> str | None:
    """The first of these keys that is here."""
    find = find_key(root)
    for mark in marks:
        key = find(mark)
        if key:
            return key
    return None


def find_key(root: str | None) -> FindKey:
    """Finds a key by its fingerprint, wherever it came from. They are read when the first is looked
    for.
    """
    known: dict[str, str] = {}

    def find(mark: str) -> str | None:
        if not known:
            for key in _every_key(root):
                known[fingerprint(key)] = key
        return known.get(mark)

    return find


def _every_key(root: str | None) -> list[str]:
    """Those of the user's own folder, and the one that the environment gives."""
    keys = key_files.all_known(root)
    from_outside, origin = key_files.keys_of_environment()
    if from_outside:
        keys += _checked(from_outside, origin)
    return _usable(keys)


def key_state(store: Store, root: str | None) -> KeyState:
    from_outside, origin = key_files.keys_of_environment()
    if from_outside:
        keys = _checked(from_outside, origin)
    else:
        keys = _usable(key_files.of_workflow(store.workflow, root))

    place = origin
    if not place and store.workflow:
        place = key_files.place(store.workflow)
    mark = None
    if keys:
        mark = fingerprint(keys[0])
    return KeyState(mark, place, _needs(store, root))


def _needs(store: Store, root: str | None) -> tuple[Need, ...]:
    in_variables: dict[str, int] = {}
    for variable in variables(store):
        _count_keys(in_variables, variable.sealed)
    in_changes: dict[str, int] = {}
    for change in changes(store):
        _count_keys(in_changes, change.sealed or "")

    find = find_key(root)
    needs: list[Need] = []
    for mark in sorted({*in_variables, *in_changes}):
        need = Need(
            fingerprint=mark,
            variables=in_variables.get(mark, 0),
            changes=in_changes.get(mark, 0),
            here=bool(find(mark)),
        )
        needs.append(need)
    return tuple(needs)


def _count_keys(counts: dict[str, int], stored: str) -> None:
    for mark in needed_keys(stored):
        before = counts.get(mark, 0)
        counts[mark] = before + 1


def exported_key(store: Store, root: str | None) -> str:
    """The key that seals here; the first is made for it, so that a team can share it before there
    are secrets.
    """
    return sealing_key(store, root)


def take_key(store: Store, root: str | None, text: str) -> str:
    """Makes a teammate's key the one that seals here, and keeps the others. Its fingerprint."""
    words = text.split()
    is_one_key = len(words) == 1 and is_key(words[0])
    if not is_one_key:
        raise DctxError(
            "That is not a key.",
            "A key is the line that `dctx store key --export` prints.",
        )
    key = words[0]
    key_files.put_first(store.workflow, root, lambda _: key)
    return fingerprint(key)


def _usable(keys: Iterable[str]) -> list[str]:
    return [key for key in keys if is_key(key)]


def _checked(keys: list[str], origin: str) -> list[str]:
    are_keys = bool(keys) and all(map(is_key, keys))
    if not are_keys:
        raise DctxError(
            f"{origin} holds no key.",
            "A key is the line that `dctx store key --export` prints.",
        )
    return keys


def project_root(project: Where) -> str | None:
    return project.root if project else None
