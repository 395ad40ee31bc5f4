"""Notes that are older than the files that they name: `freshness` finds them, contexts read what it kept."""
