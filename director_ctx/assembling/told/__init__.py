"""A context that an agent was given: what it said, how it differs from another one, and from what
it would be now. Begin with `account`.
"""
