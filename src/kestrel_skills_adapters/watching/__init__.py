"""A root that is watched, so that a look at it costs next to nothing while nothing changes: the extra `watch`."""
