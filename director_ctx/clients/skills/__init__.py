"""Skills: what a SKILL.md says, which commands it injects, and which of them need nobody's consent.
Pure.
"""
