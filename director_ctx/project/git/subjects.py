"""Subjects of commits in plain words: what a commit says it did, without what only git or a tracker
needs.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LONGEST, LONGEST_READ = 200, 400
ENOUGH, MOST_LOOKED_AT = 0.6, 20
"""The share of the newest subjects that makes a repository one of Conventional Commits."""
TOOK_BACK = "Took back: "
BROUGHT_BACK = "Brought back: "

BOOKKEEPING = (
    "session: update timestamps",
    "log undo:",
    "idea:",
    "ideas:",
    "brainstorm: save session",
    "refresh: update project context",
    "initialize director project",
    "save work in progress",
)
"""How subjects begin that the folder's own upkeep makes, whatever was committed with it."""
PLANNING = ("onboard:", "blueprint:", "brainstorm:", "refresh:", "pivot:")
"""The same, where a commit stays inside `.director/`."""
CONVENTIONAL = frozenset(
    "feat feature fix bugfix hotfix docs doc style refactor perf test tests build ci chore release wip revert".split()
)
TYPES = CONVENTIONAL.union("onboard blueprint brainstorm refresh pivot session".split())
"""What may stand before a colon, perhaps with a scope, and says what kind of commit it is. A
`Docs:` is a heading.
"""
REPAIRS = ("fix", "bugfix", "hotfix")
REPAIRED = "Fixed: "
DOING = frozenset(
    "accept adapt add address adjust align allow apply avoid bring clarify clear complete convert correct create "
    "declare decode deduplicate delete deny detect disable discard do don't drop enable encode enforce ensure exclude "
    "expand expose extend extract fall generate get give guarantee handle hide honor honour ignore implement improve "
    "include initialize inject insert install keep let limit load loosen lower make mark match merge migrate move "
    "normalize omit only open parse pass permit persist preserve prevent propagate protect provide put raise re-add "
    "re-enable read recognize reduce refactor refuse register reject relax reload remove rename render repair replace "
    "require resolve respect restore retry return revert rewrite sanitize save send set show silence simplify skip "
    "soften specify speed start stop strip support suppress sync take tell tighten treat trim truncate try turn "
    "unblock unify unset update upgrade use validate verify wait wire wrap write".split()
)
"""Verbs, hardly ever nouns, that a repair begins with. `fix: crash` without its type would say the
opposite.
"""
FILLER = frozenset(
    "a additional address addressed addresses adjust adjusted adjustment adjustments again all also an and another "
    "apply applied bit bits bug bugs bugfix change changed changes checkpoint checkpoints clean cleaned cleaning "
    "cleanup code commit commits complete completed completes completion continue copilot do done execution feedback "
    "few file files final finalize finish finished fix fixed fixes fixing fixup fmt follow for format formatting from "
    "git go gofmt goal hotfix improve improved improvement improvements in initial issue issues it leftover leftovers "
    "lint linter linting lots made merge milestone minor misc miscellaneous modified more my nits now of ok on other "
    "phase phases plan pr prettier progress project push quick refactor refactored refactoring remaining review round "
    "several simple small some squash step steps still stuff suggestion suggestions sync task temp temporary that the "
    "things this tidy tmp to try tweak tweaked tweaks typo typos up update updated updates updating various version "
    "whitespace wip with work working works".split()
)
"""Words that say nothing of what was done; a subject that has no others says nothing."""

_FOLLOWS = ("fixup!", "squash!", "amend!")
_MERGES = tuple(
    f"merge {what} "
    for what in ("branch", "branches", "pull request", "remote-tracking", "tag", "commit")
)
_CLOSING = frozenset(
    ("closes", "close", "fixes", "fix", "resolves", "refs", "ref", "see", "pr", "issue", "and")
)
_SMALL_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_FOR_MACHINES = ("[skip ci]", "[ci skip]", "[no ci]")


def plain_words(subject: str) -> str:
    """What a subject says; an empty string where it says nothing.

    The same work has the same words, whether it is done, followed up or taken back: so they can be
    paired.
    """
    text = _without_references(_without_follow_up(subject.strip()[:LONGEST_READ]))
    reverted = _reverted(text)
    if reverted is not None:
        inner = plain_words(reverted)
        if not inner:
            return ""
        return f"{TOOK_BACK}{inner}"

    if text.casefold().startswith(BOOKKEEPING) or _is_merge(text):
        return ""
    text = _without_type(_without_mark(text))
    if not any(_says_something(word) for word in _words(text)):
        return ""
    return clipped(text)


def words_of_planning(subject: str) -> str:
    """The same of a commit that only keeps the plan: what the upkeep of the folder says by itself
    is nothing.
    """
    if subject.casefold().startswith(PLANNING):
        return ""
    return plain_words(subject)


