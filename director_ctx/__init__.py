"""Contexts for coding agents, assembled from a `.director/` folder.

>>> from director_ctx import load_project, assemble
>>> print(assemble(load_project("."), "builder", task="3").text)
"""

from __future__ import annotations

__version__ = "0.1.0"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from director_ctx.assembling.assemble import assemble as assemble
    from director_ctx.assembling.what_if import what_if as what_if
    from director_ctx.base.errors import DctxError as DctxError
    from director_ctx.chat.conversation import (
        AsyncDirectorConversation as AsyncDirectorConversation,
    )
    from director_ctx.chat.conversation import DirectorConversation as DirectorConversation
    from director_ctx.chat.convert_tools import convert_tools as convert_tools
    from director_ctx.chat.offered import OwnTool as OwnTool
    from director_ctx.context.assembly import Assembly as Assembly
    from director_ctx.history.agents.agent import ContextManagedAgent as ContextManagedAgent
    from director_ctx.history.agents.components import CompressionLevel as CompressionLevel
    from director_ctx.history.agents.components import IntelligentPruner as IntelligentPruner
    from director_ctx.history.agents.components import MessageCompressor as MessageCompressor
    from director_ctx.history.agents.components import PruningRules as PruningRules
    from director_ctx.history.agents.components import SlidingWindow as SlidingWindow
    from director_ctx.history.agents.manager import ContextManager as ContextManager
    from director_ctx.history.agents.metrics import CheckpointManager as CheckpointManager
    from director_ctx.history.agents.metrics import ContextMetrics as ContextMetrics
    from director_ctx.history.compress.compress import compress as compress
    from director_ctx.history.compress.restore import restore as restore
    from director_ctx.history.strategies.checkpoint import BrowserState as BrowserState
    from director_ctx.history.strategies.checkpoint import Checkpoint as Checkpoint
    from director_ctx.history.strategies.config import ContextConfig as ContextConfig
    from director_ctx.memory.plans.plan import current_plan as current_plan
    from director_ctx.memory.plans.plan import plan_history as plan_history
    from director_ctx.memory.plans.plan import update_plan as update_plan
    from director_ctx.memory.plans.set_task import set_task as set_task
    from director_ctx.memory.plans.snapshot import snapshot as snapshot
    from director_ctx.memory.store.open import open_store as open_store
    from director_ctx.memory.variables.variables import clear_variable as clear_variable
    from director_ctx.memory.variables.variables import set_variable as set_variable
    from director_ctx.memory.variables.variables import value_of as value_of
    from director_ctx.memory.variables.variables import variables as variables
    from director_ctx.project.project import Project as Project
    from director_ctx.project.project import load_project as load_project
    from director_ctx.project.tasks.next import Next as Next
    from director_ctx.project.tasks.next import next_task as next_task
    from director_ctx.upkeep.status import Status as Status
    from director_ctx.upkeep.status import status as status

# Two listings of the public names, which a test holds against each other: type checkers read the
# imports above and no table, and a start may import nothing of what the table names.
_WHERE = {
    "Assembly": "director_ctx.context.assembly",
    "AsyncDirectorConversation": "director_ctx.chat.conversation",
    "BrowserState": "director_ctx.history.strategies.checkpoint",
    "Checkpoint": "director_ctx.history.strategies.checkpoint",
    "CheckpointManager": "director_ctx.history.agents.metrics",
    "CompressionLevel": "director_ctx.history.agents.components",
    "ContextConfig": "director_ctx.history.strategies.config",
    "ContextManagedAgent": "director_ctx.history.agents.agent",
    "ContextManager": "director_ctx.history.agents.manager",
    "ContextMetrics": "director_ctx.history.agents.metrics",
    "DctxError": "director_ctx.base.errors",
    "DirectorConversation": "director_ctx.chat.conversation",
    "IntelligentPruner": "director_ctx.history.agents.components",
    "MessageCompressor": "director_ctx.history.agents.components",
    "Next": "director_ctx.project.tasks.next",
    "OwnTool": "director_ctx.chat.offered",
    "Project": "director_ctx.project.project",
    "PruningRules": "director_ctx.history.agents.components",
    "SlidingWindow": "director_ctx.history.agents.components",
    "Status": "director_ctx.upkeep.status",
    "assemble": "director_ctx.assembling.assemble",
    "clear_variable": "director_ctx.memory.variables.variables",
    "compress": "director_ctx.history.compress.compress",
    "convert_tools": "director_ctx.chat.convert_tools",
    "current_plan": "director_ctx.memory.plans.plan",
    "load_project": "director_ctx.project.project",
    "next_task": "director_ctx.project.tasks.next",
    "open_store": "director_ctx.memory.store.open",
    "plan_history": "director_ctx.memory.plans.plan",
    "restore": "director_ctx.history.compress.restore",
    "set_task": "director_ctx.memory.plans.set_task",
    "set_variable": "director_ctx.memory.variables.variables",
    "snapshot": "director_ctx.memory.plans.snapshot",
    "status": "director_ctx.upkeep.status",
    "update_plan": "director_ctx.memory.plans.plan",
    "value_of": "director_ctx.memory.variables.variables",
    "variables": "director_ctx.memory.variables.variables",
    "what_if": "director_ctx.assembling.what_if",
}


def __getattr__(name: str) -> object:
    """Public names are imported when first used: a start that needs one pays for one."""
    if name == "__all__":
        # For `import *`. As a variable it would be a third listing, word for word: a type checker
        # takes one that is worked out for an empty list.
        return list(_WHERE)
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(_WHERE[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_WHERE, "__all__"})
