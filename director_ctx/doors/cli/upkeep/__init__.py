"""Adding to the plan and keeping its records true."""
