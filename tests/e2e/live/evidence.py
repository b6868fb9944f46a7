"""Which model counts as a witness that an agent can use its skills, and whether it was that one which answered.

Two hosted models count, each on the routes below, and no other: one that runs on this machine answers as it is told,
and one that stands in for another is another.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

__all__ = ["MODEL", "PROVIDER", "NoEvidence", "Pinned", "pinned", "settings", "vouch"]

PROVIDER: Final = "KESTREL_KITE_HOSTED_PROVIDER"
MODEL: Final = "KESTREL_KITE_HOSTED_MODEL"

_HAIKU: Final = r"claude-(\d+(-\d+)?-)?haiku(-[0-9]+)*"
_LUNA: Final = r"gpt-5\.6-luna(-[0-9]+)*"


_ROOM: Final = 200_000
"""Tokens of context, which the host does not know of every model: by its own guess it leaves out the clause."""


class NoEvidence(ValueError):
    """What there is proves nothing; the text says why, and how to mend it."""


class _Route(NamedTuple):
    """A way to a hosted model: how the host reaches it, what opens it, and which of its models count."""

    adapter: str
    key: str
    models: re.Pattern[str]


_ROUTES: Final = {
    "anthropic:api": _Route("AnthropicAdapter", "ANTHROPIC_API_KEY", re.compile(_HAIKU)),
    "openai:api": _Route("OpenAIAdapter", "OPENAI_API_KEY", re.compile(_LUNA)),
    "openrouter:api": _Route(
        "OpenRouterAdapter",
        "OPENROUTER_API_KEY",
        re.compile(rf"anthropic/{_HAIKU.replace('-[0-9]+', '[-.][0-9]+')}|openai/{_LUNA}"),
    ),
}
"""Each is called as the host reports it."""


class Pinned(NamedTuple):
    """The model that has to answer, by its route and its name, and what opens the route."""

    provider: str
    model: str
    key: str


def pinned(environ: Mapping[str, str]) -> Pinned:
    """The model that an environment pins.

    Raises:
        NoEvidence: None is, or one that does not count, or what opens its route is not there.
    """
    provider, model = environ.get(PROVIDER, ""), environ.get(MODEL, "")
    if not (provider and model):
        raise NoEvidence(f"no hosted model is pinned: set {PROVIDER} (one of {', '.join(_ROUTES)}) and {MODEL}")
    if (route := _ROUTES.get(provider)) is None:
        raise NoEvidence(
            f"{PROVIDER}={provider[:80]!r} is no hosted route that counts: name one of {', '.join(_ROUTES)}"
        )
    if not route.models.fullmatch(model):
        raise NoEvidence(
            f"{MODEL}={model[:80]!r} does not count on {provider}: name a Claude Haiku or GPT-5.6 Luna it serves"
        )
    if not environ.get(route.key):
        raise NoEvidence(f"{provider} is not open: set {route.key}")
    return Pinned(provider, model, environ[route.key])


def settings(pin: Pinned) -> tuple[str, Mapping[str, str]]:
    """The host's settings in which that model is the only one, and the environment that opens its route.

    No address is written, so that it is the vendor's own, and nothing is there to fall back on.
    """
    vendor, _, name = pin.provider.partition(":")
    route = _ROUTES[pin.provider]
    text = (
        f'[llm]\nroute_priority = ["{pin.provider}"]\nallow_paid_fallback = false\n'
        f"[llm.vendors.{vendor}]\nis_cloud = true\n"
        f'[llm.vendors.{vendor}.routes.{name}]\nadapter = "{route.adapter}"\napi_key_env = "{route.key}"\n'
        f'local = false\nmodel = "{pin.model}"\n'
        f'[llm.catalog.context_limits_override]\n"{pin.model}" = {_ROOM}\n'
    )
    return text, {route.key: pin.key}


def vouch(pin: Pinned, status: int, answer: Any) -> str:
    """What the agent said, once it is plain that the pinned model said it.

    Raises:
        NoEvidence: The host refused, or reports another model, or another route, or none.
    """
    if status != 200:
        raise NoEvidence(f"the host answered {status} where {pin.provider} {pin.model} is pinned: {answer}")
    provider, model = answer.get("provider"), answer.get("model")
    if (provider, model) != (pin.provider, pin.model):
        raise NoEvidence(f"{provider} {model} answered where {pin.provider} {pin.model} is pinned")
    return str(answer["response"])
