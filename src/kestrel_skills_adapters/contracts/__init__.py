"""The suites that every adapter of a port must pass, for adapters here and elsewhere; they need the extra `contracts`.

A suite is a class of tests. Whoever wrote an adapter subclasses it, and gives the one fixture that its docstring names.
Nothing but tests imports it.
"""

from __future__ import annotations

from pkgutil import iter_modules

import pytest

# What an `assert` of a suite compared is told as fully as what one of a test module did.
pytest.register_assert_rewrite(*(f"{__name__}.{suite.name}" for suite in iter_modules(__path__)))
