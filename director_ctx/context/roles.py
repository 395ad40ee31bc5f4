"""The inputs of agents that are given no task: what a focus, a domain and a mode stand for."""

from __future__ import annotations

from director_ctx.base.errors import UsageProblem
from director_ctx.base.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


class Role(Record):
    about: str
    files: tuple[str, ...]


FOCUS: dict[str, Role] = {
    "tech": Role(
        "languages, dependencies and the services it talks to", ("codebase/STACK.md", "codebase/INTEGRATIONS.md")
    ),
    "arch": Role("how it is built and where things are", ("codebase/ARCHITECTURE.md", "codebase/STRUCTURE.md")),
    "quality": Role("how its code is written and tested", ("codebase/CONVENTIONS.md", "codebase/TESTING.md")),
    "concerns": Role("debt, risks and fragile places", ("codebase/CONCERNS.md",)),
}
DOMAINS: dict[str, Role] = {
    "stack": Role("which technologies fit, and why", ("research/STACK.md",)),
    "features": Role("what users of such a product expect", ("research/FEATURES.md",)),
    "architecture": Role("how such a product is usually built", ("research/ARCHITECTURE.md",)),
    "pitfalls": Role("what usually goes wrong, and how to avoid it", ("research/PITFALLS.md",)),
}
MODES: dict[str, Role] = {
    "research": Role("the research notes", ("research/SUMMARY.md",)),
    "codebase": Role("the codebase notes", ("codebase/SUMMARY.md",)),
}


def find_role(option: str, name: str, roles: Mapping[str, Role]) -> Role:
    """The role of that name, or a usage error that lists them."""
    role = roles.get(name.strip().casefold())
    if role is None:
        raise UsageProblem(f"--{option}: there is no {name!r}.", "Choose one of: " + ", ".join(roles))
    return role
