"""Hooks, skills, the plugin and AGENTS.md."""
