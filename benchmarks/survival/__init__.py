"""What survives a compression: an honest judge that needs no model."""
