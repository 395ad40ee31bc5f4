"""What was shown of an answer while it came, so that it is kept where no more of it comes."""

from __future__ import annotations

from director_ctx.chat.exchange import ExchangeFailure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from director_ctx.chat.exchange import Reply

    OnText = Callable[[str], None]


class Heard:
    """The pieces of one answer after another, on their way to whoever is shown them."""

    def __init__(self, on_text: OnText | None) -> None:
        self._on_text = on_text
        self._pieces: list[str] = []
        self._error: Exception | None = None

    @property
    def text(self) -> str:
        return "".join(self._pieces)

    def listener(self) -> OnText | None:
        """For the next answer; none where nobody is shown any."""
        self.forget()
        return self._take if self._on_text else None

    def _take(self, piece: str) -> None:
        self._pieces.append(piece)
        if self._on_text is None:
            return
        try:
            self._on_text(piece)
        except Exception as error:
            # The vendor's client stands between; whoever asked is told by `with_heard`.
            self._error = error
            raise

    def with_heard(self, reply: Reply | ExchangeFailure) -> Reply | ExchangeFailure:
        """What came of a request. Raises what the listener raised."""
        if self._error:
            raise self._error
        if isinstance(reply, ExchangeFailure):
            return reply.replace(heard=self.text)
        return reply

    def forget(self) -> None:
        """All of it is kept by now."""
        self._pieces.clear()
        self._error = None
