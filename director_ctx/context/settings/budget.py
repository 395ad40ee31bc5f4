"""How many tokens a context may have: a share of the model's window, or a plain number; and the
windows of models.
"""

from __future__ import annotations

from director_ctx.base.errors import UsageProblem
from director_ctx.base.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


DEFAULT_WINDOW = 200_000
BY_DEFAULT = "default"


class Model(Record):
    window: int
    tokenizer: str = ""


# The longest key that begins a model's name wins. Where a client gives less than the provider
# allows (Claude 4 without [1m], GPT-5 in Codex), the smaller window stands: a budget too small is
# safe, one too large is not.
MODELS: dict[str, Model] = {
    "claude": Model(200_000, "claude"),
    "claude-fable-5": Model(1_000_000, "claude"),
    "claude-opus-4": Model(200_000, "claude"),
    "claude-opus-5": Model(1_000_000, "claude"),
    "claude-sonnet-4": Model(200_000, "claude"),
    "claude-sonnet-5": Model(1_000_000, "claude"),
    "claude-haiku-4": Model(200_000, "claude"),
    "fable": Model(1_000_000, "claude"),
    "opus": Model(1_000_000, "claude"),
    "sonnet": Model(1_000_000, "claude"),
    "haiku": Model(200_000, "claude"),
    "gpt-4": Model(8_192, "cl100k_base"),
    "gpt-4-turbo": Model(128_000, "cl100k_base"),
    "gpt-4o": Model(128_000, "o200k_base"),
    "gpt-4.1": Model(1_047_576, "o200k_base"),
    "gpt-5": Model(272_000, "o200k_base"),
    "gpt-5.3-codex-spark": Model(128_000, "o200k_base"),
    "o3": Model(200_000, "o200k_base"),
    "o4-mini": Model(200_000, "o200k_base"),
    "gemini": Model(1_048_576, "gemini"),
}

LONG_CONTEXT_SUFFIX = "[1m]"


def find_model(name: str, extra: Mapping[str, Model] | None = None) -> Model | None:
    """The model that a name means, with any provider prefix or date suffix; None if unknown."""
    bare = name.strip().casefold()
    if bare.endswith(LONG_CONTEXT_SUFFIX):
        base = bare.removesuffix(LONG_CONTEXT_SUFFIX)
        return _long_context(base, extra)

    _, _, bare = bare.rpartition("/")
    for provider in ("anthropic.", "openai.", "google."):
        _, _, bare = bare.rpartition(provider)
    models = {**MODELS, **(extra or {})}
    fitting = [key for key in models if _begins(bare, key.casefold())]
    if not fitting:
        return None
    return models[max(fitting, key=len)]


def _long_context(name: str, extra: Mapping[str, Model] | None) -> Model:
    """The same model with a window of a million tokens."""
    tokenizer = ""
    if not name.endswith(LONG_CONTEXT_SUFFIX):
        base = find_model(name, extra)
        if base:
            tokenizer = base.tokenizer
    return Model(1_000_000, tokenizer)


def _begins(name: str, key: str) -> bool:
    """Whether a name begins with a key, and not in the middle of a word."""
    if not name.startswith(key):
        return False
    following = name[len(key) :][:1]
    return not following.isalnum()


DEFAULT_BUDGET = "30%"
WITHIN = "within budget"
REDUCED = "reduced"
OVER = "over budget"

WARN = 160_000
URGENT = 180_000
"""Tokens. From the first on a window is said to be filling up; at the second, the director's own
budget, it is full.
"""

FILE_LIMIT = 15_000
"""Tokens. One unprotected file longer than this is cut at a heading, whatever the budget."""

SMALLEST_WINDOW = 1_000
LARGEST_WINDOW = 1_000_000_000

_HINT = "Write a share (30% or 0.3) or a number of tokens (12000 or 12k)."
_UNITS = {"k": 1_000, "m": 1_000_000}


class Window(Record):
    tokens: int
    source: str = ""
    """Which option, file or key said so, and the model that it named."""

    def __str__(self) -> str:
        return f"{self.tokens:,} tokens ({self.source})"


class Budget(Record):
    window: int
    limit: int
    used: int = 0
    status: str = WITHIN
    window_from: str = ""

    @property
    def window_says(self) -> str:
        return str(Window(self.window, self.window_from))

    @property
    def percent(self) -> float:
        """Of the window, to one decimal."""
        return round(self.used * 100 / self.window, 1)


def count_chars(text: str) -> int:
    """The estimate that needs nothing: a token for every four characters, rounded up."""
    return -(-len(text) // 4)


class Counter(Record):
    """How tokens are counted, by name; an estimate is never called exact."""

    name: str
    exact: bool = False
    band: str = ""
    """In words, how far off it may be, and for what; for an exact one, for whom it is exact."""

    @property
    def says(self) -> str:
        """What stands behind the name wherever a count is shown."""
        if self.exact:
            return self.band or "exact"
        if not self.band:
            return "an estimate"
        return f"an estimate: {self.band}"


ENCODINGS = ("o200k_base", "cl100k_base")
COUNTERS = ("chars/4", "estimate", *ENCODINGS)
CHARS = Counter(
    "chars/4", band="usually within 15%, at worst 23%, on the Markdown of two sample projects"
)


def parse_budget(text: str, window: int) -> int:
    """The limit in tokens. A bare 30 could mean percent or tokens, so it is refused."""
    value = text.strip().casefold()
    for mark in (" ", "_", ","):
        value = value.replace(mark, "")
    try:
        limit = _limit(value, window)
    except (ValueError, OverflowError):
        limit = 0
    if limit < 1 and window < SMALLEST_WINDOW:
        raise UsageProblem(
            f"Nothing fits into {text} of a window of {window:,} tokens.",
            "Name a larger --window.",
        )
    if limit < 1:
        raise UsageProblem(f"{text!r} is not a budget.", _HINT)
    return limit


def _limit(value: str, window: int) -> int:
    is_number = value[:1].isdigit() or value.startswith(".")
    if not value.isascii() or not is_number:
        raise ValueError(value)

    if value.endswith("%"):
        share = float(value[:-1]) / 100
        return _share(share, window)
    if value[-1:] in _UNITS:
        return _with_unit(value)

    number = float(value)
    if number < 1:
        return _share(number, window)
    is_whole = number == int(number)
    if number <= 100 or not is_whole:
        raise UsageProblem(f"{value!r} as a budget is unclear: percent or tokens?", _HINT)
    return int(number)


def _with_unit(value: str) -> int:
    """12k or 1.5m."""
    number = float(value[:-1])
    return int(number * _UNITS[value[-1]])


def _share(share: float, window: int) -> int:
    if not 0 < share <= 1:
        return 0
    # The small addend keeps 30 % of 200,000 at 60,000 whatever binary fractions make of .3.
    return int(window * share + 1e-6)


def parse_window(text: str | int) -> int:
    """A window in tokens: 200000, 200k, 1M."""
    value = str(text).strip().casefold()
    for mark in ("_", ","):
        value = value.replace(mark, "")

    has_unit = value[-1:] in _UNITS
    try:
        if has_unit:
            window = _with_unit(value)
        else:
            window = int(value)
    except (ValueError, OverflowError):
        window = 0
    if not 1 <= window <= LARGEST_WINDOW:
        raise UsageProblem(
            f"{value[:60]!r} is not a window.",
            "Write a number of tokens, such as 200000 or 200k.",
        )
    return window


def counted_by(counter: Counter) -> str:
    """A sentence about how far a count is to be trusted."""
    return f"Counted by {counter.name}, {counter.says}"
