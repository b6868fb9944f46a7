"""The adapter that the page builds passes the suite of its port, as the page says."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from sybil import Document
from sybil.parsers.markdown import CodeBlockParser

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "adapter.md"


def test_the_adapter_of_the_page_passes_the_suite(tmp_path: Path) -> None:
    """The blocks in a row are one module, which pytest runs: no test of the suite fails."""
    python = [example.parsed for example in Document.parse(str(PAGE), CodeBlockParser("python", lambda _: None))]
    module = tmp_path / "test_table.py"
    module.write_text("\n\n".join(python), encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(tmp_path), str(module)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    ran = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout
    assert "80 passed" in ran.stdout
