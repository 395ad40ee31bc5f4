"""What is built for clients: the Claude Code plugin, and our section of AGENTS.md. Begin with
`build`.
"""
