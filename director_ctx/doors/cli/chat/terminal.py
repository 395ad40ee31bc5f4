"""A conversation at the terminal. Ctrl-C stops a turn, Ctrl-D ends the program; whatever was said is kept."""

from __future__ import annotations

from director_ctx.base.errors import OK, DctxError
from director_ctx.chat.exchange import CACHE_HIT
from director_ctx.chat.steps import ANSWERED_WELL
from director_ctx.doors.cli.chat.commands import carry_out, is_command
from director_ctx.doors.cli.shared.speak import complain, say, speak

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.chat.conversation import DirectorConversation
    from director_ctx.chat.steps import Turn
    from director_ctx.doors.cli.chat.screen import ChatScreen

PROMPT, MORE = "> ", ". "
CONTINUES = "\\"
"""At the end of a line: what is said goes on in the next one."""


def talk(conversation: DirectorConversation, screen: ChatScreen) -> int:
    _with_arrow_keys()
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
            break
        if is_command(said):
            try:
                if not carry_out(conversation, said):
                    break
            except DctxError as error:
                complain(error)
        elif said.strip():
            _say(conversation, said, screen)
    from director_ctx.doors.cli.chat.going_on import going_on

    say(f"`{going_on(conversation)}` goes on with this chat.")
    return OK


def _with_arrow_keys() -> None:
    """Lines can be edited, and earlier ones come back, where Python was built with readline. What is pasted is one
    message, however many lines it has.
    """
    try:
        import readline
    except ImportError:
        return
    readline.parse_and_bind("set enable-bracketed-paste on")


def _read() -> str | None:
    """What somebody types, over several lines if they want; None at the end."""
    lines: list[str] = []
    prompt = PROMPT
    while True:
        try:
            line = input(prompt)
        except EOFError:
            speak("\n")
            if not lines:
                return None
            # What was typed so far is said; at the next prompt, Ctrl-D ends.
            return "\n".join(lines)
        if not line.endswith(CONTINUES):
            return "\n".join([*lines, line])
        lines.append(line.removesuffix(CONTINUES))
        prompt = MORE


def _say(conversation: DirectorConversation, said: str, screen: ChatScreen) -> None:
    try:
        turn = conversation.say(said, screen.take)
    except KeyboardInterrupt:
        screen.end()
        speak("\n")
        say("Stopped. What was said so far is kept.")
        return
    except DctxError as error:
        screen.end()
        complain(error)
        return
    screen.end()
    _tell_end(conversation, turn)


def _tell_end(conversation: DirectorConversation, turn: Turn) -> None:
    """Why it ended, where it did not end well, and what it took."""
    if turn.ended != ANSWERED_WELL:
        say(turn.why, turn.hint)
    if turn.usage.requests:
        say(f"{turn.tokens:,} of {conversation.limit:,} tokens{_cache(turn)}")


def _cache(turn: Turn) -> str:
    """What the provider said of its cache, where it was asked: in how many requests it knew the beginning, and what
    else it said.
    """
    if not turn.cache:
        return ""
    hits = turn.cache.count(CACHE_HIT)
    others = sorted({said.replace("_", " ") for said in turn.cache if said != CACHE_HIT})
    return f", cache: {', '.join([f'{hits} of {len(turn.cache)}', *others])}"
