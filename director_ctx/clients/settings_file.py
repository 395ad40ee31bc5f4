"""A client's settings file: read and written byte for byte, with a receipt of what was there
before.

What dctx puts into one file may come in parts, each with a receipt of its own: hooks and servers.

The receipt, and beside it the file as it was, lie in the user's state folder: never in somebody's
repository.
"""

from __future__ import annotations

import errno
import json
import os
import stat
from glob import escape, glob

from director_ctx.base.errors import DctxError
from director_ctx.base.hashing import digest, text_digest
from director_ctx.base.record import Record
from director_ctx.base.system.user_folders import state_place
from director_ctx.base.system.write import create_whole, write_whole
from director_ctx.project.reading.lock import alone_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractContextManager

LARGEST = 4_000_000
_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
HOOKS, SERVERS, AGENT = "", "servers", "agent"
"""The parts; an agent is a whole file."""
_RECEIPT = "receipt.json"
_DIGITS = 32
"""Of a path's hash: so many that nobody finds two paths with one receipt."""


class InstallReceipt(Record):
    """What was there before our entries came in, and what we wrote."""

    before: str | None
    """None where there was no file."""
    written: tuple[str, ...]
    """Hashes of what we wrote; the last two, because a kill may come before the last."""
    made_folders: int
    """How many folders above the file were not there."""

    def is_untouched(self, text: str | None) -> bool:
        return text is not None and text_digest(text) in self.written