def shown(words: str) -> str:
    """Plain words as they are told: what was taken back twice is there again."""
    return words.replace(f"{TOOK_BACK}{TOOK_BACK}", BROUGHT_BACK)


def clipped(text: str) -> str:
    if len(text) <= LONGEST:
        return text
    return f"{text[:LONGEST].rstrip()}…"


def _without_follow_up(text: str) -> str:
    """`fixup! Add a form` belongs to `Add a form`."""
    while text.casefold().startswith(_FOLLOWS):
        text = text.partition("!")[2].strip()
    return text


def _without_references(text: str) -> str:
    """Without numbers of issues at the end, and what is said to machines there."""
    while True:
        kept = _without_last_reference(text).rstrip()
        if kept == text:
            return text
        text = kept


def _without_last_reference(text: str) -> str:
    for words in _FOR_MACHINES:
        if text.casefold().endswith(words):
            return text[: -len(words)]

    before, opening, inside = text.rpartition("(")
    if opening and inside.endswith(")") and _is_reference(inside[:-1]):
        return before
    return text


def _is_reference(text: str) -> bool:
    """`#12`, `closes #12`, `owner/project#12 and #13`."""
    has_number = False
    for word in text.replace(",", " ").casefold().split():
        _, sign, number = word.rpartition("#")
        if sign and number.isdigit():
            has_number = True
        elif word.rstrip(":") not in _CLOSING:
            return False
    return has_number


def _reverted(text: str) -> str | None:
    """The subject of the commit that this one takes back, if it does so. Git brings one back with
    `Reapply`.
    """
    for verb in ("Revert", "Reapply"):
        opening = f'{verb} "'
        if text.startswith(opening) and text.endswith('"'):
            inner = text[len(opening) : -1]
            if verb == "Revert":
                return inner
            # The revert of it is what is taken back.
            return f'Revert "{inner}"'

    kind, rest = _typed(text)
    if kind != "revert":
        return None
    return rest


def _is_merge(text: str) -> bool:
    low = text.casefold()
    if low.startswith(_MERGES):
        return True
    if not low.startswith("merge "):
        return False
    branch, _, rest = low.removeprefix("merge ").partition(" ")
    return "/" in branch and rest.startswith("into ")


def _without_mark(text: str) -> str:
    """Without a label in brackets, `:sparkles:` or a picture before the words."""
    if text.startswith("["):
        text = text.partition("] ")[2] or text
    if text.startswith(":"):
        text = text[1:].partition(": ")[2] or text
    while text and _is_picture(text[0]):
        text = text[1:]
    return text.strip()


def _is_picture(char: str) -> bool:
    is_sign = "\u2190" <= char <= "\u2bff"
    is_emoji = "\U0001f000" <= char <= "\U0001faff"
    # The last one only chooses between a sign and an emoji.
    return is_sign or is_emoji or char == "\ufe0f"


def _without_type(text: str) -> str:
    """`fix(cart): handle an empty cart` is `Handle an empty cart`."""
    kind, rest = _typed(text)
    if not kind:
        return text
    rest = _without_mark(rest)
    first = rest.partition(" ")[0]
    if kind in REPAIRS and first.casefold() not in DOING:
        return f"{REPAIRED}{rest}"
    # Names such as `v2` and `useEffect` stay as they are written.
    is_plain = first.islower() and first.replace("'", "").isalpha()
    if not is_plain:
        return rest
    return rest[0].upper() + rest[1:]


def _typed(text: str) -> tuple[str, str]:
    """The type before the colon and what stands behind it; no type where there is none."""
    rest = text.lstrip(_SMALL_LETTERS)
    kind = text[: len(text) - len(rest)]
    if rest.startswith("("):
        _, _, rest = rest.partition(")")
    rest = rest.removeprefix("!")
    said = rest.removeprefix(":").strip()
    if kind in TYPES and rest.startswith(":") and said:
        return kind, said
    return "", text


def are_conventional(subjects: Sequence[str]) -> bool:
    """Whether a repository writes Conventional Commits, by its newest subjects."""
    newest = subjects[:MOST_LOOKED_AT]
    typed = [subject for subject in newest if _typed(subject)[0] in CONVENTIONAL]
    return bool(newest) and len(typed) >= ENOUGH * len(newest)


def _words(text: str) -> Iterator[str]:
    spaced = "".join(char if char.isalnum() else " " for char in text)
    return iter(spaced.casefold().split())


def _says_something(word: str) -> bool:
    """Not a filler, a number, or the name of a commit."""
    return word not in FILLER and not word.isdigit() and not _is_hash(word)


def _is_hash(word: str) -> bool:
    if len(word) < 7 or word.strip("0123456789abcdef"):
        return False
    # `defaced` is a word.
    return any(map(str.isdigit, word))
