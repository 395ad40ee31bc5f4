"""What agents were told: a line for each context, and the texts of the last ones. Begin with
`record`.
"""
