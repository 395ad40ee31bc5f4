"""Logs, and other output in which lines repeat: by level and template, the first and the last of each;
lines that are unlike the others, and stack traces whole.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict

from director_ctx.history.results.columns import FEWEST, Oddness
from director_ctx.history.results.reading import FIRST, LAST, ORNAMENT, ResultReading
from director_ctx.history.results.signals import failing, masked, signs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.history.results.sample import Sample

_LEVEL = re.compile(
    r"\b(TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|CRITICAL|FATAL|SEVERE)\b"
    r"|(?<![^\s\[(])(trace|debug|info|notice|warn(?:ing)?|error|fatal)(?=[\]:)])"
    r"|\blevel=\"?(\w+)"
)
_BEGINS = re.compile(
    r"\W{0,2}(?:\d{4}[-/]\d\d[-/]\d\d[ T]|\d\d:\d\d:\d\d|\d{10,13}[. ]|[A-Z][a-z]{2} +\d{1,2} \d\d:|\w+: ?\d{4}-"
    r"|\[?(?:TRACE|DEBUG|INFO|WARN|ERROR|FATAL)|time=|[\d.]+ \S+ \S+ \[)"
)
"""A time, a level, or an address with a time."""
_GOES_ON = re.compile(
    r"\s|Traceback \(|Caused by: |\t?at |\.\.\. \d+ more|goroutine \d|\w+(?:\.\w+)*(?:Error|Exception)\b"
)
"""How the lines of a stack trace begin that follow its first."""
_TRACES = ("Traceback (most recent call last)", "\ngoroutine ", "stack backtrace:")
_FRAMES = ('", line ', "\n    at ", "\n\tat ")
"""What a stack trace has in it, and more than once in its lines."""
_SHARE = 0.6
"""Of the lines that begin as those of a log do."""
_ALIKE = 0.5
"""Where fewer templates than this share of the lines say it all, they repeat."""
_FIRST_WORDS = 0.25
_FEWEST_ALIKE = 20
_PAIR = re.compile(r"([\w.]+)=(\"[^\"]*\"|\S+)")
_MOST_TOKENS = 14
_LONGEST_TRACE = 60
"""Lines of a stack trace."""
_MOST_TEMPLATES = 0.7
"""Where nearly every line is a template of its own, being the first of one says nothing."""
_LONGEST_SPLIT = 2_000


def recognised(sample: Sample) -> bool:
    if _has_trace(sample.end) or _has_trace(sample.head):
        return True
    if len(sample.lines) < FEWEST:
        return False
    begin = sum(_BEGINS.match(line) is not None for line in sample.lines)
    return begin >= len(sample.lines) * _SHARE


def repeats(sample: Sample) -> bool:
    """Whether a few templates, or a few first words, say it all."""
    lines = sample.lines
    if len(lines) < _FEWEST_ALIKE:
        return False

    templates = set(map(masked, lines))
    if len(templates) <= len(lines) * _ALIKE:
        return True
    first_words = {template.split(None, 1)[0] for template in templates}
    return len(first_words) <= len(lines) * _FIRST_WORDS


def _has_trace(text: str) -> bool:
    if any(mark in text for mark in _TRACES):
        return True
    return any(text.count(mark) > 1 for mark in _FRAMES)


def read(sample: Sample) -> ResultReading | None:
    pieces = _whole_traces(sample.text.split("\n"))
    worths = worths_of_lines(pieces)
    return ResultReading(pieces, worths, "lines", _levels(pieces))


def _whole_traces(lines: Sequence[str]) -> list[str]:
    """The lines, those of a stack trace as one."""
    wrong = failing(lines)
    pieces: list[str] = []
    trace: list[str] = []
    for place, line in enumerate(lines):
        goes_on = trace and _GOES_ON.match(line) and not _BEGINS.match(line)
        if goes_on and len(trace) < _LONGEST_TRACE:
            trace.append(line)
            continue
        if trace:
            pieces.append("\n".join(trace))
        trace = [line] if place in wrong else []
        if not trace:
            pieces.append(line)
    if trace:
        pieces.append("\n".join(trace))
    return pieces


def worths_of_lines(lines: Sequence[str]) -> list[float]:
    """Of each line, by what it has in common with others."""
    templates = list(map(masked, lines))
    oddness = Oddness(len(lines))
    everywhere = range(len(lines))
    if not oddness.rare(templates):
        oddness.rare(list(map(signs, lines)))
    _look_at_tokens(lines, oddness)
    oddness.wrong(lines, everywhere)
    worths = oddness.worths()
    _keep_kinds(templates, worths)
    for place, line in enumerate(lines):
        if not line.strip():
            worths[place] = ORNAMENT
    return worths


def _look_at_tokens(lines: Sequence[str], oddness: Oddness) -> None:
    """Words at the same place of lines with as many words are a column; so are values of one name."""
    tokens = [line[:_LONGEST_SPLIT].split() for line in lines]
    oddness.rare(list(map(len, tokens)))

    by_length: defaultdict[int, list[int]] = defaultdict(list)
    for place, words in enumerate(tokens):
        by_length[len(words)].append(place)
    fewest = max(len(lines) // 4, FEWEST)
    for places in by_length.values():
        if len(places) < fewest:
            continue
        rows = [tokens[place][:_MOST_TOKENS] for place in places]
        for cells in zip(*rows, strict=True):
            _look_at_cells(cells, places, oddness)

    for by_place in _pairs(lines).values():
        present = [place in by_place for place in range(len(lines))]
        oddness.rare(present)
        _look_at_cells(list(by_place.values()), list(by_place), oddness)


def _pairs(lines: Sequence[str]) -> dict[str, dict[int, str]]:
    """For each name the values behind it, `name=value`, by the places of their lines."""
    pairs: defaultdict[str, dict[int, str]] = defaultdict(dict)
    for place, line in enumerate(lines):
        if "=" not in line:
            continue
        for name, value in _PAIR.findall(line[:_LONGEST_SPLIT]):
            pairs[name][place] = value
    return pairs


def _look_at_cells(cells: Sequence[str], places: Sequence[int], oddness: Oddness) -> None:
    column: list[object] = [...] * oddness.rows
    for place, cell in zip(places, cells, strict=True):
        column[place] = _value(cell)
    oddness.column(column, words=False)


def _value(cell: str) -> float | str:
    if not cell[:1].isdigit():
        return cell
    try:
        return float(cell.rstrip("smkMGB%,;"))
    except ValueError:
        return cell


def _keep_kinds(templates: Sequence[str], worths: list[float]) -> None:
    """The first and the last line of each template."""
    first: dict[str, int] = {}
    last: dict[str, int] = {}
    for place, template in enumerate(templates):
        first.setdefault(template, place)
        last[template] = place
    if len(first) > len(templates) * _MOST_TEMPLATES:
        return

    for place in first.values():
        worths[place] = max(worths[place], FIRST)
    for place in last.values():
        worths[place] = max(worths[place], LAST)


def _levels(lines: Sequence[str]) -> list[str]:
    """How many lines there are of each level."""
    counts: Counter[str] = Counter()
    for line in lines:
        match = _LEVEL.search(line, 0, 120)
        if match is not None:
            counts[match[match.lastindex or 0].upper()] += 1
    if len(counts) < 2:
        return []
    told: list[str] = []
    for level, count in counts.most_common(8):
        told.append(f"{level[:12]} {count:,}")
    return [", ".join(told)]
