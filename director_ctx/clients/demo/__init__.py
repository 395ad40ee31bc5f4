"""The bundled example, copied to play with, and a sub-agent that is handed its context. Begin with
`example`.
"""
