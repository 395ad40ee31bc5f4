"""What can be typed in a chat besides a message: words that begin with a slash."""

from __future__ import annotations

from director_ctx.base.errors import UsageProblem
from director_ctx.base.record import Record
from director_ctx.base.text import plain
from director_ctx.context.settings.tags import COMPRESSED, CONVERSATION
from director_ctx.doors.cli.shared.speak import say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from director_ctx.chat.conversation import DirectorConversation

    Action = Callable[[DirectorConversation, str], None]


class SlashCommand(Record):
    name: str
    says: str
    words: tuple[str, ...] = ()
    """The command line of dctx that it stands for, where it does."""
    action: Action | None = None
    takes: tuple[str, ...] = ()
    """What may stand behind it."""


def is_command(said: str) -> bool:
    """A path begins with a slash, too, and has another one."""
    word = said.split(maxsplit=1)[0] if said.strip() else ""
    return word.startswith("/") and "/" not in word[1:]


def carry_out(conversation: DirectorConversation, said: str) -> bool:
    """Whether the conversation goes on."""
    word, *given = said.split()
    rest = " ".join(given)
    if word in ("/quit", "/exit"):
        _expect_nothing(word, rest)
        return False
    for command in COMMANDS:
        if command.name == word:
            if rest not in command.takes:
                _expect_nothing(word, rest, command.takes)
            _run(command, conversation, rest)
            return True
    raise UsageProblem(f"There is no {word[:40]}.", "/help lists what there is.")


def _expect_nothing(word: str, rest: str, takes: tuple[str, ...] = ()) -> None:
    """Whoever says more than a command takes means something else."""
    if rest:
        ways = [word, *(f"{word} {more}" for more in takes)]
        raise UsageProblem(f"{word} takes no {plain(rest[:40])!r}.", f"{', or '.join(ways)}.")


def _run(command: SlashCommand, conversation: DirectorConversation, rest: str) -> None:
    if command.action:
        command.action(conversation, rest)
        return
    from director_ctx.doors.cli.boundary import answer

    words = list(command.words)
    if conversation.project:
        words += ["--root", conversation.project.root]
    answer(words)


def _compress(conversation: DirectorConversation, _: str) -> None:
    text = conversation.compress()
    if not text:
        say("There is nothing to sum up yet.")
        return
    say(
        "A summary stands for what was said; the next request begins with a whole context, once.",
        "/undo reset takes it back.",
    )


def _undo(conversation: DirectorConversation, what: str) -> None:
    if what == "reset":
        conversation.undo_reset()
        say("The last reset is taken back: everything is told as it was said.")
        return
    conversation.undo()
    say("The last turn is taken back. The store still has it.")


def _context(conversation: DirectorConversation, _: str) -> None:
    from director_ctx.doors.cli.shared.table import put_table

    sizes = conversation.context()
    rows = [[name, f"{tokens:,}"] for name, tokens in sizes.items()]
    rows.append(["all of it", f"{sum(sizes.values()):,}"])
    put_table(["Part", ">Tokens"], rows)


def _fork(conversation: DirectorConversation, _: str) -> None:
    left = conversation.id[:8]
    new = conversation.fork()[:8]
    say(f"This is chat {new} from here on; {left} stays as it was.")


def _help(_: DirectorConversation, __: str) -> None:
    from director_ctx.doors.cli.shared.table import put_table

    rows: list[list[str]] = []
    for command in COMMANDS:
        rows.append([command.name, command.says])
    rows.append(["/quit", "end; so does Ctrl-D"])
    put_table(["Type", "To"], rows)


# What others said is no part of this chat; /context has what was said here.
_BUDGET = ("budget", "director", "--without", CONVERSATION, "--without", COMPRESSED)
COMMANDS = (
    SlashCommand("/plan", "see the plan", ("plan", "show")),
    SlashCommand("/budget", "see what a context of the project has in it", _BUDGET),
    SlashCommand("/vars", "see the variables", ("vars", "show")),
    SlashCommand("/context", "see what the model is told, by part", action=_context),
    SlashCommand("/compress", "put a summary in the place of what was said", action=_compress),
    SlashCommand(
        "/undo",
        "take the last turn back; with reset, the last reset",
        action=_undo,
        takes=("reset",),
    ),
    SlashCommand("/fork", "go on in another chat", action=_fork),
    SlashCommand("/help", "see this", action=_help),
)
