"""Programs that drive an agent: its model reads less than was said. Begin with `manager`."""