def read_settings(path: str) -> str | None:
    """The text of a settings file, each byte kept; None where there is none."""
    try:
        return _read(path).decode("utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise _unusable(path, "it is not UTF-8") from error
    except OSError as error:
        raise _unusable(path, error.strerror or str(error)) from error


def text_by_then(path: str, ahead: Mapping[str, str | None]) -> str | None:
    """The text once earlier changes are written, where there are some; otherwise as it is now."""
    if path in ahead:
        return ahead[path]
    return read_settings(path)


def _read(path: str) -> bytes:
    """A regular file, whole; nothing here hangs on a pipe."""
    descriptor = os.open(path, _FLAGS)
    # Asked of what was opened: the name could lead to something else a moment later.
    status = os.fstat(descriptor)
    is_file = stat.S_ISREG(status.st_mode)
    if not is_file or status.st_size > LARGEST:
        os.close(descriptor)
        raise OSError(errno.EINVAL, "it is not a file of settings")
    with open(descriptor, "rb") as file:
        return file.read(LARGEST)


def _unusable(path: str, why: str) -> DctxError:
    return DctxError(
        f"{path} cannot be read: {why}.", "Mend that, and try again; nothing was changed."
    )


def read_receipt(path: str, part: str = HOOKS) -> InstallReceipt | None:
    """The receipt for a settings file; None where there is none, or none that makes sense."""
    folder = _kept(path, part)
    try:
        receipt = os.path.join(folder, _RECEIPT)
        with open(receipt, "rb") as file:
            data = json.loads(file.read(LARGEST))
        before = None
        if data["existed"]:
            before = _read_kept(folder, path)
        written = tuple(map(str, data["written"]))
        made_folders = int(data["made_folder"])
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return None
    return InstallReceipt(before, written, made_folders)


def _read_kept(folder: str, path: str) -> str:
    copy = os.path.join(folder, os.path.basename(path))
    with open(copy, "rb") as file:
        return file.read(LARGEST).decode("utf-8")


def kept_copy(path: str, part: str = HOOKS) -> str:
    """Where the file is kept as it was before, if it is."""
    copy = os.path.join(_kept(path, part), os.path.basename(path))
    if not os.path.isfile(copy):
        return ""
    return copy


def only_writer() -> AbstractContextManager[None]:
    """One writer of settings at a time."""
    top = _top()
    try:
        os.makedirs(top, 0o700, exist_ok=True)
    except OSError as error:
        raise _no_state(top, error) from error
    return alone_in(top)


def _no_state(folder: str, error: OSError) -> DctxError:
    why = error.strerror or error
    return DctxError(
        f"Nothing was written, because no copy of the settings could be kept in {folder}: {why}.",
        "Set XDG_STATE_HOME to a folder that may be written.",
    )


def write_settings(
    path: str,
    text: str,
    before: str | None,
    part: str = HOOKS,
) -> None:
    """Writes our text over what is there; the receipt first, so that a kill loses nothing."""
    folder = os.path.dirname(os.path.realpath(path))
    made_folders = _made_by_us(folder)
    written = [text_digest(text)]

    old = read_receipt(path, part)
    if old:
        # A kill between the receipt and the file leaves the file as it was written the last time.
        written = [*old.written[-1:], *written]

    receipt = InstallReceipt(before, tuple(written), made_folders)
    _keep(path, receipt, part)
    _safely(path, lambda: _write(path, folder, text))


def restore_settings(path: str, text: str | None, part: str = HOOKS) -> None:
    """Writes what was there before; with None the file goes, and the folders that are ours and
    empty.
    """
    receipt = read_receipt(path, part)
    real = os.path.realpath(path)
    if text is None:
        _safely(path, lambda: os.unlink(real))
        if receipt:
            folder = os.path.dirname(real)
            _remove_folders(folder, receipt.made_folders)
    else:
        data = text.encode()
        _safely(path, lambda: write_whole(path, data))
    _drop(path, part)


def _made_by_us(folder: str) -> int:
    """How many folders are made for a file, this one and those above it, now or for another file of
    ours: whichever goes last removes them.
    """
    ours: set[str] = set()
    for receipt in glob(os.path.join(escape(_top()), "*", _RECEIPT)):
        try:
            with open(receipt, "rb") as file:
                data = json.loads(file.read(LARGEST))
            made = data["path"]
            for _ in range(data["made_folder"]):
                made = os.path.dirname(made)
                ours.add(made)
        except (OSError, ValueError, LookupError, TypeError, RecursionError):
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


def _remove_folders(folder: str, count: int) -> None:
    for _ in range(count):
        try:
            os.rmdir(folder)
        except OSError:
            return  # somebody else put something there
        folder = os.path.dirname(folder)


def _write(path: str, folder: str, text: str) -> None:
    data = text.encode()
    os.makedirs(folder, exist_ok=True)
    if os.path.exists(path):
        write_whole(path, data)
        return
    real = os.path.realpath(path)
    was_created = create_whole(real, data)
    if not was_created:
        raise FileExistsError(f"{path} has just been made by somebody else")
    if os.path.dirname(real) == os.path.realpath(os.path.expanduser("~")):
        # What lies in the home itself is a client's memory, which it keeps to its user.
        os.chmod(real, 0o600)


def _safely(path: str, act: Callable[[], object]) -> None:
    try:
        act()
    except OSError as error:
        why = error.strerror or str(error)
        raise DctxError(
            f"{path} could not be written: {why}.", "Nothing was changed; mend that first."
        ) from error


def _top() -> str:
    return state_place("settings")


def _kept(path: str, part: str) -> str:
    """The folder of what is kept for a part of a settings file."""
    real = os.path.realpath(path)
    name = digest(os.fsencode(real))[:_DIGITS]
    if part:
        name = f"{name}-{part}"
    return os.path.join(_top(), name)


def _keep(path: str, receipt: InstallReceipt, part: str) -> None:
    folder = _kept(path, part)
    data = {
        "path": os.path.realpath(path),
        "existed": receipt.before is not None,
        "written": receipt.written,
        "made_folder": receipt.made_folders,
    }
    try:
        os.makedirs(folder, 0o700, exist_ok=True)
        if receipt.before is not None:
            copy = os.path.join(folder, os.path.basename(path))
            write_whole(copy, receipt.before.encode())
        receipt_path = os.path.join(folder, _RECEIPT)
        write_whole(receipt_path, json.dumps(data).encode())
    except OSError as error:
        raise _no_state(folder, error) from error


def _drop(path: str, part: str) -> None:
    folder = _kept(path, part)

    for name in (_RECEIPT, os.path.basename(path)):
        try:
            os.unlink(os.path.join(folder, name))
        except OSError:
            pass
    try:
        os.rmdir(folder)
    except OSError:
        pass
