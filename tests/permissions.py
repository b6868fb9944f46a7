"""Lets permissions bind whoever runs the tests: the superuser, whom they do not bind, as much as anybody else."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import pytest

__all__ = ["bound"]

_VERSION: Final = 0x2008_0522
"""Of the structures that `capget` and `capset` take: `_LINUX_CAPABILITY_VERSION_3` of `linux/capability.h`."""
_OVERRIDING: Final = 1 << 1 | 1 << 2
"""`CAP_DAC_OVERRIDE` and `CAP_DAC_READ_SEARCH`."""


@contextmanager
def bound() -> Iterator[None]:
    """Until the end, this thread, and any that it starts, may do what the owner of its files may do, and no more.

    Where there are no capabilities, as on macOS, the superuser cannot be bound, and the test is skipped.
    """
    if os.geteuid() != 0:
        yield
        return
    libc = ctypes.CDLL(None, use_errno=True)
    if not hasattr(libc, "capset"):
        pytest.skip("nothing binds the superuser of this system: run this test as somebody else")
    header = (ctypes.c_uint32 * 2)(_VERSION, 0)
    sets = (ctypes.c_uint32 * 6)()  # effective, permitted, inheritable; the lower 32 capabilities, then the others

    def call(name: str) -> None:
        if getattr(libc, name)(header, sets) != 0:
            number = ctypes.get_errno()
            raise OSError(number, f"{name}: {os.strerror(number)}")

    call("capget")
    effective = sets[0]
    sets[0] = effective & ~_OVERRIDING
    call("capset")
    try:
        yield
    finally:
        sets[0] = effective
        call("capset")
