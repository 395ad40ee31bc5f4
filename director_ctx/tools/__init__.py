"""What agents can ask for, by whichever door they come in. `tool_sets.py` is the table, `tool.py` says what a tool is,
`service.py` calls one.
"""
