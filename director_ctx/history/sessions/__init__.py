"""The sessions that clients keep: found, read, searched, imported, watched. Begin with `find`."""
