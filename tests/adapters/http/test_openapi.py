"""The document says all that the interface does: whatever is asked, it answers as it says there."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.config import SchemathesisConfig

from kestrel_skills_adapters.http.app import standalone
from kestrel_skills_adapters.http.routes import SPELT_OUT
from tests.examples import examples
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
        "checks": {
            # Beside what is expected of everybody: 412, as no schema says what is there to be seen; and 422, as none
            # says which characters a text or path may hold. Of what fails on this side, only what is documented.
            "positive_data_acceptance": {
                "expected-statuses": ["2xx", "304", "401", "403", "404", "409", "412", "422", "502", "503"]
            },
            # The same: a tag that is none of ours is none that is there.
            "negative_data_rejection": {"expected-statuses": ["400", "401", "403", "404", "405", "412", "415", "422"]},
        },
    }
)
schema = schemathesis.openapi.from_dict(DOCUMENT_OF_ALL, config=CONFIG)
schema.app = APP.gated
HEADERS = {"Authorization": f"Bearer {TOKEN}", "Host": HOST}


def is_as_it_says(case: Any) -> None:
    """Ask, and hold the answer against everything that can be checked."""
    case.headers.update({name: value for name, value in HEADERS.items() if name not in case.headers})
    case.call_and_validate(base_url=f"http://{HOST}", headers=dict(HEADERS))


@schema.parametrize()
@settings(max_examples=examples(10), phases=[Phase.explicit, Phase.generate], suppress_health_check=list(HealthCheck))
def test_whatever_is_asked_is_answered_as_the_document_says(case: Any) -> None:
    """All checks of schemathesis hold for each operation."""
    is_as_it_says(case)


@pytest.mark.property
@schema.parametrize()
@settings(max_examples=examples(200), suppress_health_check=list(HealthCheck))
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
    assert set(SPELT_OUT) == {path for _, path in told if path and "{" not in path}


@pytest.mark.parametrize(
    ("method", "path", "operation"), OPERATIONS, ids=lambda each: each if isinstance(each, str) else ""
)
def test_what_a_request_must_carry_is_told(method: str, path: str, operation: Any) -> None:
    """Of what may change something, one header: what was seen, where it writes over that, else why it asks."""
    needed = [each["name"] for each in operation.get("parameters", ()) if each["in"] == "header" and each["required"]]
    is_seen = path.startswith(f"{BASE}/{{name}}") and method != "get"
    assert needed == ([] if method == "get" else ["If-Match"] if is_seen else ["X-Kestrel-Request"])


def test_a_name_that_would_make_another_path_is_told_to_be_none() -> None:
    """There it is said with its source."""
    words = {path.split("/")[1] for path in SPELT_OUT}
    assert words == {"fit", "install", "reload", "validate"}
    for _, path, operation in OPERATIONS:
        for schema in (each["schema"] for each in operation["parameters"] if each["name"] == "name"):
            taken = {word for word in words if path.format(name=word).removeprefix(BASE) in SPELT_OUT}
            assert set(schema.get("not", {}).get("enum", ())) == taken


def test_only_the_catalog_may_be_known() -> None:
    """Of one skill the tag is that of its files, and does not say all that is sent."""
    told = [(method, path) for method, path, operation in OPERATIONS if "304" in operation["responses"]]
    assert told == [("get", BASE)]


def test_a_request_is_told_to_be_what_it_must_at_least_be() -> None:
    """Names by their pattern, with or without a source; paths by their length and parts; jobs by their digits."""
    parameters = {each["name"]: each["schema"] for _, _, operation in OPERATIONS for each in operation["parameters"]}

    def fits(name: str, text: str) -> bool:
        return jsonschema.Draft202012Validator(parameters[name]).is_valid(text)

    assert [fits("name", text) for text in ("a-b_1", "a@git", "A", "a@b", "-a", "a" * 65)] == [True, True, *[False] * 4]
    assert [fits("path", text) for text in ("a/b.md", "/a", "a//b", "", "a\\b", "a" * 1025)] == [True, *[False] * 5]
    assert [fits("job", text) for text in ("0a" * 16, "0A" * 16, "tree")] == [True, False, False]
    assert [fits("If-Match", text) for text in ("0a" * 32, f'"{"0a" * 32}"', "*", '"0a')] == [True, True, False, False]
