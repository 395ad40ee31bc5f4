"""`dctx history watch`: how full a session is, live."""

from __future__ import annotations

import time

from director_ctx.base.errors import OK, UsageProblem
from director_ctx.base.strict_json import strict_json
from director_ctx.base.text import counted
from director_ctx.context.settings.filling import FINE, SESSION, STORE, advice, sentence, state_of
from director_ctx.context.settings.options import hooks_of
from director_ctx.context.tokens.counting import choose_counter
from director_ctx.doors.cli.shared.output import is_on_screen, put, shown_bar
from director_ctx.doors.cli.shared.speak import say, speak
from director_ctx.doors.cli.shared.table import line_width
from director_ctx.doors.cli.shared.wrapping import cells
from director_ctx.history.sessions.files import STORE as STORES_OWN
from director_ctx.history.sessions.files import short_id
from director_ctx.history.sessions.find import choose
from director_ctx.history.sessions.watch import level, levels
from director_ctx.history.summaries.summarize import wanted_tokens
from director_ctx.memory.store.open import project_here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.history.sessions.files import Session
    from director_ctx.history.sessions.watch import Level

SECONDS = 0.5


def watch(values: dict[str, Any]) -> int:
    warn, full = _marks(values)
    session = choose(values["session"], values["root"])
    count, _ = choose_counter(values["counter"])
    shown = _Shown(session, warn, full, values["json"])
    if values["once"]:
        shown.put(level(session, count, values["root"]))
        return OK
    try:
        for now in levels(session, count, values["root"], lambda: time.sleep(SECONDS)):
            shown.put(now)
    finally:
        shown.end()
    return OK


def _marks(values: dict[str, Any]) -> tuple[int, int]:
    """From where on it warns, and what counts as full; the project's own marks for hooks, unless
    others are given.
    """
    hooks = hooks_of(project_here(values["root"]))
    full = wanted_tokens("--limit", values["limit"], hooks.urgent)
    # With a small limit the project's own mark would come too late.
    usual = hooks.warn
    if usual > full:
        usual = full * 8 // 9
    warn = wanted_tokens("--warn", values["warn"], usual)
    if warn > full:
        raise UsageProblem(
            "--warn is larger than --limit.", "Give --warn a smaller number than --limit."
        )
    return warn, full


class _Shown:
    """What was shown last: a level is said once, and a warning when it is reached."""

    def __init__(self, session: Session, warn: int, full: int, as_json: bool) -> None:
        self._session = session
        self._warn = warn
        self._full = full
        self._json = as_json
        self._last: Level | None = None
        self._state = FINE
        self._live = is_on_screen() and not as_json

    def put(self, now: Level) -> None:
        if now == self._last:
            return
        self._last = now
        state = state_of(now.tokens, self._warn, self._full)
        if self._json:
            _put_line(self._as_json(now, state))
        else:
            self._write(now)
        # A warning is for the moment in which a state is reached, not for each line of it.
        if state not in (FINE, self._state):
            self._warn_of(now, state)
        self._state = state

    def _as_json(self, now: Level, state: str) -> dict[str, Any]:
        share = now.tokens / self._full
        return {
            "tokens": now.tokens,
            "exact": now.exact,
            "percent": round(share * 100, 1),
            "session": self._session.id,
            "client": self._session.client,
            "limit": self._full,
            "state": state,
        }

    def _write(self, now: Level) -> None:
        session = short_id(self._session.id)
        if self._live:
            line = level_line(session, now.tokens, self._full, now.exact)
            # Over the line before; what is left of that is wiped out.
            put(f"\r{line}\x1b[K")
        else:
            put(f"{session}  {_filling(now.tokens, self._full, now.exact)}\n")

    def _warn_of(self, now: Level, state: str) -> None:
        self.end()
        place = SESSION
        if self._session.client == STORES_OWN:
            place = STORE
        say(sentence(now.tokens, self._warn, self._full), advice(place, state))

    def end(self) -> None:
        """Below the line that is written again and again."""
        if self._live and self._last is not None:
            speak("\n")


def level_line(session: str, tokens: int, full: int, is_exact: bool) -> str:
    """With as much as fits: one that was broken could not be written over."""
    share = tokens / full
    filling = _filling(tokens, full, is_exact)
    line = f"{session}  {filling}"
    width = line_width()
    for form in (f"{shown_bar(share)}  {line}", line, filling):
        if cells(form) < width:
            return form
    return f"{share:.1%}"


def _filling(tokens: int, full: int, is_exact: bool) -> str:
    mark = "~"
    if is_exact:
        mark = ""
    return f"{mark}{tokens:,} of {counted(full, 'token')} ({tokens / full:.1%})"


def _put_line(value: dict[str, Any]) -> None:
    put(strict_json(value) + "\n")
