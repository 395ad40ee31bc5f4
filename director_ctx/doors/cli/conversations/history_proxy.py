"""`dctx history proxy`: between a client and its model."""

from __future__ import annotations

import os
import signal
import threading
from secrets import token_urlsafe

from director_ctx.base.errors import OK, DctxError, UsageProblem
from director_ctx.base.text import counted, plain
from director_ctx.clients.behind import expect_program, run_behind, run_to_end, usual_address
from director_ctx.doors.cli.shared.output import put
from director_ctx.doors.cli.shared.speak import is_terminal, say
from director_ctx.doors.cli.shared.store_notice import say_where_kept_here
from director_ctx.history.proxy.cut_rule import expect_own_store, rule_of
from director_ctx.history.proxy.server import ADDRESS, Proxy
from director_ctx.history.proxy.shorten import Shortening
from director_ctx.history.proxy.upstream import LOOPBACK, parse_upstream
from director_ctx.memory.store.open import project_here
from director_ctx.project.address_token import token

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from director_ctx.history.proxy.cut_rule import CutRule

    Say = Callable[[str], None]

PORT = "8377"
LARGEST = 65_535
SECRET_BYTES = 24
LAST_SECONDS = 2.0
"""In which the last answers of a client that has ended are still read."""


def run(values: dict[str, Any]) -> int:
    """Until it is interrupted, or its client ends. Without a client the address is the result;
    everything else is talk.
    """
    client = tuple(values["client"] or ())
    if client:
        expect_program(client[0])
        # A client brings the address of its model, and any port will do for it.
        upstream = values["upstream"] or usual_address(client[0], os.environ)
        values = {**values, "upstream": upstream, "port": values["port"] or "0"}
    rule = rule_of(values)
    # Before anything is listened on: a client that finds a port open expects answers.
    expect_own_store(rule)
    # In the midst of a client's screen nobody could read it.
    talk = Talk(holds=bool(client) and is_terminal())
    shortening = Shortening(rule, talk.say)
    proxy = _proxy(values, shortening, talk.say, client)
    url = f"http://{ADDRESS}:{proxy.port}{proxy.base.decode('ascii')}"
    say_where_kept_here(values)
    if client:
        _say_start(rule, values)
        code = _run_client(client, proxy, url)
    else:
        # Ctrl-C and SIGTERM are written to its socket: an exception in the midst of something might
        # get lost. Only a signal that has a handler is written.
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: None)
        signal.set_wakeup_fd(proxy.end.fileno(), warn_on_full_buffer=False)
        put(url + "\n")
        _say_start(rule, values)
        proxy.serve()
        code = OK
    talk.release()
    say(shortening.summary)
    return code


class Talk:
    """What is said while a client has the terminal waits until it has ended."""

    def __init__(self, holds: bool) -> None:
        self._holds = holds
        self._held: list[tuple[str, str]] = []

    def say(self, message: str, hint: str = "") -> None:
        if self._holds:
            self._held.append((message, hint))
        else:
            say(message, hint)

    def release(self) -> None:
        self._holds = False
        for message, hint in self._held:
            say(message, hint)


def _say_start(rule: CutRule, values: dict[str, Any]) -> None:
    words = "would be shortened" if rule.dry_run else "are shortened"
    hint, ends = "", ""
    if not values["client"]:
        # The address is not said again: whoever has it may ask, and what is said may be kept.
        hint = "Start your client with ANTHROPIC_BASE_URL set to that address"
        if "anthropic" not in values["upstream"]:
            hint += ", or with OPENAI_BASE_URL set to the address followed by /v1"
        hint, ends = f"{hint}.", " Ctrl-C ends it."
    say(f"Requests go to {plain(values['upstream'])}.")
    say(
        f"Conversations in requests over {counted(rule.limit, 'token')} {words} to {rule.target:,}.{ends}",
        hint,
    )
    say(
        f"The limit is from {rule.limit_from}. Sizes are by {rule.wish.counter} until an answer tells "
        "how its provider counts; then they go by that."
    )
    if rule.wish.config.max_messages:
        say("max_messages has no effect here: the proxy shortens by tokens.")


def _run_client(words: Sequence[str], proxy: Proxy, url: str) -> int:
    """The exit code of the client."""
    serving = threading.Thread(target=proxy.serve, daemon=True)
    serving.start()
    code = run_to_end(run_behind(words, url, os.environ))
    proxy.end.send(b"x")
    serving.join()
    proxy.wait(LAST_SECONDS)
    return code


def _proxy(
    values: dict[str, Any], shortening: Shortening, say: Say, client: Sequence[str]
) -> Proxy:
    named = values["port"] or PORT
    is_number = named.isascii() and named.isdigit() and len(named) < 10
    if not is_number or int(named) > LARGEST:
        raise UsageProblem(
            f"--port {named}: that is not a port.",
            "Say a number, such as 8377, or 0 for a free one.",
        )
    port = int(named)
    if not values["upstream"]:
        raise _no_upstream(client)
    upstream = parse_upstream(values["upstream"])
    project = project_here(values["root"])
    if upstream.host in LOOPBACK and upstream.port == port:
        raise UsageProblem("--upstream names the proxy's own address.", "Name the model's address.")

    # The same in every run, because the address stands in settings of clients; that of a client
    # that is started here ends with it.
    secret = token_urlsafe(SECRET_BYTES)
    if not client:
        secret = token(project.root if project else None, "proxy")
    try:
        proxy = Proxy(port, upstream, shortening, f"/t/{secret}", say)
    except OSError as error:
        raise DctxError(
            f"Port {named} is not available: {error.strerror or error}.",
            "--port 0 takes a free port.",
        ) from error
    if upstream.open_to_all:
        say(
            "--upstream is plain http: whoever is on the way to the model can read keys and conversations. "
            "Use https."
        )
    return proxy


def _no_upstream(client: Sequence[str]) -> UsageProblem:
    example = "--upstream https://api.anthropic.com"
    if not client:
        return UsageProblem(
            "The model's address is missing.",
            f"Name it, such as {example}; or run a client: dctx history proxy -- claude",
        )
    program = plain(client[0])
    return UsageProblem(
        f"Where {program} asks its model is not known.",
        f"Name the address before it: dctx history proxy {example} -- {program}",
    )
