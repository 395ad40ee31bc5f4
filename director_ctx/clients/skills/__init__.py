"""Skills: what a SKILL.md says, what it injects, and what of that needs nobody's consent. Begin with `render`."""
