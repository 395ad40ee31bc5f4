"""Goals, steps and tasks removed, moved and renamed; numbers, lists and Needs First follow. Open
`arrange.py` first.
"""
