"""Contexts on demand: tools for agents by the Model Context Protocol. `wire/` is the protocol as data,
`tools/` what agents can ask for, `serving/` listens and answers. Begin with `serving/stdio.py`.
"""
