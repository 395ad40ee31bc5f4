"""A workflow out of one store and into a file or another store. Begin with `copy`."""
