"""The document says all that the interface does: whatever is asked, it answers as it says there."""

from __future__ import annotations

from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.config import SchemathesisConfig

from kestrel_skills_adapters.http.app import standalone
from kestrel_skills_core.domain.names import DOCUMENT
from tests.service.shelf import shelf, skill
from tests.service.test_installer import FOREIGN, Content

from .serving import BASE, HOST, TOKEN, desk_of

BROKEN = {"SKILL.md": Content(FOREIGN)}
SHELF = shelf(
    {"lint": skill("lint") | {"notes/a.md": Content(b"# A\n")}, "install": skill("install"), "broken": BROKEN},
    {"lint": skill("lint", "The host's."), "knots": skill("knots")},
)
APP = standalone(desk_of(SHELF.library), token=TOKEN, hosts={HOST})
DOCUMENT_OF_ALL = APP.api.openapi()
CONFIG = SchemathesisConfig.from_dict(
    {
        # A skill may be called `install`: a GET of this very path previews it.
        "operations": [
            {"include-path": f"{BASE}/install/preview", "checks": {"unsupported_method": {"enabled": False}}}
        ],
        "checks": {
            # What is refused by a rule that no schema can say is refused all the same.
            "positive_data_acceptance": {
                "expected-statuses": ["2xx", "304", "403", "404", "409", "412", "413", "422", "428", "502", "503"]
            },
            "negative_data_rejection": {"expected-statuses": ["400", "403", "404", "405", "412", "415", "422", "428"]},
        },
    }
)
schema = schemathesis.openapi.from_dict(DOCUMENT_OF_ALL, config=CONFIG)
schema.app = APP.gated
HEADERS = {"Authorization": f"Bearer {TOKEN}", "X-Kestrel-Request": "a test", "Host": HOST}


def is_as_it_says(case: Any) -> None:
    """Ask, and hold the answer against everything that can be checked."""
    case.headers.update({name: value for name, value in HEADERS.items() if name not in case.headers})
    case.call_and_validate(base_url=f"http://{HOST}", headers=dict(HEADERS))


@schema.parametrize()
@settings(max_examples=10, phases=[Phase.explicit, Phase.generate], suppress_health_check=list(HealthCheck))
def test_whatever_is_asked_is_answered_as_the_document_says(case: Any) -> None:
    """All checks of schemathesis hold for each operation."""
    is_as_it_says(case)


@pytest.mark.property
@schema.parametrize()
@settings(max_examples=200, suppress_health_check=list(HealthCheck))
def test_whatever_is_asked_for_long(case: Any) -> None:
    """The same, for many more requests."""
    is_as_it_says(case)


OPERATIONS = [
    (method, path, operation)
    for path, operations in DOCUMENT_OF_ALL["paths"].items()
    for method, operation in operations.items()
]


@pytest.mark.parametrize(
    ("method", "path", "operation"), OPERATIONS, ids=lambda each: each if isinstance(each, str) else ""
)
def test_every_error_is_a_problem_document(method: str, path: str, operation: Any) -> None:
    """Of each operation, every answer from 400 on is one, and those that any request may meet are there."""
    errors = {status: each for status, each in operation["responses"].items() if status >= "400"}
    assert {"403", "422", "503"} <= set(errors)
    for each in errors.values():
        (kind,) = each["content"]
        assert kind == "application/problem+json"
        assert each["content"][kind]["schema"] == {"$ref": "#/components/schemas/SkillProblem"}
    assert ("{name}" not in path) or "404" in errors


def test_the_document_has_every_route_of_the_contract() -> None:
    """And no other."""
    told = {(method.upper(), path.removeprefix(BASE)) for method, path, _ in OPERATIONS}
    assert told == {
        ("GET", ""),
        ("POST", ""),
        ("POST", "/reload"),
        ("POST", "/validate"),
        ("POST", "/fit"),
        ("GET", "/{name}/tree"),
        ("GET", "/{name}/file"),
        ("PUT", "/{name}/file"),
        ("DELETE", "/{name}/file"),
        ("GET", "/{name}/preview"),
        ("GET", "/{name}/checks"),
        ("GET", "/{name}/verify"),
        ("POST", "/{name}/adapt"),
        ("POST", "/{name}/unadapt"),
        ("PATCH", "/{name}/state"),
        ("DELETE", "/{name}"),
        ("POST", "/install/preview"),
        ("POST", "/install"),
        ("GET", "/install/{job}"),
        ("DELETE", "/install/{job}"),
    }
    assert DOCUMENT not in told
