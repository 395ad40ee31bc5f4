"""Skills: what a SKILL.md says, what it injects, and which of that is carried out. Begin with `render`."""
