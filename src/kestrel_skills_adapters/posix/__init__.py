"""Skills in folders of a POSIX file system."""
