"""What the exception of a vendor's client means: which kind of failure, in a sentence without the key."""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.base.safe_text import safe
from director_ctx.base.text import counted, plain
from director_ctx.chat.exchange import (
    BROKEN,
    KEEPS_NOTHING,
    LATER,
    REFUSED,
    TOO_LARGE,
    UNKNOWN_ID,
    ExchangeFailure,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

AGAIN = "What you said is kept and goes along with the next message; a `go on` is enough."
WORDS: tuple[tuple[str, str], ...] = (
    ("previous_response_not_found", UNKNOWN_ID),
    ("previous response with id", UNKNOWN_ID),
    ("previous_response_id", KEEPS_NOTHING),
    ("context_length_exceeded", TOO_LARGE),
    ("context window", TOO_LARGE),
    ("context length", TOO_LARGE),
    ("prompt is too long", TOO_LARGE),
    ("no tool output found", BROKEN),
    ("no tool call found", BROKEN),
    ("required 'reasoning' item", BROKEN),
    ("required following item", BROKEN),
)
"""Words by which providers say what is wrong; the first that is there counts."""
MENDABLE = (400, 404, 409, 413, 422)
"""Statuses whose words are worth a look."""
PASSING = (408, 409, 425, 429)
"""Statuses, besides those from 500 on, after which the same may go well."""
OF_STREAMS = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "insufficient_quota": 429,
    "api_error": 500,
    "server_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
}
"""What an error in the middle of an answer would have had for a status before it."""
LONGEST = 300
HINTS = {
    400: "Another model may take it (--model); /undo in `dctx chat` takes back what you said last.",
    401: "Look at the key: OPENAI_API_KEY or ANTHROPIC_API_KEY.",
    402: "Look at the plan of your account with the provider.",
    403: "The key does not allow this.",
    404: "Look at --model and --base-url.",
    422: "Another model may take it (--model); /undo in `dctx chat` takes back what you said last.",
}
NO_CREDIT = "insufficient_quota"


class ErrorSaid(Exception):
    """An error that a provider tells in the middle of an answer."""

    def __init__(self, body: object) -> None:
        super().__init__("error")
        self.body = body


class NotAnAnswer(Exception):
    """What came is none."""


class AskedOne(Record):
    """Who is asked, as far as it is of use when nothing comes."""

    place: str
    form: str
    """What has to be spoken there."""
    key: str = ""
    proxies: tuple[str, ...] = ()
    """Variables that name one on the way."""


def failure_of(error: Exception, asked: AskedOne) -> ExchangeFailure:
    """Whatever a library of somebody else raises is one sentence."""
    kinds = {kind.__name__ for kind in type(error).__mro__}
    if kinds & {"APITimeoutError", "TimeoutException", "OutOfTime"}:
        return ExchangeFailure(LATER, f"{asked.place} did not answer in time.", AGAIN)
    if kinds & {"APIConnectionError", "TransportError"}:
        return _no_connection(error, asked)
    if kinds & {"APIStatusError", "APIError", "ErrorSaid"}:
        return _told(error, asked.key)
    return ExchangeFailure(
        LATER,
        f"What {asked.place} sent is no answer that can be read.",
        f"Look at --base-url: there has to be a server that speaks {asked.form}.",
    )


def out_of_time(seconds: float) -> ExchangeFailure:
    waited = counted(round(seconds), "second")
    if seconds >= 60:
        waited = counted(round(seconds / 60), "minute")
    return ExchangeFailure(LATER, f"There was no whole answer within {waited}.", AGAIN)


def _no_connection(error: Exception, asked: AskedOne) -> ExchangeFailure:
    causes = _causes(error)
    names = {kind.__name__ for cause in causes for kind in type(cause).__mro__}
    said = " ".join(map(str, causes)).casefold()
    place = asked.place
    if "certificate" in said:
        return ExchangeFailure(
            LATER,
            f"The certificate of {place} is not trusted here.",
            "SSL_CERT_FILE names the certificates of a company or of a server of your own.",
        )
    if "ProxyError" in names:
        why = f"The proxy on the way to {place} let nothing through."
        return ExchangeFailure(LATER, why, f"Look at {', '.join(asked.proxies)}.")
    if "ConnectError" in names or "ConnectTimeout" in names:
        why = f"{place} cannot be reached{_system_words(causes)}."
        look = f"Look at {', '.join(asked.proxies)}." if asked.proxies else "Is it there?"
        return ExchangeFailure(LATER, why, f"{look} {AGAIN}")
    if names & {"InvalidURL", "UnsupportedProtocol", "LocalProtocolError"}:
        hint = "Look at --base-url, and at headers that the environment names."
        return ExchangeFailure(LATER, f"Nothing can be sent to {place}.", hint)
    return ExchangeFailure(LATER, f"The connection to {place} broke off.", AGAIN)


