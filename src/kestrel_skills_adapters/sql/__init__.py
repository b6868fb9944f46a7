"""The table of states in SQL."""
