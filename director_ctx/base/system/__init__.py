"""The machine: files written whole, locks, processes, time, the user's own folders. Begin with
`write`.
"""
