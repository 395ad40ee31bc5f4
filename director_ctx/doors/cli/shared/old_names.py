"""What commands were called before, for those who learned it then."""

from __future__ import annotations

from director_ctx.base.errors import UsageProblem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

OLD_NAMES = {
    "hooks install": "agents install",
    "hooks uninstall": "agents remove",
    "hooks status": "agents status",
    "hooks verify": "agents verify",
    "hooks trust": "agents trust",
    "hooks": "agents",
    "skill install": "agents install --what skills",
    "skill uninstall": "agents remove --what skills",
    "agents-md": "agents install --what rules",
    "proxy": "history proxy",
    "history compress": "history summarize",
    "history compressions": "history summaries",
    "snapshot": "status --nodes",
    "state sync": "doctor --fix",
    "state": "doctor --fix",
}


def refuse_old_name(arguments: Sequence[str]) -> None:
    """Raises where a command line begins with a name that a command had."""
    # The longer name says more: `hooks trust` before `hooks`.
    for count in (2, 1):
        old = " ".join(arguments[:count])
        if old in OLD_NAMES:
            raise UsageProblem(
                f"There is no command `{old}`; it is `{OLD_NAMES[old]}` now.",
                f"dctx {OLD_NAMES[old]} --help",
            )
