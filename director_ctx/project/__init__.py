"""A `.director/` folder as it is read. Begin with `project`."""
