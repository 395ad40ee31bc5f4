"""What is given to somebody without a server: a report, and pictures. Begin with `report`."""
