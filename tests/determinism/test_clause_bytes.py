"""The same catalog gives the same bytes in every process."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

PROGRAM = Path(__file__).with_name("spelling.py")


def spelt(seed: int, locale: str) -> str:
    """The digest that a fresh process prints under a hash seed, a locale, and an order of creation."""
    environment = {
        **os.environ,
        "PYTHONHASHSEED": str(seed),
        "LC_ALL": locale,
        "PYTHONUTF8": "0",
        "PYTHONCOERCECLOCALE": "0",
    }
    ran = subprocess.run(
        [sys.executable, str(PROGRAM), f"{seed}{locale}"], check=True, capture_output=True, text=True, env=environment
    )
    return ran.stdout


def test_the_clause_has_the_same_bytes_in_every_process():
    """Under hash seeds 0 to 9, the locales C and C.UTF-8, and as many orders of creation."""
    runs = [(seed, locale) for seed in range(10) for locale in ("C", "C.UTF-8")]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        digests = set(pool.map(lambda run: spelt(*run), runs))
    assert len(digests) == 1
    assert len(digests.pop()) == 64
