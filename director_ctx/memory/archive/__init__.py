"""The originals of what was cut from conversations, each once. Begin with `originals`."""
