"""What lasts between runs, over one store. Begin with `store/open`."""
