"""`dctx history proxy`: between a client and its model."""

from __future__ import annotations

import signal

from director_ctx.base.errors import OK, DctxError, UsageProblem
from director_ctx.base.text import counted
from director_ctx.doors.cli.shared.output import put
from director_ctx.doors.cli.shared.speak import say
from director_ctx.doors.cli.shared.store_notice import say_where_kept_here
from director_ctx.history.proxy.cut_rule import expect_own_store, rule_of
from director_ctx.history.proxy.retrieving.retrieving import Retrieving
from director_ctx.history.proxy.server import ADDRESS, Proxy
from director_ctx.history.proxy.shorten import Shortening
from director_ctx.history.proxy.token import token
from director_ctx.history.proxy.upstream import LOOPBACK, parse_upstream
from director_ctx.history.retrieve.tool import NAME
from director_ctx.memory.store.open import project_here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from director_ctx.history.proxy.exchange import Outgoing

PORT = "8377"
LARGEST = 65_535


def run(values: dict[str, Any]) -> int:
    """Until it is interrupted. The address is the result; everything else is talk."""
    rule = rule_of(values)
    # Before anything is listened on: a client that finds a port open expects answers.
    expect_own_store(rule)
    shortening = Shortening(rule, say)
    outgoing = _outgoing(values, shortening)
    proxy = _proxy(values, outgoing)
    _end_by_signals(proxy)
    say_where_kept_here(values)
    url = f"http://{ADDRESS}:{proxy.port}{proxy.base.decode('ascii')}"
    put(url + "\n")
    words = "are shortened"
    if rule.dry_run:
        words = "would be shortened"
    say(
        f"Conversations in requests over {counted(rule.limit, 'token')} {words} to {rule.target:,}. Ctrl-C ends it.",
        _hint(values["upstream"]),
    )
    if rule.wish.config.max_messages:
        say("max_messages has no effect here: the proxy shortens by tokens.")
    if values["retrieve"]:
        say(f"The model may ask for what was cut, with the tool {NAME}.")
    proxy.serve()
    if isinstance(outgoing, Retrieving):
        outgoing.save()
    say(outgoing.summary)
    return OK


def _hint(upstream: str) -> str:
    """The address is not said again: whoever has it may ask, and what is said may be kept
    somewhere.
    """
    if "anthropic" in upstream:
        return "Start your client with ANTHROPIC_BASE_URL set to that address."
    return (
        "Start your client with ANTHROPIC_BASE_URL set to that address, "
        "or with OPENAI_BASE_URL set to the address followed by /v1."
    )


def _outgoing(values: dict[str, Any], shortening: Shortening) -> Shortening | Retrieving:
    if not values["retrieve"]:
        return shortening
    if shortening.rule.dry_run:
        raise UsageProblem(
            "With --dry-run nothing is changed, so there is nothing to give back.",
            "Leave out --retrieve or --dry-run.",
        )
    return Retrieving(shortening, say)


def _proxy(values: dict[str, Any], outgoing: Outgoing) -> Proxy:
    port = _port(values["port"] or PORT)
    if not values["upstream"]:
        raise UsageProblem(
            "The model's address is missing.",
            "Name it, such as --upstream https://api.anthropic.com.",
        )
    upstream = parse_upstream(values["upstream"])
    project = project_here(values["root"])
    if upstream.host in LOOPBACK and upstream.port == port:
        raise UsageProblem("--upstream names the proxy's own address.", "Name the model's address.")

    # The same in every run, because the address stands in settings of clients.
    secret = token(project.root if project else None)
    try:
        proxy = Proxy(port, upstream, outgoing, f"/t/{secret}", say)
    except OSError as error:
        raise DctxError(
            f"Port {values['port'] or PORT} is not available: {error.strerror or error}.",
            "--port 0 takes a free port.",
        ) from error
    if upstream.open_to_all:
        say(
            "--upstream is plain http: whoever is on the way to the model can read keys and conversations.",
            "Use https.",
        )
    return proxy


def _port(text: str) -> int:
    """The number of a port; the system chooses one for 0."""
    is_number = text.isascii() and text.isdigit() and len(text) < 10
    if not is_number or int(text) > LARGEST:
        raise UsageProblem(
            f"--port {text}: that is not a port.",
            "Say a number, such as 8377, or 0 for a free one.",
        )
    return int(text)


def _end_by_signals(proxy: Proxy) -> None:
    """Ctrl-C and SIGTERM are written to its socket: an exception in the midst of something might
    get lost.
    """
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _nothing)
    signal.set_wakeup_fd(proxy.end.fileno(), warn_on_full_buffer=False)


def _nothing(*_: object) -> None:
    """Only a signal that has a handler is written down."""
