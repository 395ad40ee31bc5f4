"""Between a client and its model: requests that would be too long go out shorter. Begin with
`server`.
"""
