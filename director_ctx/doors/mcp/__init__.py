"""Contexts on demand: tools for agents by the Model Context Protocol, answered with the tools of
`director_ctx/tools/`. Begin with `server.py`.
"""
