"""From a project to a finished context: the use case that everything else is for. Begin with
`assemble`.
"""
