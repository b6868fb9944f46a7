"""Procedural skills for Kestrel Sovereign agents: the pure core.

Knows nothing of disks, clocks, event loops, databases, HTTP or Kestrel. The public names are those of `domain`, `ports`
and `service`; import them from the module that defines them.
"""
