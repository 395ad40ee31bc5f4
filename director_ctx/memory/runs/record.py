"""Writes down what an agent was told, after it was told."""

from __future__ import annotations

import os
import time

from director_ctx.base.hashing import digest
from director_ctx.memory.runs.add import add_run
from director_ctx.memory.runs.run import Run, Told

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.context.assembly import Assembly
    from director_ctx.project.project import Project

SWITCH = "DCTX_RECORD"


def record(project: Project, assembly: Assembly) -> None:
    """One line and the texts of the sections, unless the user or the project wants none. Never fails."""
    if os.environ.get(SWITCH, "").casefold() in ("off", "0", "no", "false") or not assembly.recorded:
        return
    texts = [one.text.encode("utf-8", "replace") for one in assembly.sections]
    hashes = [digest(text) for text in texts]
    add_run(project.root, make_run(assembly, hashes), dict(zip(hashes, texts, strict=True)))


def make_run(assembly: Assembly, hashes: list[str]) -> Run:
    budget, text = assembly.budget, assembly.text
    told = zip(assembly.sections, hashes, strict=True)
    return Run(
        id=f"r{os.urandom(3).hex()}",
        time=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        agent=assembly.agent,
        task=str((assembly.task or {}).get("ref", "")),
        window=budget.window,
        limit=budget.limit,
        used=budget.used,
        status=budget.status,
        counter=assembly.counter.name,
        sections=tuple(Told(one.tag, one.tokens, sha) for one, sha in told),
        reductions=tuple(dict.fromkeys(cut.rung for cut in assembly.reductions)),
        prefix=digest(text[: assembly.stable_prefix_chars].encode("utf-8", "replace")),
        sha256=digest(text.encode("utf-8", "replace")),
    )
