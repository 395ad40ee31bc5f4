"""Changes of a client's files: shown first, then written byte for byte as they were shown.

What dctx puts into one file may come in parts, each with a receipt of its own. The receipt, and beside
it the file as it was, lie in the user's state folder: never in somebody's repository.
"""

from __future__ import annotations

import errno
import json
import os
import stat
from glob import escape, glob

from director_ctx.base.errors import DctxError
from director_ctx.base.hashing import digest
from director_ctx.base.record import Record
from director_ctx.base.system.user_folders import state_place
from director_ctx.base.system.write import create_whole, write_whole
from director_ctx.project.reading.locate import inside
from director_ctx.project.reading.lock import alone_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from contextlib import AbstractContextManager
    from typing import Any

    Ahead = Mapping[str, str | None]
    """Texts of files that earlier changes will have written by then."""

LARGEST = 4_000_000
BYTES_KEPT = "surrogateescape"
"""How a text that is no UTF-8 is read and written without losing a byte."""
_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
_RECEIPT = "receipt.json"
_DIGITS = 32
"""Of a path's hash: so many that nobody finds two paths with one receipt."""
SKILLS, OUR_FOLDER = "skills", "dctx"
"""The part whose files may have a folder each, and how its name begins: it goes with the file, whoever
made it.
"""
_NONSENSE = (OSError, ValueError, LookupError, TypeError, RecursionError)
"""What reading a receipt that somebody changed may raise."""


class FileChange(Record):
    """One file before and after; None where there is no file."""

    path: str
    name: str
    """As it is shown."""
    before: str | None
    after: str | None
    original: str | None
    """What it was, or would be, without us."""
    part: str
    """What of ours is in it."""


def read_settings(path: str, errors: str = "strict") -> str | None:
    """The text of a file, each byte kept; None where there is none."""
    try:
        # A regular file, whole; nothing here hangs on a pipe.
        descriptor = os.open(path, _FLAGS)
        # Asked of what was opened: the name could lead to something else a moment later.
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_size > LARGEST:
            os.close(descriptor)
            raise OSError(errno.EINVAL, "it is not a regular file, or too large")
        with open(descriptor, "rb") as file:
            return file.read(LARGEST).decode("utf-8", errors)
    except FileNotFoundError:
        return None
    except UnicodeDecodeError:
        why = "it is not UTF-8"
    except OSError as error:
        why = error.strerror or str(error)
    raise DctxError(
        f"{path} cannot be read: {why}.", "Mend that, and try again; nothing was changed."
    )


def text_by_then(path: str, ahead: Ahead, errors: str = "strict") -> str | None:
    return ahead[path] if path in ahead else read_settings(path, errors)


def refuse_links(root: str | None, changes: Iterable[FileChange]) -> None:
    """Of files in a project: a link that a repository brings would let it choose what is written over."""
    if root is None:
        return
    top = os.path.realpath(root)
    for change in changes:
        if not inside(os.path.realpath(change.path), top):
            raise DctxError(
                f"{change.name} leads out of the project.", "Remove the link, or use --user."
            )


def carry_out(changes: Iterable[FileChange]) -> None:
    """Writes what was shown; refuses where a file is no longer what it was then."""
    with only_writer():
        for change in changes:
            now = read_settings(change.path, BYTES_KEPT)
            if now == change.after:
                continue  # somebody else did the same meanwhile
            if now != change.before:
                raise DctxError(
                    f"{change.name} was changed meanwhile.", "Look at it, and try again."
                )
            try:
                if change.after is None or change.after == change.original:
                    _restore(change)
                else:
                    _write(change, change.after)
            except OSError as error:
                raise DctxError(
                    f"{change.path} could not be written: {error.strerror or error}.",
                    "Nothing was changed; mend that first.",
                ) from error


def only_writer() -> AbstractContextManager[None]:
    """One writer of settings at a time."""
    top = _top()
    try:
        os.makedirs(top, 0o700, exist_ok=True)
    except OSError as error:
        raise _no_state(top, error) from error
    return alone_in(top)


def _no_state(folder: str, error: OSError) -> DctxError:
    return DctxError(
        f"Nothing was written, because no copy of the settings could be kept in {folder}: "
        f"{error.strerror or error}.",
        "Set XDG_STATE_HOME to a folder that may be written.",
    )


