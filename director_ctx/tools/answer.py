"""One tool called: whatever a project may be like, the answer is a text."""

from __future__ import annotations

from director_ctx.base.errors import DctxError
from director_ctx.base.record import Record
from director_ctx.base.safe_text import safe
from director_ctx.base.system.waiting import while_wanted
from director_ctx.tools.arguments import NotWritable, checked
from director_ctx.tools.in_calls import in_calls
from director_ctx.tools.tool import changes_with

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.tools.call import ToolCall
    from director_ctx.tools.service import ToolService
    from director_ctx.tools.tool import Object, Tool


class ToolAnswer(Record):
    """What the model reads, without secrets."""

    text: str
    is_error: bool = False


def answer(service: ToolService, call: ToolCall, tool: Tool, given: Object) -> ToolAnswer:
    """What went wrong is an answer, too: the model can do something about it."""
    try:
        text = _run(service, call, tool, given)
        return ToolAnswer(safe(text))
    except NotWritable as error:
        refusal, hint = service.refusal
        return _failure(
            in_calls(refusal.format(area=error.area)), in_calls(hint.format(areas=error.areas))
        )
    except DctxError as error:
        return _failure(in_calls(error.message), in_calls(error.hint))
    except OSError as error:
        return _failure(f"{error.strerror or error}.", "Check free space and permissions.")


def _run(service: ToolService, call: ToolCall, tool: Tool, given: Object) -> str:
    values = checked(tool, given, service.writable)
    for area in tool.areas:
        if area not in service.writable:
            raise NotWritable(area, service.writable)
    call.check()
    module = __import__(f"director_ctx.tools.{tool.module}", fromlist=[tool.call])
    function = getattr(module, tool.call)
    if changes_with(tool, values):
        # A change is made whole, even if nobody waits for it any more.
        text: str = function(service, call, values)
        return text
    return while_wanted(call.check, lambda: str(function(service, call, values)))


def _failure(message: str, hint: str) -> ToolAnswer:
    said = message
    if hint:
        said += f"\n{hint}"
    return ToolAnswer(safe(said), is_error=True)
