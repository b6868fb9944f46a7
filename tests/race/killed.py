"""A process that changes a real disk without pause, and a plain model of what it asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Final

from attrs import evolve, frozen

from kestrel_skills_adapters.contracts.roots import document
from kestrel_skills_adapters.world import finish
from kestrel_skills_core.domain.commands import Create, Delete, Edit, RemoveFile, SetState
from kestrel_skills_core.domain.edit import Whole
from kestrel_skills_core.domain.names import Address, ResourcePath, SkillName
from kestrel_skills_core.service.library import SkillLibrary

from .sight import library_at

__all__ = ["Skill", "Skills", "Step", "found", "mutate", "steps"]

NAMES: Final = ("knots", "shells", "tides")
PATHS: Final = ("more.md", "deep/er/one.md", "deep/er/two.md")


@frozen
class Skill:
    """What is in its files, and whether it is on."""

    files: Mapping[str, bytes]
    enabled: bool = False


Skills = Mapping[str, Skill]


@frozen
class Step:
    """One change of one skill: a verb, and the file, content or switch that it needs."""

    verb: str
    name: str
    path: str = ""
    content: bytes = b""
    enabled: bool = False

    def outcomes(self, skills: Skills) -> list[Skills]:
        """What may be there when the step was cut short: all as before, or all as asked; and that at least last."""
        before, name = dict(skills), self.name
        if self.verb == "delete":
            del before[name]
            return [skills, before]
        if self.verb == "create":
            made = Skill({"SKILL.md": self.content})
            # It comes into sight first, and is off until the row is there.
            return [skills, {**skills, name: made}, {**skills, name: evolve(made, enabled=self.enabled)}]
        skill = skills[name]
        if self.verb == "set_state":
            return [skills, {**skills, name: evolve(skill, enabled=self.enabled)}]
        files = {path: content for path, content in skill.files.items() if path != self.path}
        files |= {self.path: self.content} if self.verb == "write" else {}
        return [skills, {**skills, name: evolve(skill, files=files)}]

    def run(self, library: SkillLibrary) -> None:
        """Do it, as somebody does who has just looked."""
        name = SkillName(self.name)
        address = Address(name)
        if self.verb == "create":
            outcome = finish(library.create(Create(name=name, document=self.content, enabled=self.enabled)))
            assert outcome.problem is None
            return
        if self.verb == "set_state":
            finish(library.set_state(SetState(address=address, enabled=self.enabled)))
            return
        if self.verb == "delete":
            token = finish(library.deletion(address)).delete_revision
            finish(library.delete(Delete(address=address, delete_revision=token)))
            return
        path, seen = ResourcePath(self.path), finish(library.read(address)).tree.revision
        if self.verb == "write":
            finish(library.edit(Edit(address=address, path=path, change=Whole(self.content), expected_revision=seen)))
        else:
            finish(library.remove_file(RemoveFile(address=address, path=path, expected_revision=seen)))


def steps(seed: str, skills: Skills) -> Iterator[tuple[Step, Skills]]:
    """Steps without end, and before each of them the skills as they then are; of one seed, always the same."""
    chance = Random(seed)
    while True:
        step = _step(chance, skills)
        yield step, skills
        skills = step.outcomes(skills)[-1]


def _step(chance: Random, skills: Skills) -> Step:
    name, text = chance.choice(NAMES), b"%d\n" % chance.getrandbits(64)
    if name not in skills:
        return Step("create", name, content=document(name) + text, enabled=chance.random() < 0.5)
    verb = chance.choice(("write", "write", "write", "remove", "remove", "set_state", "delete"))
    path = chance.choice(PATHS)
    if verb == "remove" and path in skills[name].files:
        return Step("remove", name, path)
    if verb in ("delete", "set_state"):
        return Step(verb, name, enabled=not skills[name].enabled)
    if chance.random() < 0.3:
        return Step("write", name, "SKILL.md", document(name) + text)
    return Step("write", name, path, text)


def mutate(above: Path, seed: str, skills: Skills) -> Iterator[None]:
    """Take step after step; each is told when it is acknowledged."""
    library = library_at(above)
    for step, _ in steps(seed, skills):
        step.run(library)
        yield


def found(library: SkillLibrary) -> Skills:
    """What is on the disk, as its files are in sight; nothing may be rejected."""
    catalog = finish(library.catalog()).catalog
    assert (catalog.rejected, catalog.problems) == ((), ())
    return {
        record.name: Skill(
            {path: content.data for path, content in finish(library.read(Address(record.name))).tree.files.items()},
            record.enabled,
        )
        for record in catalog.records
    }
