"""What Gemini writes, piece by piece: records of its sessions, parts of its requests."""
