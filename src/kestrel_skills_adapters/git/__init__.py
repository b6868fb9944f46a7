"""Adapter: git repositories over HTTPS, read in memory. Nothing is checked out, nothing of a repository runs."""
