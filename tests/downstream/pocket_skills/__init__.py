"""An agent's skills, what is on kept in one JSON file."""

from __future__ import annotations

from .pocket import pocket
from .states import JsonStates

__all__ = ["JsonStates", "pocket"]
