"""The shipped skills as each client wants them: where they are, what they are called, how they call
dctx. Pure.

Every file carries the hash of its own text, so that what somebody changed is told from what we
wrote.
"""

from __future__ import annotations

import json
import re

from director_ctx.base.hashing import text_digest
from director_ctx.base.record import Record
from director_ctx.clients.entries import PROGRAM, shell_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_SEAL = re.compile(r'(dctx-sha256: "?)([0-9a-f]{64})')
OPEN = "0" * 64
_INJECTED = re.compile(r"^!`([^`]+)`$", re.MULTILINE)
ARGUMENTS = "$ARGUMENTS"
_SAID = "what the user wrote with this command"


class Shipped(Record):
    """One shipped skill, as its SKILL.md has it."""

    name: str
    description: str
    body: str


class SkillFolder(Record):
    """Where a client looks, and how a user calls what it finds there. `NAME` stands for the skill's
    name.
    """

    path: str
    called: str
    home_variable: str = ""
    """The environment variable that moves the first folder of the path in the user's home."""
    user_path: str = ""
    """The path in the user's home, where that is another."""


_COPILOT = SkillFolder(
    path=".github/skills/dctx-NAME/SKILL.md",
    called="/dctx-NAME",
    home_variable="COPILOT_HOME",
    user_path=".copilot/skills/dctx-NAME/SKILL.md",
)
"""VS Code looks where Copilot CLI does."""

SKILL_FOLDERS: dict[str, SkillFolder] = {
    "claude": SkillFolder(".claude/skills/dctx-NAME/SKILL.md", "/dctx-NAME", "CLAUDE_CONFIG_DIR"),
    "codex": SkillFolder(".agents/skills/dctx-NAME/SKILL.md", "$dctx-NAME"),
    "gemini": SkillFolder(".gemini/commands/dctx/NAME.toml", "/dctx:NAME"),
    "cursor": SkillFolder(".cursor/commands/dctx-NAME.md", "/dctx-NAME"),
    "copilot": _COPILOT,
    "vscode": _COPILOT,
}
"""Our prefix keeps out of the way of the clients' own commands: Claude Code and Codex have a
/status.
"""


def installed_skill(
    skill: Shipped,
    client: str,
    program: tuple[str, ...],
) -> str:
    """The whole file for a client, sealed."""
    form = _FORMS[client]
    body = calling(skill.body, program)
    return sealed(form(skill.replace(body=body), program))


def plugin_skill(skill: Shipped, program: tuple[str, ...]) -> str:
    """Its SKILL.md in the plugin, whose name stands before the skill's anyway."""
    return _skill_md(skill.name, skill.description, calling(skill.body, program), program)


def calling(body: str, program: tuple[str, ...]) -> str:
    """The text with every command calling this program."""
    if program == (PROGRAM,):
        return body
    return body.replace(f"`{PROGRAM} ", f"`{shell_line(program)} ")


def _skill_md(
    name: str,
    description: str,
    body: str,
    program: tuple[str, ...],
    seal: str = "",
) -> str:
    tools = f"Bash({shell_line(program)} *)"
    if program != (PROGRAM,):
        # A path may have in it what means something in YAML.
        tools = json.dumps(tools, ensure_ascii=False)
    lines = [
        "---",
        f"name: {name}",
        f"description: {description}",
        "license: MIT",
        "compatibility: Needs the dctx command; pip install director-ctx brings it.",
        f"allowed-tools: {tools}",
    ]
    if seal:
        lines.append("metadata:")
        lines.append(f'  dctx-sha256: "{seal}"')
    lines.append("---")
    head = "\n".join(lines)
    return f"{head}\n\n{body}\n"


def _claude(skill: Shipped, program: tuple[str, ...]) -> str:
    return _skill_md(f"dctx-{skill.name}", skill.description, skill.body, program, OPEN)


def _by_hand(skill: Shipped, program: tuple[str, ...]) -> str:
    """For clients that carry nothing out and fill nothing in: commands stand there to be run."""
    body = _to_be_run(skill.body)
    return _skill_md(f"dctx-{skill.name}", skill.description, body, program, OPEN)


def _gemini(skill: Shipped, _: tuple[str, ...]) -> str:
    # It has injections and arguments of its own kind, in a file of TOML.
    prompt = _INJECTED.sub(r"!{\1}", skill.body).replace(ARGUMENTS, "{{args}}")
    quoted = prompt.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    description = json.dumps(skill.description, ensure_ascii=False)
    return f'# dctx-sha256: {OPEN}\ndescription = {description}\nprompt = """\n{quoted}\n"""\n'


def _cursor(skill: Shipped, _: tuple[str, ...]) -> str:
    return f"{_to_be_run(skill.body)}\n\n<!-- dctx-sha256: {OPEN} -->\n"


def _to_be_run(body: str) -> str:
    return _INJECTED.sub(r"`\1`", body).replace(ARGUMENTS, _SAID)


_FORMS: dict[str, Callable[[Shipped, tuple[str, ...]], str]] = {
    "claude": _claude,
    "codex": _by_hand,
    "gemini": _gemini,
    "cursor": _cursor,
    "copilot": _by_hand,
    "vscode": _by_hand,
}


def sealed(text: str) -> str:
    """The text with the hash of itself in the place that is left open for it."""
    return _SEAL.sub(rf"\g<1>{text_digest(text)}", text, count=1)


def is_ours(text: str) -> bool:
    """Whether it is as some version of dctx wrote it, whatever a checkout did to its line ends."""
    # git may have written it with line ends of Windows.
    unix = text.replace("\r\n", "\n")
    seal = _SEAL.search(unix)
    if seal is None:
        return False
    unsealed = _SEAL.sub(rf"\g<1>{OPEN}", unix, count=1)
    return text_digest(unsealed) == seal[2]
