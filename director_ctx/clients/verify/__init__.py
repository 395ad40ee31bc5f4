"""Proofs that contexts arrive at agents. Begin with `verify`."""
