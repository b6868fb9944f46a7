"""Everything that is asked of the host's agent: the one room that knows what a Kestrel Sovereign agent looks like.

The SDK promises none of it, so that each thing is looked for by its name, and may be missing: what is lost then stands
in `Host.lacks`. Names and behaviour are those of kestrel-sovereign 0.53 to 0.55.
"""

from __future__ import annotations

from .agent import BUNDLED, CLAUSE, Host, Unpublished
from .privacy import HostPrivacy

__all__ = ["BUNDLED", "CLAUSE", "Host", "HostPrivacy", "Unpublished"]
