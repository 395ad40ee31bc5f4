"""A shared reading list for a small group of friends."""
