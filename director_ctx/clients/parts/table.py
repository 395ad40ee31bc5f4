"""The parts, in the order in which they go into a client; they come out the other way round."""

from __future__ import annotations

from director_ctx.clients.parts import hooks, rules, servers
from director_ctx.clients.parts.own_files import AGENTS_PART, SKILLS_PART

PARTS = {
    part.name: part for part in (hooks.PART, servers.PART, AGENTS_PART, SKILLS_PART, rules.PART)
}
USUAL = (hooks.PART.name, servers.PART.name, AGENTS_PART.name)
"""What `dctx setup` puts in where nobody names parts."""
