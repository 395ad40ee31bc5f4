"""What git knows of a project, asked without anything of the repository being run. Begin with
`log`.
"""

NO_REPOSITORY = "this is not a git repository"
