"""What is to be added to the plan, and the text it begins with."""

from __future__ import annotations

from director_ctx.base.errors import UsageProblem
from director_ctx.base.record import Record
from director_ctx.base.resources import read_shipped
from director_ctx.base.text import plain
from director_ctx.project.reading.model import FOLDER
from director_ctx.project.templates import HINTS, SIZE_HINT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.project.project import Project

FIRST = "Nothing -- this can start right away."
BEFORE = "The previous {}."
LONGEST_NAME = 200


class NewItem(Record):
    """What is to be added, in the user's words."""

    name: str
    about: str = ""
    needs: str = ""
    size: str = ""
    goal: str | None = None
    step: str | None = None
    done: bool = False
    """For a task that is finished already."""


def checked_name(name: str) -> str:
    """A name of one line that reads as a name; anything else could not be listed."""
    if not name.strip() or not plain(name).strip("#*_-. "):
        raise UsageProblem(
            "The name is empty.", "Give it in quotes, such as dctx add task 'Mark a link as read'."
        )
    if plain(name) != name:
        raise UsageProblem("A name is one line of printable text.", "Put the rest into the file.")
    if len(name) > LONGEST_NAME:
        raise UsageProblem(
            "The name is too long.",
            f"Up to {LONGEST_NAME} characters; the rest belongs into the file.",
        )
    if "<!--" in name:
        raise UsageProblem("The name would be read as a comment.", "Leave <!-- out.")
    return name.strip()


def checked_text(option: str, text: str | None) -> str:
    """A sentence of one line that cannot be taken for the beginning of something else."""
    value = (text or "").strip()
    if text is not None and (not value or plain(value) != value):
        raise UsageProblem(
            f"{option} is one line of printable text.", "Put longer text into the file."
        )
    if value.startswith(("#", "```", "~~~", ">", "|")) or "<!--" in value:
        raise UsageProblem(
            f"{option} would be read as markup.", "Begin it with a word; put markup into the file."
        )
    return value


def needing(new: NewItem, before: str) -> NewItem:
    """What was not said is decided by order: the first needs nothing, every other one what stands
    before it.
    """
    if new.needs:
        return new
    needs = FIRST
    if before:
        needs = BEFORE.format(before)
    return new.replace(needs=needs)


def filled(
    project: Project,
    kind: str,
    new: NewItem,
    number: int,
) -> bytes:
    """The project's own template, else the shipped one. Values go in once and are not read again."""
    own = project.text(f"{FOLDER}/templates/{kind}.md")
    text = own
    if not own.strip():
        text = read_shipped("templates", "plan", f"{kind}.md")

    values = {
        "number": str(number),
        "name": new.name,
        "about": new.about or HINTS[kind],
        "needs": new.needs,
        "size": new.size or SIZE_HINT,
    }
    # In one pass, so that a value with braces of its own is not filled in turn.
    first, *pieces = text.split("{{")
    done = [first]
    for piece in pieces:
        key, closed, rest = piece.partition("}}")
        key = key.strip()
        if closed and key in values:
            done.append(values[key] + rest)
        else:
            done.append("{{" + piece)
    return "".join(done).encode("utf-8", "replace")
