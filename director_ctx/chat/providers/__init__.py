"""The providers: `wire.py` speaks with the vendors' own clients, which are loaded when the first request is made.
`failures.py` says what it means when there is no answer.
"""
