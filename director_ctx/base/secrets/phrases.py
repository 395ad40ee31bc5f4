"""Words to remember a key by, as wallets give them: twelve to twenty-four small words under a name
that says so.

The list of 2048 words that they come from is not looked at: a name that tells and words of that
form are hardly ever anything else, and without the name no form tells them from prose.
"""

from __future__ import annotations

from director_ctx.base.secrets.names import words_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_LENGTHS = (12, 15, 18, 21, 24)
_PHRASES = frozenset("phrase phrases words mnemonic mnemonics".split())
_TELLING = frozenset("seed recovery secret backup wallet mnemonic mnemonics".split())


def is_phrase_of(name: str, value: Any) -> bool:
    """Whether a text, or a list of words, is such a phrase by its form and by its name."""
    words = value
    if isinstance(value, str):
        words = value.split()
    if not isinstance(words, list) or len(words) not in _LENGTHS:
        return False
    if not all(map(_is_small_word, words)):
        return False
    named = words_of(name)
    is_phrase = not _PHRASES.isdisjoint(named)
    is_telling = not _TELLING.isdisjoint(named)
    return is_phrase and is_telling


def _is_small_word(word: Any) -> bool:
    if not isinstance(word, str) or not 3 <= len(word) <= 8:
        return False
    return word.isascii() and word.isalpha() and word.islower()
