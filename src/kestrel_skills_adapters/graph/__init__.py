"""The index of skills in the host's graph."""
