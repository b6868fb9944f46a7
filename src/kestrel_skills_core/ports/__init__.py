"""What the core asks of the world. Each docstring is a contract; each has a suite in `tests/contracts`."""
