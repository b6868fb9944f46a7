"""What importing the core costs, against importing `attrs` alone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from statistics import median

import pytest

SOURCES = Path(__file__).parents[2] / "src"
MODULES = sorted(
    ".".join(path.relative_to(SOURCES).with_suffix("").parts)
    for path in (SOURCES / "kestrel_skills_core").rglob("*.py")
    if path.name != "__init__.py"
)
IMPORTS = {
    "attrs": "attrs",
    "the package": "kestrel_skills_core",
    "every module of it": ", ".join(MODULES),
    "what it imports from elsewhere": "attrs, datetime, enum, hashlib, hmac, json, unicodedata, urllib.parse",
}
ROUNDS = 25


def milliseconds(imported: str, environment: dict[str, str]) -> float:
    """How long a fresh interpreter takes for one import statement."""
    program = f"import time; t = time.perf_counter()\nimport {imported}\nprint(time.perf_counter() - t)"
    ran = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    return float(ran.stdout) * 1000


@pytest.mark.bench
def test_import(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Medians of interleaved rounds are printed; byte code is cached first, whatever the environment says."""
    environment = {**os.environ, "PYTHONPATH": str(SOURCES), "PYTHONPYCACHEPREFIX": str(tmp_path)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    taken: dict[str, list[float]] = {name: [] for name in IMPORTS}
    for turn in range(ROUNDS + 1):
        for name, imported in IMPORTS.items():
            took = milliseconds(imported, environment)
            if turn > 0:
                taken[name].append(took)
    base = median(taken["attrs"])
    with capsys.disabled():
        for name, times in taken.items():
            print(f"\nimport {name}: {median(times):.1f} ms, {median(times) / base:.2f} x attrs", end="")
    assert all(len(times) == ROUNDS for times in taken.values())