def _causes(error: BaseException) -> list[BaseException]:
    causes: list[BaseException] = []
    cause: BaseException | None = error
    while cause is not None and cause not in causes:
        causes.append(cause)
        cause = cause.__cause__ or cause.__context__
    return causes


def _system_words(causes: list[BaseException]) -> str:
    """What the system says of a connection, in its own words."""
    for cause in causes:
        if isinstance(cause, OSError) and cause.strerror:
            return f": {plain(cause.strerror)}"
    return ""


def _told(error: Exception, key: str) -> ExchangeFailure:
    """An error that the provider told."""
    body = getattr(error, "body", None)
    told = _innermost(body)
    code = str(told.get("code") or told.get("type") or "")
    status = _status(error, told)
    if 300 <= status < 400:
        return ExchangeFailure(
            REFUSED, f"The server sends us elsewhere ({status}).", "Name that address: --base-url."
        )
    kind = _kind(f"{code} {error} {body}", status)
    why = "The provider answered with an error"
    if status:
        why = f"{why} ({status})"
    said = _words_of(told, key)
    if said:
        why = f"{why}: {said}"
    hint = ""
    if kind in (LATER, REFUSED):
        hint = _hint(error, status, code, kind)
    return ExchangeFailure(kind, f"{why}.", hint)


def _status(error: Exception, told: Mapping[str, Any]) -> int:
    """In the middle of an answer, what it would have been before."""
    status = getattr(error, "status_code", None) or 0
    if status >= 300:
        return int(status)
    for name in ("code", "type"):
        status = OF_STREAMS.get(str(told.get(name)), 0)
        if status:
            return status
    return 0


def _innermost(body: object) -> Mapping[str, Any]:
    """The part of an error that has its words."""
    told: Mapping[str, Any] = {}
    while isinstance(body, dict):
        told = body
        body = told.get("error")
    if isinstance(body, str) and body:
        return {**told, "message": body}
    return told


def _words_of(told: Mapping[str, Any], key: str) -> str:
    said: object = ""
    for name in ("message", "detail", "title"):
        said = said or told.get(name)
    # A page that some machine on the way made says nothing to people.
    if not isinstance(said, str) or said.lstrip().startswith(("<", "{", "[")):
        return ""
    if key:
        said = said.replace(key, "[hidden]")
    first_line, _, _ = said.strip().partition("\n")
    return plain(safe(first_line))[:LONGEST].rstrip(". ")


def _kind(said: str, status: int) -> str:
    if status in MENDABLE or not status:
        said = said.casefold()
        for words, kind in WORDS:
            if words in said:
                return kind
    # No status: nobody knows what it was, so it may go well.
    if not status or status in PASSING or status >= 500:
        return LATER
    return REFUSED


def _hint(error: Exception, status: int, code: str, kind: str) -> str:
    if code == NO_CREDIT:
        return HINTS[402]
    if status == 429:
        return f"Wait {_pause(error)}. {AGAIN}"
    return HINTS.get(status, AGAIN if kind == LATER else "")


def _pause(error: Exception) -> str:
    """As long as the provider says, where it does: in seconds, or by a date."""
    headers = getattr(getattr(error, "response", None), "headers", {})
    told = str(headers.get("retry-after") or "").strip()
    if told.isascii() and told.isdigit():
        seconds = int(told[:9])
    else:
        from email.utils import parsedate_to_datetime

        try:
            now = parsedate_to_datetime(str(headers.get("date") or ""))
            seconds = max(1, round((parsedate_to_datetime(told) - now).total_seconds()))
        except (TypeError, ValueError):
            return "a moment"
    if seconds < 120:
        return counted(seconds, "second")
    if seconds < 7_200:
        return counted(-(-seconds // 60), "minute")
    return counted(-(-seconds // 3_600), "hour")
