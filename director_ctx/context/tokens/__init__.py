"""How many tokens a text has: exact, or estimated. Begin with `counting`."""
