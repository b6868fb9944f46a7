"""Makes a test agent in a home, in the place of `kestrel create --test`: no model is asked what it thinks of it.

A program of its own, which an environment of a host runs: it is told the home and the agent's name. The verdict on the
agent's constitution, which a model gives otherwise, is given here, and recorded as what it is.
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import Any


async def _agree(_: str) -> dict[str, Any]:
    return {"risk_level": 1, "reasoning": "It is an agent of a test, and no model was asked."}


def incept(home: Path, agent: str) -> None:
    """Make it, and keep the key that its own keys are sealed with where the host looks for it."""
    from kestrel_sdk.security.aead import AEADCipher
    from kestrel_sovereign.inception_service import create_kestrel_identity_async

    key = AEADCipher.generate_key().decode()
    kept = home / ".env"
    kept.touch(mode=0o600)
    kept.write_text(f"KESTREL_DATA_KEY={key}\n")
    os.environ["KESTREL_DATA_KEY"] = key
    asyncio.run(
        create_kestrel_identity_async(
            output_dir=str(home / "agent_data" / agent),
            agent_name=agent,
            is_test_instance=True,
            genesis_auditor=_agree,
            genesis_audit_provenance="test:injected",
        )
    )


if __name__ == "__main__":
    incept(Path(sys.argv[1]), sys.argv[2])
