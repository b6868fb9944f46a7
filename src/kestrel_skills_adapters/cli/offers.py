"""What `preview` and `install` have in common: where a skill comes from, and how it is shown to who decides."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Final

import click

from kestrel_skills_core.domain.adapt import Adaptation
from kestrel_skills_core.domain.commands import Preview
from kestrel_skills_core.domain.errors import BadSource
from kestrel_skills_core.domain.git_address import git_ref, git_url
from kestrel_skills_core.domain.offer import HEAD, Offer, Package, Repository
from kestrel_skills_core.domain.record import Rejection, SkillRecord
from kestrel_skills_core.domain.whereabouts import TOP, exactly, spelt
from kestrel_skills_core.service.installer import Installation

from ..wiring import package
from .failures import Misuse
from .invocation import Invocation
from .screen import Coloured, Screen

__all__ = ["ADAPT", "CALLED", "NAME", "REF", "SOURCE", "changes", "install_command", "show", "source_of"]

SOURCE = click.argument("source", metavar="URL|PATH")
NAME = click.argument("name", metavar="[NAME]", default="")
REF = click.option("--ref", metavar="REF", help="A branch, a tag or a full commit id; by default HEAD.")
CALLED = click.option("--as", "called", metavar="NAME", default="", help="What the skill shall be called here.")
ADAPT = click.option("--adapt", is_flag=True, help="Bring a skill with more fields into the form, on record.")

_FORMS: Final = "give `https://<host>/<path>`, or the path of a folder or archive"


def source_of(text: str, ref: str | None) -> Repository | Package:
    """What was given on the command line: what is there as a file or folder is read, all else is an address.

    Raises:
        BadSource: It is neither; or what is there is not taken.
        BadPath, TooLarge: What is there is not taken.
        Misuse: A folder or archive has no refs.
    """
    if "://" not in text and os.path.lexists(text):
        if ref is not None:
            raise Misuse("a folder or archive has no refs", "leave out --ref")
        return package(text)
    if "://" not in text and "@" not in text:
        raise BadSource(text, "it is neither a URL nor there as a file or folder", _FORMS)
    return Repository(git_url(text), HEAD if ref is None else git_ref(ref))


def install_command(invocation: Invocation, offer: Offer, source: str, asked: Preview) -> str:
    """The command line that installs exactly what was seen, whatever becomes of its source meanwhile."""
    origin = offer.origin
    names = [asked.name] if asked.name else []
    if origin.commit is not None:
        names = [exactly(origin.subpath or spelt(TOP))]
    options = {"ref": origin.commit, "digest": offer.digest, "as": asked.called or None}
    return invocation.command("install", source, *names, **options, adapt=asked.adapt)


def show(screen: Screen, installation: Installation, command: str | None) -> None:
    """Everything that a person decides on, and the command line that does it, if there is one."""
    offer = installation.offer
    for label, parts in (*_origin(offer), *_adapted(offer), *_files(offer), *_checks(offer), *_here(installation)):
        screen.line(f"{label:{_WIDTH}}", *parts)
    if command is not None:
        screen.line(f"{'install':{_WIDTH}}{command}")


def changes(adaptation: Adaptation) -> Iterator[tuple[str | Coloured, ...]]:
    """What adapting changes, a line each; what restricted the skill, and what is cut, comes first and is marked."""
    for change in adaptation.changes:
        yield Coloured("!", "yellow") if change.loses else "-", f" {change}"
    for omitted in adaptation.omitted:
        yield Coloured("!", "yellow"), f" {omitted}"


Line = tuple[str, tuple[str | Coloured, ...]]
"""A label, and what stands beside it."""

_WIDTH: Final = len("description") + 2


def _origin(offer: Offer) -> Iterator[Line]:
    origin = offer.origin
    yield "name", (offer.name,)
    yield "description", (offer.description,)
    yield "from", (origin.url or f"a local {origin.kind}",)
    if origin.commit is not None:
        yield "ref", (str(origin.ref),)
        yield "commit", (origin.commit,)
        yield "folder", (str(origin.subpath),)
    yield "digest", (offer.digest or "none: it is refused as it is",)


def _adapted(offer: Offer) -> Iterator[Line]:
    adaptation = offer.adaptation
    if adaptation is None:
        return
    label = "adapted"
    if offer.tree is None:
        yield label, (f"no; --adapt would install it as {adaptation.name}, and do this:",)
        label = ""
    for line in changes(adaptation):
        yield label, line
        label = ""


def _files(offer: Offer) -> Iterator[Line]:
    size = sum(item.size for item in offer.files)
    yield "files", (f"{len(offer.files):,}, {size:,} bytes",)
    for item in offer.files:
        yield "", (f"{item.path} ({item.size:,} bytes{', executable' if item.executable else ''})",)
    for pointer in offer.pointers:
        yield "", (Coloured("!", "yellow"), f" {pointer} is a git LFS pointer, and not the file itself")
    label = "left out"
    for path in offer.left_out:
        yield label, (path,)
        label = ""


def _checks(offer: Offer) -> Iterator[Line]:
    label = "checks"
    for finding in offer.findings:
        colour = {"error": "red", "warning": "yellow"}.get(finding.severity)
        severity = finding.severity if colour is None else Coloured(finding.severity, colour)
        yield label, (severity, f" {finding}; fix: {finding.fix}")
        label = ""
    if not offer.findings:
        yield label, ("nothing found",)


def _here(installation: Installation) -> Iterator[Line]:
    """What it would meet."""
    offer, taken, then = installation.offer, installation.taken, installation.then
    if taken is not None:
        yield "here", (Coloured("!", "red"), f" the name is taken by {_told(taken)}: it will not be written over")
    elif isinstance(then, SkillRecord) and then.source is offer.origin.source:
        shadows = ", ".join(map(_told, then.shadowed))
        yield "here", (f"it shadows {shadows}" if shadows else "nothing has the name",)
    elif then is not None:
        yield "here", (Coloured("!", "yellow"), f" it comes after {_told(then)}, and is not what the name means")


def _told(found: SkillRecord | Rejection) -> str:
    """A skill or folder that is here, in words."""
    if isinstance(found, Rejection):
        return f"a rejected folder, {found.label}@{found.source}"
    return f"{found.name}@{found.source}, {'on' if found.enabled else 'off'}"
