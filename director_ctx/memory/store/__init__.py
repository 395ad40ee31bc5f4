"""One workflow's rows, in a file of the project or a database that a team shares. Begin with
`open`.
"""
