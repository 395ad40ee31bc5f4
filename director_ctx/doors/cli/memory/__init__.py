"""The plan, variables, snapshots and the store."""
