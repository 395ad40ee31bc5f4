"""The forms that a result may have, in the order in which they are tried: what is sure by its first
characters before what is likely by its lines.
"""

from __future__ import annotations

from director_ctx.base.record import Record
from director_ctx.history.results import (
    code,
    console,
    diffs,
    document,
    html_page,
    json_document,
    json_lines,
    listing,
    log,
    search_hits,
    snapshot,
    tables,
    test_runs,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from director_ctx.history.results.reading import ResultReading
    from director_ctx.history.results.sample import Sample


class Form(Record):
    """One kind of result: by what it is known, and how it is read."""

    name: str
    """As a stub calls it."""
    recognised: Callable[[Sample], bool]
    read: Callable[[Sample], ResultReading | None]
    """None if it is something else after all."""
    kept: str
    """What stays of it first, for people."""


FORMS = (
    Form(
        "JSON lines",
        json_lines.recognised,
        json_lines.read,
        "the schema once, odd rows, errors, first and last",
    ),
    Form(
        "JSON",
        json_document.recognised,
        json_document.read,
        "the schema of each list once, odd rows, errors, short values by path",
    ),
    Form(
        "HTML",
        html_page.recognised,
        html_page.read,
        "title, headings, forms, main text; no navigation, no scripts",
    ),
    Form("page", snapshot.recognised, snapshot.read, "headings, alerts, what can be acted on"),
    Form("console", console.recognised, console.read, "errors and warnings with their counts"),
    Form(
        "tests",
        test_runs.recognised,
        test_runs.read,
        "failures whole, the summary; what passed is counted",
    ),
    Form("diff", diffs.recognised, diffs.read, "files, heads of hunks, then changed lines"),
    Form(
        "log",
        log.recognised,
        log.read,
        "errors, stack traces whole, odd lines, first and last of each template",
    ),
    Form(
        "search",
        search_hits.recognised,
        search_hits.read,
        "files with their number of hits, the first hit of each",
    ),
    Form("table", tables.recognised, tables.read, "the header, odd rows, errors, first and last"),
    Form(
        "files",
        listing.recognised,
        listing.read,
        "folders with their number of files, names that are unlike others",
    ),
    Form("document", document.recognised, document.read, "headings, and how each paragraph begins"),
    Form("code", code.recognised, code.read, "signatures, what is said below them, notes"),
    Form("output", log.repeats, log.read, "errors, odd lines, first and last of each template"),
)
