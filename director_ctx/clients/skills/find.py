"""Skills by name or path, and what is known when one is rendered."""

from __future__ import annotations

import os

from director_ctx.base.errors import DctxError
from director_ctx.base.system.yaml_file import parse_yaml
from director_ctx.clients.entries import PROGRAM
from director_ctx.clients.program import program
from director_ctx.clients.skills.arguments import Values, split_words, typed
from director_ctx.clients.skills.by_client import PLACES, installed_skill
from director_ctx.clients.skills.files import (
    SHIPPED,
    SkillFile,
    find_skill,
    list_skills,
    read_text,
    shipped_skills,
)
from director_ctx.clients.skills.skill import Skill, split
from director_ctx.project.reading.locate import absolute, locate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from director_ctx.clients.skills.by_client import Shipped

_FROM_CLIENT = {"CLAUDE_SESSION_ID": "CLAUDE_CODE_SESSION_ID", "CLAUDE_EFFORT": "CLAUDE_EFFORT"}
"""Placeholders that only a client knows; it tells the commands that it runs."""


def here(root: str | None) -> str:
    """The project's root; the current folder where there is none, because skills are there without
    one.
    """
    try:
        return locate(root=root)
    except DctxError:
        if root:
            raise
        return absolute(".")


def skills(root: str) -> list[Skill]:
    """All of them, the nearest first; one that cannot be read says why."""
    return [_read_or_problem(file) for file in list_skills(root)]


def copies_of_ours(known: Sequence[Skill]) -> dict[str, list[Skill]]:
    """By the path of each skill of dctx: where `dctx agents install --what skills` put it, and it is what this
    dctx would write.

    Its seal is no proof: anybody can make one.
    """
    texts_by_name = {skill.name: _written(skill) for skill in shipped_skills()}
    copies: dict[str, list[Skill]] = {}
    for skill in known:
        if skill.source != SHIPPED:
            continue
        texts = texts_by_name.get(skill.name)
        if texts is not None:
            copies[skill.path] = _copies(f"dctx-{skill.name}", texts, known)
    return copies


def _copies(
    name: str,
    texts: set[str],
    known: Sequence[Skill],
) -> list[Skill]:
    return [skill for skill in known if skill.name == name and skill.text in texts]


def _written(skill: Shipped) -> set[str]:
    """Its file for each client, for this machine and for everybody's."""
    texts: set[str] = set()
    for words in (program(), (PROGRAM,)):
        for client in PLACES:
            texts.add(installed_skill(skill, client, words))
    return texts


def _read_or_problem(file: SkillFile) -> Skill:
    try:
        return read_skill(file)
    except DctxError as error:
        return unreadable(file, error)


def unreadable(file: SkillFile, error: DctxError) -> Skill:
    """A skill of which nothing is known but where it is, and why it cannot be read."""
    return Skill(
        name=file.name,
        source=file.source,
        path=file.path,
        text="",
        about={},
        body="",
        first_line=1,
        problem=error.message,
    )


def skill_named(name: str, root: str) -> Skill:
    return read_skill(find_skill(name, root))


def read_skill(file: SkillFile) -> Skill:
    """The skill; a frontmatter that cannot be read is its `problem`."""
    text = read_text(file.path)
    front, body, first_line = split(text)
    about, problem = _about(front)
    return Skill(
        name=file.name,
        source=file.source,
        path=file.path,
        text=text,
        about=about,
        body=body,
        first_line=first_line,
        problem=problem,
    )


def _about(front: str | None) -> tuple[dict[str, object], str]:
    if front is None:
        return {}, "there is no frontmatter"
    try:
        data = parse_yaml(front, "the frontmatter")
    except DctxError as error:
        return {}, error.message.rstrip(".")
    # YAML takes a single word for a text, and nothing at all for nothing.
    if not isinstance(data, dict):
        return {}, "the frontmatter is not a table"
    return {str(key): value for key, value in data.items()}, ""


def values_for(skill: Skill, arguments: Sequence[str], root: str) -> Values:
    text = typed(arguments)
    words = tuple(arguments)
    # One argument is not divided yet.
    if len(arguments) <= 1:
        words = split_words(text)
    return Values(
        text=text,
        words=words,
        names=skill.names,
        places=known_variables(skill, root),
    )


def known_variables(skill: Skill, root: str) -> dict[str, str]:
    """What `${CLAUDE_SKILL_DIR}` and the like stand for, as far as that is known."""
    known = {"CLAUDE_SKILL_DIR": skill.folder, "CLAUDE_PROJECT_DIR": root}
    # In a plugin, skills lie in a folder of their own at its top.
    plugin = os.path.dirname(os.path.dirname(skill.folder))
    manifest = os.path.join(plugin, ".claude-plugin", "plugin.json")
    if os.path.isfile(manifest):
        known["CLAUDE_PLUGIN_ROOT"] = plugin

    for name, variable in _FROM_CLIENT.items():
        value = os.environ.get(variable)
        if value:
            known[name] = value
    return known
