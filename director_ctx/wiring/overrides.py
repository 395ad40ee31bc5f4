"""What a project changes about what agents are told: instructions of its own, and a profile for every type of agent.

Whoever wrote the repository chose it, so it holds once the user has agreed to these very words.
"""

from __future__ import annotations

from director_ctx.context.hooks import NONE
from director_ctx.digest import text_digest
from director_ctx.folder.model import FOLDER
from director_ctx.folder.project import FILE
from director_ctx.outside.consents import consents_in, is_trusted, keep
from director_ctx.record import Record
from director_ctx.resources import read_shipped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from director_ctx.context.hooks import Hooks
    from director_ctx.folder.project import Project

INSTRUCTIONS = f"{FOLDER}/instructions"
DEFAULT = "hooks.default"
UNUSED = "that the user has not agreed to, so they are not used"
_NO = "no: "
"""Before the mark of what the user was asked about, and did not want."""


class Override(Record):
    """One of them, by the path of its file or by its key in `dctx.yaml`."""

    thing: str
    text: str

    @property
    def mark(self) -> str:
        return text_digest(self.text)


def overrides(project: Project) -> Iterator[Override]:
    """All that this project has, whether the user has agreed to it or not."""
    for name, kind in project.listing(INSTRUCTIONS).items():
        if kind != FILE or not name.endswith(".md"):
            continue
        path = f"{INSTRUCTIONS}/{name}"
        text = project.text(path)
        if text.strip() and not is_shipped(name, text):
            yield Override(path, text)

    from director_ctx.wiring.options import written_settings

    hooks = written_settings(project).hooks
    if hooks and hooks.default not in ("", NONE):
        yield Override(DEFAULT, hooks.default)


def is_shipped(name: str, text: str) -> bool:
    """Whether it is, unchanged, what dctx itself would say."""
    try:
        return text == read_shipped("templates", "instructions", name)
    except OSError:
        return False


def is_agreed(project: Project, override: Override) -> bool:
    if project.past:
        return project.past.own_instructions
    return is_trusted(project.agreed_in, override.thing, override.mark)


def agreed_hooks(project: Project, hooks: Hooks) -> Hooks:
    """The same, without a default that the user has not agreed to."""
    if hooks.default == NONE or is_agreed(project, Override(DEFAULT, hooks.default)):
        return hooks
    return hooks.replace(default="")


def not_agreed(project: Project) -> list[Override]:
    """What the user has not agreed to."""
    return [one for one in overrides(project) if not is_agreed(project, one)]


def unanswered(project: Project) -> list[Override]:
    """Of that, what the user was not even asked about."""
    answers = consents_in(project.root)
    return [one for one in not_agreed(project) if answers.get(one.thing) != f"{_NO}{one.mark}"]


def agree(project: Project, wanted: Iterable[Override]) -> None:
    keep(project.root, {one.thing: one.mark for one in wanted})


def refuse(project: Project, unwanted: Iterable[Override]) -> None:
    """Remembered, so that nobody is asked twice."""
    keep(project.root, {one.thing: f"{_NO}{one.mark}" for one in unwanted})


def take_back(project: Project) -> bool:
    """Whether there was anything to take back."""
    known = consents_in(project.root)
    ours = [thing for thing in known if thing == DEFAULT or thing.startswith(f"{INSTRUCTIONS}/")]
    return keep(project.root, dict.fromkeys(ours, ""))


def said_of(unused: list[Override]) -> str:
    """In words for people and agents alike. The names of files are the repository's own words, so they are counted."""
    files = sum(one.thing != DEFAULT for one in unused)
    parts = [f"instructions of its own ({files} file{'s' * (files != 1)})"] if files else []
    if len(unused) > files:
        parts.append(f"a profile for every type of agent ({DEFAULT})")
    return f"This project has {' and '.join(parts)} {UNUSED}"
