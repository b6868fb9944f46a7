"""Plants faults in the store, one at a time, and sees that some test finds each: `nox -s mutants`.

A fault that no test finds says that the line it takes away is not needed, or that a test is missing. Each fault, in
`faults.txt`, is a name, a file, the lines that are taken away (they stand there once) and those that take their place.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).parents[2]
POSIX: Final = "src/kestrel_skills_adapters/posix"
SUITES: Final = (
    ("tests/crash", "tests/machines", "tests/contracts/test_syscalls.py"),
    ("tests/contracts/test_store.py", "tests/adapters/posix"),
    ("tests/crash", "-m", "crash"),
)
"""The next ones are asked where the ones before found nothing."""
_FAULT: Final = re.compile(r"# (.+)\n@ (.+)\n((?:-.*\n)+)((?:\+.*\n)*)")


class Fault(NamedTuple):
    """Lines of one file, and what takes their place."""

    name: str
    file: str
    was: str
    now: str

    def plant(self, root: Path) -> None:
        """Put it into a copy of the project.

        Raises:
            ValueError: The lines do not stand there once.
        """
        path = root / POSIX / self.file
        text = path.read_text(encoding="utf-8")
        if (found := text.count(self.was)) != 1:
            raise ValueError(f"{self.name}: its lines stand {found} times in {self.file}")
        path.write_text(text.replace(self.was, self.now), encoding="utf-8")


def faults() -> list[Fault]:
    """All of them, as they are written down."""
    text = Path(__file__).with_name("faults.txt").read_text(encoding="utf-8")
    return [
        Fault(name, file, re.sub("^-", "", was, flags=re.MULTILINE), re.sub(r"^\+", "", now, flags=re.MULTILINE))
        for name, file, was, now in _FAULT.findall(text)
    ]


def finder(fault: Fault | None, suites: tuple[str, ...]) -> str | None:
    """The first of these tests that fails where there is this fault, or none at all."""
    with tempfile.TemporaryDirectory() as name:
        copied = Path(name)
        for part in ("src", "tests"):
            shutil.copytree(ROOT / part, copied / part, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "pyproject.toml", copied)
        if fault is not None:
            fault.plant(copied)
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *suites]
        environment = {**os.environ, "PYTHONPATH": "src", "PYTHONDONTWRITEBYTECODE": "1"}
        run = subprocess.run(command, cwd=copied, env=environment, capture_output=True, text=True, check=False)
    failed = re.search(r"^(?:FAILED|ERROR) (\S+)", run.stdout, re.MULTILINE)
    if run.returncode and not failed:
        return f"pytest ended with {run.returncode}"
    return failed[1] if failed else None


def found(fault: Fault) -> str | None:
    """The test that finds a fault."""
    return next(filter(None, (finder(fault, suites) for suites in SUITES)), None)


def main() -> None:
    """Judge all faults, or those whose names hold every argument."""
    wanted = [fault for fault in faults() if all(word in fault.name for word in sys.argv[1:])]
    if failed := next(filter(None, (finder(None, suites) for suites in SUITES[:2])), None):
        sys.exit(f"without any fault, {failed} fails")
    survivors = 0
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        for fault, test in zip(wanted, pool.map(found, wanted), strict=True):
            survivors += test is None
            print(f"{'survives' if test is None else 'found   '} {fault.name:64} {test or ''}", flush=True)
    print(f"{len(wanted) - survivors} of {len(wanted)} faults are found")
    sys.exit(survivors > 0)


if __name__ == "__main__":
    main()
