"""Names of skills for a shell that completes."""

from __future__ import annotations

import click

from kestrel_skills_core.domain.errors import SkillError

from .invocation import of

__all__ = ["addresses"]


def addresses(context: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
    """The names that begin so, of skills and of rejected folders; none where anything is wrong.

    They do not depend on what is on, and a shell is not kept waiting for a server.
    """
    from ..wiring import is_server

    invocation = of(context)
    if is_server(invocation.given.get("state", "")):
        del invocation.given["state"]
    try:
        catalog = invocation.session().observe().catalog
    except (SkillError, click.ClickException):
        return []
    names = {*(record.name for record in catalog.records), *(folder.name for folder in catalog.rejected)}
    return sorted(name for name in names if name is not None and name.startswith(incomplete))
