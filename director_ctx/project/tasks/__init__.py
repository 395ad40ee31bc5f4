"""Goals, steps and tasks: what they are called, what they need, how far they are. Begin with
`next`.
"""
