"""A conversation made shorter, and put back as it was. Begin with `compress`."""
