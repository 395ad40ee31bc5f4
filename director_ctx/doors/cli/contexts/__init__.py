"""Contexts, and where the project stands."""
