"""What is wrong with a skill."""

from __future__ import annotations

import re
from typing import Any

import yaml

KEYS = {"name", "description", "license", "allowed-tools", "metadata", "compatibility"}


def complaints(text: str, folder: str) -> list[str]:
    """A strict reading of the open standard."""
    found = re.match(r"\A---\n(.*?)\n---\n(.*)\Z", text, re.DOTALL)
    if not found:
        return ["no frontmatter"]
    values: dict[str, Any] = yaml.safe_load(found[1])
    name, description = values.get("name", ""), values.get("description", "")
    wrong = [f"unknown key {key}" for key in values.keys() - KEYS]
    wrong += [
        f"{key} is not text"
        for key in values.keys() - {"metadata"}
        if not isinstance(values[key], str)
    ]
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name) or len(name) > 64 or name != folder:
        wrong.append("name")
    if not 0 < len(description) <= 1024 or re.search("[<>]", description):
        wrong.append("description")
    if len(values.get("compatibility", "")) > 500:
        wrong.append("compatibility")
    if not all(isinstance(one, str) for pair in values.get("metadata", {}).items() for one in pair):
        wrong.append("metadata")
    return wrong
