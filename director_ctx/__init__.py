"""Contexts for coding agents, assembled from a `.director/` folder.

>>> from director_ctx import load_project, assemble
>>> print(assemble(load_project("."), "builder", task="3").text)
"""

from __future__ import annotations

__version__ = "0.1.0"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.context.assembly import Assembly as Assembly
    from director_ctx.errors import DctxError as DctxError
    from director_ctx.folder.next import Next as Next
    from director_ctx.folder.next import next_task as next_task
    from director_ctx.folder.project import Project as Project
    from director_ctx.folder.project import load_project as load_project
    from director_ctx.folder.status import Status as Status
    from director_ctx.folder.status import status as status
    from director_ctx.history.checkpoints import BrowserState as BrowserState
    from director_ctx.history.checkpoints import Checkpoint as Checkpoint
    from director_ctx.history.config import ContextConfig as ContextConfig
    from director_ctx.wiring.assemble import assemble as assemble
    from director_ctx.wiring.checkpoints import CheckpointManager as CheckpointManager
    from director_ctx.wiring.components import CompressionLevel as CompressionLevel
    from director_ctx.wiring.components import IntelligentPruner as IntelligentPruner
    from director_ctx.wiring.components import MessageCompressor as MessageCompressor
    from director_ctx.wiring.components import PruningRules as PruningRules
    from director_ctx.wiring.components import SlidingWindow as SlidingWindow
    from director_ctx.wiring.compress import compress as compress
    from director_ctx.wiring.context_manager import ContextManager as ContextManager
    from director_ctx.wiring.managed_agent import ContextManagedAgent as ContextManagedAgent
    from director_ctx.wiring.memory import open_store as open_store
    from director_ctx.wiring.metrics import ContextMetrics as ContextMetrics
    from director_ctx.wiring.plan import current_plan as current_plan
    from director_ctx.wiring.plan import plan_history as plan_history
    from director_ctx.wiring.plan import set_task as set_task
    from director_ctx.wiring.plan import update_plan as update_plan
    from director_ctx.wiring.restore import restore as restore
    from director_ctx.wiring.snapshot import snapshot as snapshot
    from director_ctx.wiring.vars import clear_variable as clear_variable
    from director_ctx.wiring.vars import set_variable as set_variable
    from director_ctx.wiring.vars import value_of as value_of
    from director_ctx.wiring.vars import variables as variables
    from director_ctx.wiring.what_if import what_if as what_if

_WHERE = {
    "BrowserState": "director_ctx.history.checkpoints",
    "Checkpoint": "director_ctx.history.checkpoints",
    "CheckpointManager": "director_ctx.wiring.checkpoints",
    "CompressionLevel": "director_ctx.wiring.components",
    "ContextMetrics": "director_ctx.wiring.metrics",
    "IntelligentPruner": "director_ctx.wiring.components",
    "MessageCompressor": "director_ctx.wiring.components",
    "PruningRules": "director_ctx.wiring.components",
    "SlidingWindow": "director_ctx.wiring.components",
    "ContextManager": "director_ctx.wiring.context_manager",
    "ContextManagedAgent": "director_ctx.wiring.managed_agent",
    "ContextConfig": "director_ctx.history.config",
    "Assembly": "director_ctx.context.assembly",
    "DctxError": "director_ctx.errors",
    "Next": "director_ctx.folder.next",
    "Project": "director_ctx.folder.project",
    "assemble": "director_ctx.wiring.assemble",
    "load_project": "director_ctx.folder.project",
    "next_task": "director_ctx.folder.next",
    "Status": "director_ctx.folder.status",
    "status": "director_ctx.folder.status",
    "what_if": "director_ctx.wiring.what_if",
    "open_store": "director_ctx.wiring.memory",
    "current_plan": "director_ctx.wiring.plan",
    "plan_history": "director_ctx.wiring.plan",
    "set_task": "director_ctx.wiring.plan",
    "update_plan": "director_ctx.wiring.plan",
    "clear_variable": "director_ctx.wiring.vars",
    "compress": "director_ctx.wiring.compress",
    "restore": "director_ctx.wiring.restore",
    "set_variable": "director_ctx.wiring.vars",
    "value_of": "director_ctx.wiring.vars",
    "variables": "director_ctx.wiring.vars",
    "snapshot": "director_ctx.wiring.snapshot",
}
__all__ = [
    "Assembly",
    "BrowserState",
    "Checkpoint",
    "CheckpointManager",
    "CompressionLevel",
    "ContextConfig",
    "ContextManagedAgent",
    "ContextManager",
    "ContextMetrics",
    "DctxError",
    "IntelligentPruner",
    "MessageCompressor",
    "Next",
    "Project",
    "PruningRules",
    "SlidingWindow",
    "Status",
    "assemble",
    "clear_variable",
    "compress",
    "current_plan",
    "load_project",
    "next_task",
    "open_store",
    "plan_history",
    "restore",
    "set_task",
    "set_variable",
    "snapshot",
    "status",
    "update_plan",
    "value_of",
    "variables",
    "what_if",
]


def __getattr__(name: str) -> object:
    """Public names are imported when first used: a start that needs one pays for one."""
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(_WHERE[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_WHERE])
