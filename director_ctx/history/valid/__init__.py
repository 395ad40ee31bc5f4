"""What a provider would reject, and how it is mended. Begin with `check`."""
