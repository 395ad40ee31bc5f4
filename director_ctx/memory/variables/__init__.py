"""Variables, their history, and the secrets in them. Begin with `variables`."""
