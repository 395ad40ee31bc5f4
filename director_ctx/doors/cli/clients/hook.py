"""`dctx hook`: one event of a client in, its answer out. Whatever happens, the client's run is not
harmed.

For an event it always exits 0, ends by itself in time, says nothing on stderr, and looks for
`.director/` before anything else is imported: most projects have none.
"""

from __future__ import annotations

import os
import sys
from _thread import allocate_lock, start_new_thread
from stat import S_ISFIFO, S_ISREG, S_ISSOCK
from time import monotonic, sleep

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

SWITCH, OFF = "DCTX_HOOKS", ("off", "0", "no", "false")
PLACES = ("CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "CURSOR_PROJECT_DIR", "COPILOT_PROJECT_DIR")
"""Where clients say the project is, if they start a hook elsewhere."""
DEADLINE, DEADLINE_AT_END = 2.0, 0.8
"""Seconds; the second when a session ends, because clients wait little then."""
SHARE_OF_OTHERS = 0.5
"""How much of that git may take, and whoever else is waited for: the rest is for what does not need
them.
"""
LARGEST = 50_000_000
OWN_WORDS = ("--help", "-h")
PATIENCE = 0.5
"""Seconds in which a client that has started a hook writes its event."""
BLANKS = b"\xef\xbb\xbf \t\r\n"
"""What may stand before an event: a mark of its encoding, and blanks."""


def asks_for_help(words: Sequence[str]) -> bool:
    return any(word in OWN_WORDS for word in words)


def _waits_for_reader() -> bool:
    """Whether something is on standard input, or is put there in a moment. A pipe that nobody
    writes to is left alone: it may stay open for ever.
    """
    mode = os.fstat(0).st_mode
    if S_ISREG(mode):
        return True
    if not (S_ISFIFO(mode) or S_ISSOCK(mode)):
        return False
    if os.name == "nt":
        # Windows cannot say whether a pipe has something in it; who starts a program there with a
        # pipe writes to it.
        return True

    from select import select

    readable, _, _ = select([0], [], [], PATIENCE)
    return bool(readable)


def run(values: dict[str, Any]) -> int:
    """As the other commands are run: inside another program, without the deadline."""
    words = []
    for name in ("client", "part"):
        if values[name] is not None:
            words.append(f"--{name}={values[name]}")
    return hook(words, alone=False)


def hook(words: Sequence[str], alone: bool = True) -> int:
    """Answers the event on stdin. `alone` in a process of its own, which may be ended at any
    moment.
    """
    watch = Watch()
    try:
        # A thread that ends the process has no place in a program that calls us.
        if alone:
            watch.begin()
        is_typed = _is_typed(words)
        if os.isatty(0) and not is_typed:
            return explain()
        if is_typed and (os.isatty(0) or not _waits_for_reader()):
            return refuse(words)
        watch.root = "" if is_off() else find_root()
        data = read_input()
        if is_typed and not data.lstrip(BLANKS):
            return refuse(words)
        answer = respond(watch.root, data, words, watch) if watch.root else b""
        if answer and watch.claim():
            put(answer)
    except BaseException as error:
        watch.failed(error)
    return 0


def _is_typed(words: Sequence[str]) -> bool:
    """Whether somebody means another command, such as `dctx hook install`: clients give options."""
    return bool(words) and not words[0].startswith("-")


def refuse(words: Sequence[str]) -> int:
    """For a person or a script that means another command; an event is answered all the same."""
    from director_ctx.base.errors import USAGE
    from director_ctx.doors.cli.shared.speak import say

    say(
        f"`dctx hook` takes no {words[0]!r}: clients call it, with an event on standard input.",
        "To put hooks into a client: dctx setup. To look after them: dctx agents.",
    )
    return USAGE


def explain() -> int:
    """For a person who tries it by hand."""
    from director_ctx.doors.cli.shared.speak import say

    say(
        "A client calls this, with an event on standard input.",
        "See `dctx setup` and `dctx agents verify`.",
    )
    return 0


def is_off() -> bool:
    """Whether the user wants none."""
    return os.environ.get(SWITCH, "").casefold() in OFF


def find_root(start: str = "") -> str:
    """The nearest folder upwards with a `.director/` of this user's in it, or an empty string; from
    the folder that we run in, unless another one is said.

    No further than the top of the repository that one is in: what lies above it is not about this
    work.
    """
    # It means the same as for every other command, links and relative paths included.
    if os.environ.get("DCTX_ROOT"):
        from director_ctx.project.reading.locate import locate

        return locate()

    from director_ctx.project.reading.search import FOLDER, belongs_to_another, nearest

    # What a client says is asked only where the folder that it runs in has no project.
    starts = [start or _here()]
    for variable in PLACES:
        starts.append(os.environ.get(variable, ""))

    for folder in starts:
        root = nearest(folder, beyond_repository=False)
        if not root or not os.path.isdir(os.path.join(root, FOLDER)):
            continue
        if not belongs_to_another(root):
            return root
    return ""


def _here() -> str:
    try:
        return os.getcwd()
    except OSError:
        return ""


def read_input() -> bytes:
    """All of it, even if it is not wanted: a client may not like a closed pipe."""
    pieces = []
    size = 0
    while size < LARGEST:
        piece = os.read(0, 1 << 20)
        if not piece:
            break
        pieces.append(piece)
        size += len(piece)
    return b"".join(pieces)


def respond(root: str, data: bytes, words: Sequence[str], watch: Watch) -> bytes:
    from director_ctx.base.light_json import dump, parse
    from director_ctx.base.system.due import answer_by
    from director_ctx.clients.protocol import read_event
    from director_ctx.clients.table import END

    text = data.decode("utf-8", "replace").lstrip("\ufeff")
    event = read_event(parse(text), _value(words, "--client"))
    if event is None:
        return b""

    watch.event = f"{event.client.name} {event.name}"
    watch.seconds = DEADLINE
    if event.kind == END:
        watch.seconds = DEADLINE_AT_END
    answer_by(watch.begun + watch.seconds * SHARE_OF_OTHERS)

    # Loaded only for an event that is known.
    from director_ctx.clients.hooks.answer import answer
    from director_ctx.project.project import load_project

    part = _value(words, "--part") or ""
    said = answer(load_project(root=root), event, int(part) if part.isdecimal() else 1)
    return dump(said).encode("ascii") if said else b""


def _value(words: Sequence[str], flag: str) -> str | None:
    """The value of an option, in either form; anything else that stands there does no harm."""
    with_equals = f"{flag}="
    for number, word in enumerate(words):
        if word.startswith(with_equals):
            return word.removeprefix(with_equals)
        if word != flag:
            continue
        behind = words[number + 1 : number + 2]
        return behind[0] if behind else None
    return None


def put(answer: bytes) -> None:
    """All of it, also into a pipe that would rather take a part: half an answer is worse than a
    late one.
    """
    try:
        os.set_blocking(1, True)
    except (AttributeError, OSError):
        pass  # Windows knows this late, and for pipes only
    rest = memoryview(answer)
    while rest:
        rest = rest[os.write(1, rest) :]


class Watch:
    """Ends the process in time, and writes down why there was no answer."""

    def __init__(self) -> None:
        self.root = ""
        self.event = "an event"
        self.seconds = DEADLINE
        # Inside another program no clock runs, and nothing is ever due.
        self.begun = float("inf")
        self._first = allocate_lock()

    def claim(self) -> bool:
        """Whether the end is still open: either an answer is given, or the deadline comes. Asked
        once by each.
        """
        return self._first.acquire(False)

    def begin(self) -> None:
        self.begun = monotonic()
        start_new_thread(self._wait, ())

    def _wait(self) -> None:
        """A thread, because it goes on while a slow disk holds the rest up."""
        try:
            sleep(DEADLINE_AT_END)
            if self.seconds > DEADLINE_AT_END:
                sleep(DEADLINE - DEADLINE_AT_END)
            if self.claim():
                self._write_down_briefly()
            else:
                # Whoever does not read by now never will.
                sleep(DEADLINE)
            # Only if it was started; to import it now could take longer than there is.
            git = sys.modules.get("director_ctx.project.git.child")
            if git:
                git.end_all()
        finally:
            os._exit(0)

    def _write_down_briefly(self) -> None:
        """In a thread of its own: the disk that was too slow may be the one that the log is on."""
        start_new_thread(self._write_down, (f"gave no answer within {self.seconds:g} seconds",))
        sleep(0.1)

    def failed(self, error: BaseException) -> None:
        said = f"{type(error).__name__}: {error}"
        # Not asked for by its type: the module of the errors may be what could not be imported.
        hint = getattr(error, "hint", None)
        if hint is not None:
            said = f"{str(error).rstrip('.')}. {hint}"
        self._write_down(f"gave no answer: {said}")

    def _write_down(self, message: str) -> None:
        try:
            from director_ctx.project.hook_log import log

            # Without a project there is nobody to tell, and nowhere to write.
            if self.root:
                log(self.root, f"{self.event}: {message}")
        except BaseException:
            pass
