"""How often real prompts, which know nothing of a plan, are taken to name one of its tasks.

usage: python -m benchmarks.named_tasks --sessions DIR [--show N]

DIR holds sessions of Claude Code and Codex (`*.jsonl`, at any depth). Every message of a user and
every prompt of a spawned agent is read against the example's plan and the three of
`benchmarks/named_plans.py`. Nearly every hit is a mistake: N of each plan are printed, for a person
to judge.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from benchmarks.named_plans import PLANS, write_plan
from benchmarks.survival.real import windows
from director_ctx import load_project
from director_ctx.clients.table import CLIENTS
from director_ctx.project.tasks.in_words import task_in_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from director_ctx import Project

EXAMPLE = Path(__file__).parents[1] / "examples" / "reading-list"
# Codex has no hook for a spawn, so its tool is in no table.
SPAWN_TOOLS = {"spawn_agent", *(tool for client in CLIENTS.values() for tool in client.spawn_tools)}
WIDTH = 300
"""Characters that are printed of a prompt, from a little before what is unknown in it."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.named_tasks", description=__doc__)
    parser.add_argument("--sessions", type=Path, metavar="DIR", required=True)
    parser.add_argument("--show", type=int, metavar="N", default=20, help="hits of each plan")
    options = parser.parse_args()

    # The same prompt stands in several windows, or was given to several agents.
    prompts = list(
        dict.fromkeys(
            prompt
            for path in sorted(options.sessions.rglob("*.jsonl"))
            for prompt in prompts_of(path)
            if prompt[1].strip()
        )
    )
    spawned = sum(kind == "spawn" for kind, _ in prompts)
    print(f"{len(prompts) - spawned} messages of users, {spawned} prompts of spawned agents")
    with TemporaryDirectory() as folder:
        roots = {"example": EXAMPLE}
        for name in PLANS:
            roots[name] = Path(folder, name)
            write_plan(roots[name], name)
        for name, root in roots.items():
            put_hits(name, load_project(root=str(root)), prompts, options.show)


def prompts_of(path: Path) -> Iterator[tuple[str, str]]:
    _, chats = windows(path)
    for chat in chats:
        for message in chat:
            if message["role"] == "user":
                yield "user", message["content"]
            for call in message.get("tool_calls") or ():
                function = call["function"]
                if function["name"].rpartition(".")[2] in SPAWN_TOOLS:
                    yield "spawn", _prompt(function["arguments"])


def _prompt(arguments: str) -> str:
    try:
        given: Any = json.loads(arguments)
    except ValueError:
        return ""
    if not isinstance(given, dict):
        return ""
    # Claude Code's name for it, and Codex's.
    return str(given.get("prompt") or given.get("message") or "")


def put_hits(name: str, project: Project, prompts: list[tuple[str, str]], most: int) -> None:
    """The counts of one plan, and its first hits."""
    hits: list[tuple[str, str]] = []
    counts = {"task": 0, "next": 0, "unknown": 0}
    for kind, prompt in prompts:
        named = task_in_words(project, prompt)
        if named.place:
            meaning = "task"
            about = " ".join(place.ref for place in (named.place, *named.also))
        elif named.asks_next:
            meaning, about = "next", ""
        elif named.unknown:
            meaning, about = "unknown", repr(named.unknown)
        else:
            continue
        counts[meaning] += 1
        start = max(0, prompt.find(named.unknown) - WIDTH // 3) if named.unknown else 0
        text = " ".join(prompt[start : start + WIDTH].split())
        hits.append((f"{meaning} {about}".strip(), f"{kind}, {len(prompt)} characters: {text}"))

    of_all = ", ".join(f"{count} {meaning}" for meaning, count in counts.items())
    print(f"\nplan {name}: {of_all} ({len(hits) / max(1, len(prompts)):.1%})")
    for meaning, text in hits[:most]:
        print(f"  {meaning}\n    {text}")


if __name__ == "__main__":
    main()
