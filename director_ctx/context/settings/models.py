"""Windows and tokenizers of current models. `dctx.yaml` can add to this table and override it."""

from __future__ import annotations

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
    known = {**MODELS, **(extra or {})}
    wanted = name.strip().casefold()
    if wanted.endswith(LONG_CONTEXT_SUFFIX):
        plain = wanted.removesuffix(LONG_CONTEXT_SUFFIX)
        base = None if plain.endswith(LONG_CONTEXT_SUFFIX) else find_model(plain, extra)
        return Model(1_000_000, base.tokenizer if base else "")
    wanted = wanted.rpartition("/")[2]
    for dotted in ("anthropic.", "openai.", "google."):
        wanted = wanted.rpartition(dotted)[2] if dotted in wanted else wanted
    matches = [key for key in known if _begins(wanted, key.casefold())]
    return known[max(matches, key=len)] if matches else None


def _begins(name: str, key: str) -> bool:
    rest = name.removeprefix(key)
    return name.startswith(key) and (not rest or not rest[0].isalnum())
