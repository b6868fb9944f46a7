"""Adapter: archives of this machine, zip and tar, read in memory. Nothing is extracted to a disk."""
