"""Fakes for the ports: what the core asks of the world, held in memory, for tests here and elsewhere."""
