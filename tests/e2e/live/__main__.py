"""The runner of the live suites; `USAGE` in `asked.py` says what it does."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from .asked import USAGE, Refused, asked, look, may_begin
from .leash import leashed


def main(words: Sequence[str], environ: Mapping[str, str]) -> int:
    """Run one suite, and give the exit status."""
    if set(words) & {"-h", "--help"}:
        sys.stdout.write(USAGE)
        return 0
    try:
        wanted = asked(words, environ)
        here = look(wanted.port)
        may_begin(wanted, here, environ)
    except Refused as refusal:
        sys.stderr.write(f"run-live-suite.sh: {refusal}\n")
        return 2
    print(f"{wanted.suite}: kestrel-sovereign {here.host} on 127.0.0.1:{wanted.port}", flush=True)
    tests = Path(__file__).with_name(f"test_{wanted.suite.replace('-', '_')}.py")
    status = leashed([sys.executable, "-m", "pytest", "-m", "live", "-p", "no:cacheprovider", str(tests)])
    return min(status, 1) if status < 128 else status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], os.environ))