def _write(change: FileChange, text: str) -> None:
    """The receipt first, so that a kill loses nothing."""
    data = text.encode("utf-8", BYTES_KEPT)
    real = os.path.realpath(change.path)
    folder = os.path.dirname(real)
    written = [digest(data)]
    old = read_receipt(change.path, change.part)
    if old:
        # A kill between the receipt and the file leaves the file as it was written the last time.
        written = [*old.written[-1:], *written]
    _keep(change, InstallReceipt(change.original, tuple(written), _made_by_us(folder)))

    os.makedirs(folder, exist_ok=True)
    if os.path.exists(change.path):
        write_whole(change.path, data)
        return
    if not create_whole(real, data):
        raise FileExistsError(f"{change.path} has just been made by somebody else")
    if folder == os.path.realpath(os.path.expanduser("~")):
        # What lies in the home itself is a client's memory, which it keeps to its user.
        os.chmod(real, 0o600)


def _restore(change: FileChange) -> None:
    """Writes what was there before; where nothing was, the file goes, and the folders that are ours
    and empty.
    """
    if change.after is None:
        real = os.path.realpath(change.path)
        os.unlink(real)
        folder = os.path.dirname(real)
        receipt = read_receipt(change.path, change.part)
        made_folders = receipt.made_folders if receipt else 0
        if change.part == SKILLS and os.path.basename(folder).startswith(OUR_FOLDER):
            made_folders = max(made_folders, 1)
        for _ in range(made_folders):
            try:
                os.rmdir(folder)
            except OSError:
                break  # somebody else put something there
            folder = os.path.dirname(folder)
    else:
        write_whole(change.path, change.after.encode("utf-8", BYTES_KEPT))

    kept = _kept(change.path, change.part)
    for path in (os.path.join(kept, _RECEIPT), os.path.join(kept, os.path.basename(change.path))):
        if os.path.lexists(path):
            os.unlink(path)
    if os.path.isdir(kept):
        os.rmdir(kept)


class InstallReceipt(Record):
    """What was there before our entries came in, and what we wrote."""

    before: str | None
    """None where there was no file."""
    written: tuple[str, ...]
    """Hashes of what we wrote; the last two, because a kill may come before the last."""
    made_folders: int
    """How many folders above the file were not there."""

    def is_untouched(self, text: str) -> bool:
        return digest(text.encode("utf-8", BYTES_KEPT)) in self.written


def read_receipt(path: str, part: str) -> InstallReceipt | None:
    """None where there is none, or none that makes sense."""
    folder = _kept(path, part)
    try:
        data = _receipt_in(folder)
        before = None
        if data["existed"]:
            with open(os.path.join(folder, os.path.basename(path)), "rb") as file:
                before = file.read(LARGEST).decode("utf-8", BYTES_KEPT)
        return InstallReceipt(before, tuple(map(str, data["written"])), int(data["made_folder"]))
    except _NONSENSE:
        return None


def _receipt_in(folder: str) -> dict[str, Any]:
    with open(os.path.join(folder, _RECEIPT), "rb") as file:
        data: dict[str, Any] = json.loads(file.read(LARGEST))
    return data


def _keep(change: FileChange, receipt: InstallReceipt) -> None:
    folder = _kept(change.path, change.part)
    data = {
        "path": os.path.realpath(change.path),
        "existed": receipt.before is not None,
        "written": receipt.written,
        "made_folder": receipt.made_folders,
    }
    try:
        os.makedirs(folder, 0o700, exist_ok=True)
        if receipt.before is not None:
            copy = os.path.join(folder, os.path.basename(change.path))
            write_whole(copy, receipt.before.encode("utf-8", BYTES_KEPT))
        write_whole(os.path.join(folder, _RECEIPT), json.dumps(data).encode())
    except OSError as error:
        raise _no_state(folder, error) from error


def _made_by_us(folder: str) -> int:
    """How many folders are made for a file, this one and those above it, now or for another file of
    ours: whichever goes last removes them.
    """
    ours: set[str] = set()
    for receipt in glob(os.path.join(escape(_top()), "*", _RECEIPT)):
        try:
            data = _receipt_in(os.path.dirname(receipt))
            made = data["path"]
            for _ in range(data["made_folder"]):
                made = os.path.dirname(made)
                ours.add(made)
        except _NONSENSE:
            continue

    count = 0
    while folder in ours or not os.path.isdir(folder):
        above = os.path.dirname(folder)
        # The top of a disk is its own parent.
        if above == folder:
            break
        count += 1
        folder = above
    return count


def _top() -> str:
    return state_place("settings")


def _kept(path: str, part: str) -> str:
    """The folder of what is kept for a part of a file."""
    name = digest(os.fsencode(os.path.realpath(path)))[:_DIGITS]
    return os.path.join(_top(), f"{name}-{part}")
