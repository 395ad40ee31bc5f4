"""A workflow out of a store into a file, and back into one. Begin with `transfer`."""
