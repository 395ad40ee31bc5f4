"""What dctx puts into clients, part by part: found, put in, taken out. Begin with `table`."""
