"""Where a project is, its files as text, and the values that a plan is made of. Begin with
`locate`.
"""
