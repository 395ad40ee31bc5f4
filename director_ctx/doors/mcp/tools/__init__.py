"""What agents can ask for. `default_tools.py` is the table; `tool.py` says what a tool is."""
