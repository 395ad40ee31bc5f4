"""A conversation at the terminal. Ctrl-C stops a turn, Ctrl-D ends the program; whatever was said is kept."""

from __future__ import annotations

import re
import sys

from director_ctx.base.errors import DctxError, UsageProblem
from director_ctx.base.record import Record
from director_ctx.base.text import plain, visible
from director_ctx.chat.display import end_of_block, tool_line
from director_ctx.chat.steps import ANSWERED_WELL
from director_ctx.context.settings.tags import COMPRESSED, CONVERSATION
from director_ctx.doors.cli.shared.speak import complain, say, speak

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from director_ctx.chat.conversation import DirectorConversation
    from director_ctx.chat.exchange import ToolUse

    Action = Callable[[DirectorConversation, str], None]

PROMPT, MORE = "> ", ". "
CONTINUES = "\\"
"""At the end of a line: what is said goes on in the next one."""
NARROWEST = 20
_STYLE = re.compile(r"\x1b\[[0-9;]*m")


def talk(conversation: DirectorConversation, screen: ChatScreen) -> None:
    try:
        # Lines can be edited, and earlier ones come back, where Python was built with readline. What is pasted is
        # one message, however many lines it has.
        import readline

        readline.parse_and_bind("set enable-bracketed-paste on")
    except ImportError:
        pass
    say(
        f"{conversation.provider.model}, chat {conversation.id[:8]}.",
        f"/help lists what else there is; a line that ends with {CONTINUES} goes on; Ctrl-D ends.",
    )
    while True:
        try:
            said = _read()
        except KeyboardInterrupt:
            speak("\n")
            continue
        if said is None:
            return
        try:
            if is_command(said):
                if not carry_out(conversation, said):
                    return
            elif said.strip():
                _say(conversation, said, screen)
        except DctxError as error:
            complain(error)


def _read() -> str | None:
    """What somebody types, over several lines if they want; None at the end."""
    lines: list[str] = []
    while True:
        try:
            line = input(MORE if lines else PROMPT)
        except EOFError:
            speak("\n")
            # What was typed so far is said; at the next prompt, Ctrl-D ends.
            return "\n".join(lines) if lines else None
        if not line.endswith(CONTINUES):
            return "\n".join([*lines, line])
        lines.append(line.removesuffix(CONTINUES))


def _say(conversation: DirectorConversation, said: str, screen: ChatScreen) -> None:
    try:
        turn = conversation.say(said, screen.take)
    except KeyboardInterrupt:
        screen.end()
        speak("\n")
        say("Stopped. What was said so far is kept.")
        return
    finally:
        screen.end()
    if turn.ended != ANSWERED_WELL:
        say(turn.why, turn.hint)
    if turn.usage.requests:
        say(f"{turn.tokens:,} of {conversation.limit:,} tokens")


class ChatScreen:
    """What a turn shows at a terminal while it goes on: the answer as Markdown, and calls of tools between its parts.
    Each paragraph is shown when it is complete, so that nothing that stands on the screen is ever written again.
    """

    def __init__(self) -> None:
        self._text = ""
        self._console: Any = None

    def take(self, piece: str) -> None:
        """A piece of an answer, of any size."""
        self._text += piece
        cut = end_of_block(self._text)
        if cut:
            self._show(self._text[:cut])
            self._text = self._text[cut:]

    def end(self) -> None:
        """What was said so far is complete, or was stopped."""
        self._show(self._text)
        self._text = ""

    def tell_use(self, use: ToolUse) -> None:
        self.end()
        say(tool_line(use))

    def _show(self, text: str) -> None:
        # What a model says may come from anywhere: nothing of it may steer the terminal.
        text = visible(text).strip("\n")
        if not text.strip():
            return
        # Rich is loaded while the provider is still writing.
        from rich.markdown import Markdown

        if self._console is None:
            from rich.console import Console

            self._console = Console(file=sys.stdout, highlight=False)
            self._console.width = max(self._console.width, NARROWEST)
        with self._console.capture() as shown:
            self._console.print(Markdown(text, hyperlinks=False))
        # Lists, tables and code have blank lines around them of their own.
        lines = shown.get().split("\n")
        for end in (0, -1):
            while lines and not _STYLE.sub("", lines[end]).strip():
                lines.pop(end)
        sys.stdout.write("\n".join(lines) + "\n\n")
        sys.stdout.flush()


# What can be typed besides a message: words that begin with a slash


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
    known = {command.name: command for command in COMMANDS}
    command = known.get({"/exit": "/quit"}.get(word, word))
    if command is None:
        raise UsageProblem(f"There is no {word[:40]}.", "/help lists what there is.")
    if rest and rest not in command.takes:
        forms = [word, *(f"{word} {more}" for more in command.takes)]
        raise UsageProblem(f"{word} takes no {plain(rest[:40])!r}.", f"{', or '.join(forms)}.")
    if command.action:
        command.action(conversation, rest)
    elif command.words:
        from director_ctx.doors.cli.boundary import answer

        root = ["--root", conversation.project.root] if conversation.project else []
        answer([*command.words, *root])
    return command.name != "/quit"


def _compress(conversation: DirectorConversation, _: str) -> None:
    if not conversation.compress():
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
    sizes["all of it"] = sum(sizes.values())
    put_table(["Part", ">Tokens"], [[name, f"{tokens:,}"] for name, tokens in sizes.items()])


def _fork(conversation: DirectorConversation, _: str) -> None:
    left = conversation.id[:8]
    new = conversation.fork()[:8]
    say(f"This is chat {new} from here on; {left} stays as it was.")


def _help(_: DirectorConversation, __: str) -> None:
    from director_ctx.doors.cli.shared.table import put_table

    put_table(["Type", "To"], [[command.name, command.says] for command in COMMANDS])


# What others said is no part of this chat; /context has what was said here.
_BUDGET = ("budget", "director", "--without", CONVERSATION, "--without", COMPRESSED)
COMMANDS = (
    SlashCommand("/plan", "see the plan", ("plan",)),
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
    SlashCommand("/quit", "end; so does Ctrl-D"),
)
