"""How people and programs come in, all over the same use cases. Begin with `cli/main`."""
