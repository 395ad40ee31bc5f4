"""usage: python -m benchmarks.survival.handover [DIR] [--share S] [--missing]

The hand-over alone, on real sessions, in a share of the room that a digest has.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from pathlib import Path
from statistics import fmean
from time import process_time
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.survival.going_on import KINDS, Share, missing, share_by_kind
from director_ctx.history.formats.document import read
from director_ctx.history.handover.running import handover_of
from director_ctx.history.handover.write import newest, written
from director_ctx.history.messages.message import THINKING
from director_ctx.history.signals.compactions import pieces

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from director_ctx.history.messages.message import Message

RATIOS = (0.05, 0.10, 0.20, 0.30)
CUTS = (0.5, 0.75, 1.0)
LEAST = 20_000
"""Tokens before a cut."""
_ROW = re.compile(r"^\| (\S+\.jsonl) \| [^|]+ \| ([^|]+) \| ([^|]+) \|", re.MULTILINE)


class Verdict(NamedTuple):
    author: str
    session: str
    ratio: float
    shares: dict[str, Share]
    tokens: float
    seconds: float
    lost: list[str]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.survival.handover")
    parser.add_argument("folder", nargs="?", type=Path, default=os.environ.get("DCTX_SESSIONS"))
    parser.add_argument("--share", type=float, default=1 / 3, help="of the digest's room (1/3)")
    parser.add_argument("--missing", action="store_true", help="print what is lost as well")
    options = parser.parse_args()
    if not options.folder or not Path(options.folder).is_dir():
        raise SystemExit("Name a folder of sessions, or set DCTX_SESSIONS.")

    verdicts = list(judged(Path(options.folder), options.share))
    if not verdicts:
        raise SystemExit(f"There are no sessions in {options.folder}/OWNER+REPOSITORY/.")
    for ratio in RATIOS:
        print(_table(ratio, [verdict for verdict in verdicts if verdict.ratio == ratio]))
    if options.missing:
        _print_missing(verdicts)


def judged(folder: Path, share: float) -> Iterator[Verdict]:
    for path in sorted(folder.glob("*/*.jsonl")):
        author = _author(path)
        for number, piece in enumerate(pieces(path.read_bytes())):
            lines = piece.splitlines(keepends=True)
            for cut in CUTS:
                before = lines[: round(len(lines) * cut)]
                name = f"{path.stem[:13]}.{number}@{cut}"
                yield from _at_ratios(author, name, before, share)


def _author(path: Path) -> str:
    readme = (path.parent / "README.md").read_text()
    for file, client, author in _ROW.findall(readme):
        if file == path.name:
            named = author.strip() not in ("-", "")
            return (
                f"{path.parent.name}/{author.strip()}" if named else f"{path.parent.name}/{client}"
            )
    return path.parent.name


def _at_ratios(author: str, name: str, lines: Sequence[bytes], share: float) -> Iterator[Verdict]:
    try:
        messages = read(b"".join(lines), None).messages
    except Exception as error:
        print(f"{name}: {error}", file=sys.stderr)
        return
    tokens = _visible(messages)
    if tokens < LEAST:
        return
    entries = list(_entries(lines))
    start = process_time()
    handover = newest(handover_of(messages))
    seconds = process_time() - start
    for ratio in RATIOS:
        text = written(handover, int(tokens * ratio * share * 4))
        shares = share_by_kind(entries, text)
        lost = missing(entries, text)
        yield Verdict(author, name, ratio, shares, len(text) / 4, seconds, lost)


def _entries(lines: Sequence[bytes]) -> Iterator[dict[str, Any]]:
    """What masking secrets has broken is nobody's line."""
    for line in lines:
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if isinstance(entry, dict):
            yield entry


def _visible(messages: Sequence[Message]) -> float:
    letters = 0
    for message in messages:
        letters += sum(len(block.text) for block in message.blocks if block.kind != THINKING)
    return letters / 4


def _mean(verdicts: Sequence[Verdict], kind: str) -> float:
    """Each session counts once, where there is something to ask for."""
    values = [one.shares[kind].value for one in verdicts if one.shares[kind].asked]
    return fmean(values) if values else float("nan")


def _all(verdicts: Sequence[Verdict]) -> float:
    present = [sum(share.present for share in one.shares.values()) for one in verdicts]
    asked = [sum(share.asked for share in one.shares.values()) for one in verdicts]
    return fmean(some / many for some, many in zip(present, asked, strict=True) if many)


def _table(ratio: float, verdicts: Sequence[Verdict]) -> str:
    rows = [
        f"at {ratio:.0%}",
        f"{'author':44} cuts " + " ".join(f"{kind:>9}" for kind in KINDS) + "       all  tokens",
    ]
    by_author: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        by_author.setdefault(verdict.author, []).append(verdict)
    for author, own in [*sorted(by_author.items()), ("everybody", list(verdicts))]:
        shares = " ".join(f"{_mean(own, kind):9.3f}" for kind in KINDS)
        size = fmean(one.tokens for one in own)
        rows.append(f"{author:44} {len(own):4} {shares} {_all(own):9.3f} {size:7.0f}")
    return "\n".join([*rows, ""])


def _print_missing(verdicts: Sequence[Verdict]) -> None:
    for verdict in verdicts:
        for row in verdict.lost:
            print(f"{verdict.ratio:.0%} {verdict.session} {row[:220]!r}", file=sys.stderr)


if __name__ == "__main__":
    main()
