"""What agents can ask for, by whichever door they come in. `default_tools.py` is the table, `tool.py`
says what a tool is, `answer.py` calls one.
"""
