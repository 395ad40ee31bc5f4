"""One way in: what `dctx setup` would do in a project, done, proven and undone. Begin with `plan`."""
