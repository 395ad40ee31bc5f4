"""Notes about the code, and whether they may be out of date. Begin with `staleness`."""
