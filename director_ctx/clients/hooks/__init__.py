"""Hooks in the clients: put there, and answered. Begin with `answer`."""
