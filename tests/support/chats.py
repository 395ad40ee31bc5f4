"""A project with a goal and steps, a scripted provider, and a conversation between them."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT
from keeping_provider import KeepingProvider

from director_ctx import DirectorConversation, OwnTool

KEY = "sk-proj-Zk3vQ8LwT5nR1xYb7HcD9mFs2GpA6eUj4KtV0iXo"
"""Of nobody."""
LOOK = {
    "type": "function",
    "name": "look",
    "description": "Looks something up.",
    "parameters": {"type": "object", "properties": {"at": {"type": "string"}}},
}


def project_in(folder: Path) -> str:
    place = folder / "project"
    shutil.copytree(ROOT / "examples/reading-list", place, ignore=shutil.ignore_patterns(".dctx"))
    return str(place)


def keys(patch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        patch.setenv(name, KEY)
    for name in ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "CLEAN_CONTEXT_ENABLED"):
        patch.delenv(name, raising=False)


def talk(provider: KeepingProvider, root: str, **options: Any) -> DirectorConversation:
    """With OpenAI's client; with `model="claude-…"`, Anthropic's."""
    model = options.setdefault("model", "gpt-6.1-terra")
    url = provider.url if model.startswith("claude") else f"{provider.url}/v1"
    options.setdefault("retries", 0)
    return DirectorConversation(root, base_url=url, **options)


def looking(size: int = 1_500) -> OwnTool:
    """A tool whose answers are long, each another one."""
    return OwnTool(
        LOOK, lambda given: f"{given.get('at')}: " + f"line of {given.get('at')} " * (size // 12)
    )
