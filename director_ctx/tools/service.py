"""What tools are served with, and one of them called: whatever a project may be like, the answer is a text."""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.base.safe_text import safe
from director_ctx.base.system.waiting import while_wanted
from director_ctx.project.kept_documents import KeptDocuments
from director_ctx.project.project import Project, load_project
from director_ctx.tools.tool import NotWritable, Tool, checked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.tools.tool import Object

NOT_IN_SERVER = (
    "This server may not change the {area}.",
    "A person allows that with `dctx setup --what mcp --write {areas}`, and starts the client again.",
)
_KEPT = KeptDocuments()


class ToolService(Record):
    """Where the project is, which tools, and what they may change: the same for every call."""

    root: str | None
    """The project that was named; None for the nearest one above `start`."""
    start: str
    """The folder that we were started in, or that a client calls the project."""
    tools: tuple[Tool, ...]
    writable: tuple[str, ...] = ()
    refusal: tuple[str, str] = NOT_IN_SERVER
    """What whoever changes anything else is told, and how a person allows it."""

    def project(self) -> Project:
        """The folder as it is now. No request can name another one."""
        project = load_project(None if self.root else self.start, root=self.root)
        project.kept = _KEPT
        return project

    def tool(self, name: str) -> Tool | None:
        return next((tool for tool in self.tools if tool.name == name), None)


class Cancelled(Exception):
    """Nobody waits for the answer any more."""


class ToolCall:
    """One call while it is being answered: work looks at it at each of its steps. This one is waited for to its end;
    doors have their own.
    """

    def __init__(self, service: ToolService, client: str = "") -> None:
        self.service = service
        self.client = client
        """What the client calls itself; empty where it does not say."""

    def project(self) -> Project:
        return self.service.project()

    def check(self) -> None:
        """Ends the work where its answer would be thrown away."""

    def progress(self, done: int, total: int, doing: str) -> None:
        """Tells how far it is, if somebody wants to know."""
        self.check()


class ToolAnswer(Record):
    """What the model reads, without secrets."""

    text: str
    is_error: bool = False


def answer(call: ToolCall, tool: Tool, given: Object) -> ToolAnswer:
    """What went wrong is an answer, too: the model can do something about it."""
    try:
        return ToolAnswer(safe(_run(call, tool, given)))
    except NotWritable as error:
        refusal, hint = call.service.refusal
        said = [refusal.format(area=error.area), hint.format(areas=error.areas)]
    except DctxError as error:
        said = [error.message, error.hint]
    except OSError as error:
        said = [f"{error.strerror or error}.", "Check free space and permissions."]
    return ToolAnswer(safe("\n".join(map(in_calls, filter(None, said)))), is_error=True)


def _run(call: ToolCall, tool: Tool, given: Object) -> str:
    writable = call.service.writable
    values = checked(tool, given, writable)
    for area in tool.areas:
        if area not in writable:
            raise NotWritable(area, writable)
    call.check()
    module = __import__(f"director_ctx.tools.{tool.module}", fromlist=[tool.call])
    function = getattr(module, tool.call)
    if tool.changes_with(values):
        # A change is made whole, even if nobody waits for it any more.
        return str(function(call, values))
    return while_wanted(call.check, lambda: str(function(call, values)))


_IN_CALLS = {
    "Run `dctx status` to see the plan.": "`status` shows the goals, and the tasks of one goal.",
    "`dctx status` shows the plan.": "`status` shows the goals, and the tasks of one goal.",
    "See `dctx next`, or name a task with --task.": "`status` says what waits for what.",
    "Name one with --task, or plan the next goal.": "Name a task, or have the next goal planned.",
    "Name one with --task.": "Name a task.",
    ", or name another task with --task.": ", or name another task.",
    "--task is empty.": "The task is empty.",
    ", or say --without vision": "",
    " --without vision leaves it out.": "",
    "`dctx assemble interviewer` helps.": 'context {"agent":"interviewer"} says how to find it out.',
    "Plan first: `dctx assemble planner` and `dctx add --from FILE` are for that.": (
        'Plan first: context {"agent":"planner"} says how.'
    ),
    "`dctx assemble planner` is the context for that": 'context {"agent":"planner"} says how',
}


def in_calls(said: str) -> str:
    """What is said of the command line everywhere else, in the words of the tools: whoever calls them may have no
    shell.
    """
    for words, calls in _IN_CALLS.items():
        said = said.replace(words, calls)
    return said
