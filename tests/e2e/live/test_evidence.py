"""Two hosted models count as evidence, by the routes that are theirs, and only where the host reports exactly them."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.host.lab import Home

from .evidence import MODEL, PROVIDER, NoEvidence, Pinned, pinned, settings, vouch

ROOT = Path(__file__).parents[3]
KEYS = {"ANTHROPIC_API_KEY": "a", "OPENAI_API_KEY": "o", "OPENROUTER_API_KEY": "r"}
HAIKU = Pinned("anthropic:api", "claude-haiku-4-5", "a")


@pytest.mark.parametrize(
    ("provider", "model", "key"),
    [
        ("anthropic:api", "claude-haiku-4-5", "a"),
        ("anthropic:api", "claude-haiku-4-5-20251001", "a"),
        ("anthropic:api", "claude-3-5-haiku-20241022", "a"),
        ("openai:api", "gpt-5.6-luna", "o"),
        ("openai:api", "gpt-5.6-luna-2026-09-01", "o"),
        ("openrouter:api", "anthropic/claude-haiku-4.5", "r"),
        ("openrouter:api", "openai/gpt-5.6-luna", "r"),
    ],
)
def test_what_counts(provider: str, model: str, key: str) -> None:
    """Claude Haiku and GPT-5.6 Luna, from whoever hosts them; only the key of their own route is taken along."""
    assert pinned({PROVIDER: provider, MODEL: model, **KEYS}) == Pinned(provider, model, key)


@pytest.mark.parametrize(
    ("provider", "model"),
    [
        ("stub:local", "scripted"),
        ("ollama:local", "claude-haiku-4-5"),
        ("ollama:local", "llama3.2"),
        ("anthropic", "claude-haiku-4-5"),
        ("anthropic:plan", "claude-haiku-4-5"),
        ("ANTHROPIC:API", "claude-haiku-4-5"),
        ("anthropic:api", "auto"),
        ("anthropic:api", "haiku"),
        ("anthropic:api", "claude-sonnet-4-5"),
        ("anthropic:api", "claude-haiku-4-5 "),
        ("anthropic:api", "claude-haiku-4-5\n"),
        ("anthropic:api", "not-claude-haiku-4-5"),
        ("anthropic:api", "claude-haiku-local"),
        ("anthropic:api", "gpt-5.6-luna"),
        ("openai:api", "gpt-5.6-terra"),
        ("openai:api", "gpt-5.6"),
        ("openai:api", "gpt-5x6-luna"),
        ("openai:api", "claude-haiku-4-5"),
        ("openrouter:api", "claude-haiku-4.5"),
        ("openrouter:api", "openai/gpt-5.6-luna:free"),
        ("openrouter:api", "meta/claude-haiku-4.5"),
    ],
)
def test_what_does_not_count(provider: str, model: str) -> None:
    """Local ones, others of these vendors, others that take such a name, and names that leave open which it is."""
    with pytest.raises(NoEvidence, match="count"):
        pinned({PROVIDER: provider, MODEL: model, **KEYS})


@pytest.mark.parametrize("missing", [PROVIDER, MODEL])
def test_both_are_pinned(missing: str) -> None:
    """One without the other pins nothing, and the refusal names both."""
    environ = {PROVIDER: "anthropic:api", MODEL: "claude-haiku-4-5", **KEYS}
    for gone in (environ | {missing: ""}, {name: value for name, value in environ.items() if name != missing}):
        with pytest.raises(NoEvidence, match=rf"{PROVIDER} .*{MODEL}"):
            pinned(gone)


def test_a_route_that_nothing_opens_is_told() -> None:
    """By the variable that opens it."""
    with pytest.raises(NoEvidence, match="set OPENAI_API_KEY"):
        pinned({PROVIDER: "openai:api", MODEL: "gpt-5.6-luna", "ANTHROPIC_API_KEY": "a"})


def test_the_settings_know_one_model_and_no_address() -> None:
    """Nothing to fall back on, nothing local, and no server but the vendor's own; and only its key comes along."""
    text, environ = settings(HAIKU)
    assert tomllib.loads(text) == {
        "llm": {
            "route_priority": ["anthropic:api"],
            "allow_paid_fallback": False,
            "vendors": {
                "anthropic": {
                    "is_cloud": True,
                    "routes": {
                        "api": {
                            "adapter": "AnthropicAdapter",
                            "api_key_env": "ANTHROPIC_API_KEY",
                            "local": False,
                            "model": "claude-haiku-4-5",
                        }
                    },
                }
            },
            "catalog": {"context_limits_override": {"claude-haiku-4-5": 200_000}},
        }
    }
    assert environ == {"ANTHROPIC_API_KEY": "a"}


def test_no_address_comes_in_by_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What leads a vendor's library to another server is not passed on to the host, whoever has set it."""
    for name in ("ANTHROPIC_BASE_URL", "OPENAI_BASE_URL", "OPENROUTER_BASE_URL", "HTTPS_PROXY", "https_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    home = Home(tmp_path, "http://127.0.0.1:1", environ=settings(HAIKU)[1])
    assert "ANTHROPIC_API_KEY" in home.environ
    assert not [name for name in home.environ if name.upper().endswith(("_URL", "_PROXY"))]


def test_an_answer_of_the_pinned_model_is_taken() -> None:
    """As it was said."""
    assert vouch(HAIKU, 200, {"response": "Hm.", "provider": "anthropic:api", "model": "claude-haiku-4-5"}) == "Hm."


@pytest.mark.parametrize(
    ("status", "answer"),
    [
        (200, {"response": "Hm.", "provider": "stub:local", "model": "scripted"}),
        (200, {"response": "Hm.", "provider": "stub:local", "model": "claude-haiku-4-5"}),
        (200, {"response": "Hm.", "provider": "anthropic:plan", "model": "claude-haiku-4-5"}),
        (200, {"response": "Hm.", "provider": "anthropic:api", "model": "claude-haiku-4-5-20251001"}),
        (200, {"response": "Hm.", "provider": None, "model": None}),
        (200, {"response": "Hm."}),
        (500, {"error": {"code": "invoke_failed"}}),
    ],
)
def test_an_answer_of_any_other_is_refused(status: int, answer: Any) -> None:
    """A fallback, another route to the same model, a newer one of the name, a command's, and none at all."""
    with pytest.raises(NoEvidence, match="anthropic:api claude-haiku-4-5 is pinned"):
        vouch(HAIKU, status, answer)


def test_a_run_without_the_hosted_model_has_not_passed() -> None:
    """Its test is skipped, with the reason, and the run does not end with 0, as it otherwise would."""
    environ = {name: value for name, value in os.environ.items() if name not in (PROVIDER, MODEL)}
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "no:cacheprovider",
        "-m",
        "live",
        "tests/e2e/live/test_live_path.py",
    ]
    ran = subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, check=False)
    assert ran.returncode == pytest.ExitCode.NO_TESTS_COLLECTED
    assert "only a hosted model can show this: no hosted model is pinned" in ran.stdout
    assert "1 skipped" in ran.stdout
