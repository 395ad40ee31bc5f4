"""Keeps the folder true: adding, finishing, bringing records in line, finding what disagrees. Begin
with `tasks`.
"""
