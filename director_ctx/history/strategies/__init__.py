"""One module for each strategy: `apply(messages, aim)` gives the messages that stay, shortened or
added.
"""
