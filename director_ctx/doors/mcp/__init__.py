"""Contexts on demand: tools for agents by the Model Context Protocol. `wire/` is the protocol as data,
`serving/` listens and answers with the tools of `director_ctx/tools/`. Begin with `serving/stdio.py`.
"""
