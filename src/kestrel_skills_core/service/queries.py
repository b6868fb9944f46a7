"""What may be asked of the skills of one agent, in the order in which a person asks: list, search, read, check, verify.

Nothing here changes anything, but that a folder of the agent's own root may get its marker as it is looked at. Asking
for one skill touches one folder in each root, however many there are. The mirror is told of what is seen, where it is
news.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import frozen

from ..domain import document
from ..domain.budget import Budget
from ..domain.clause import Clause, render_clause
from ..domain.document import SkillDocument
from ..domain.errors import BadName, Hidden, SkillAbsent, StateUnavailable
from ..domain.findings import Finding
from ..domain.names import DOCUMENT, Address, ResourcePath, SkillName, SourceId, is_skill_name, parse_address
from ..domain.nearest import suggestion
from ..domain.proposal import Proposal, proposed
from ..domain.record import Rejection, SkillRecord
from ..domain.resolver import Catalog
from ..domain.search import search
from ..domain.state_row import StateKey
from ..domain.text import escaped
from ..domain.tree import SkillTree
from ..domain.verify import Verification, verified
from ..ports.markdown import Markdown
from .advice import with_advice
from .decide import Folder
from .observed import Look, Observed
from .switches import Standing
from .upkeep import Upkeep

__all__ = ["FileReading", "Queries", "Reading", "Searched"]


@frozen(kw_only=True)
class Reading:
    """One skill or rejected folder as it is now, with every inventoried byte, all of one instant."""

    name: SkillName
    found: SkillRecord | Rejection
    tree: SkillTree
    unavailable: StateUnavailable | None = None
    """Why nobody knows whether it is on, so that it is off."""

    @property
    def has_left_pin(self) -> bool:
        """Whether it was switched on for certain bytes, and these are others."""
        return isinstance(self.found, SkillRecord) and self.found.has_left_pin

    @property
    def document(self) -> SkillDocument:
        """The parsed `SKILL.md`; a rejected folder may have a good one.

        Raises:
            SkillAbsent: There is none.
            BadDocument: It has faults.
        """
        return document.parse(self.content(DOCUMENT), self.name)

    def content(self, path: ResourcePath) -> bytes:
        """The bytes of one file.

        Raises:
            SkillAbsent: The skill has no such file.
        """
        if path not in self.tree.files:
            raise SkillAbsent(self.name, path)
        return self.tree.files[path].data


@frozen(kw_only=True)
class FileReading:
    """One file as it is now; `has_left_pin` where its skill was switched on for certain bytes, and is not all of them.

    A folder that cannot be read whole is never all of them.
    """

    content: bytes
    has_left_pin: bool


@frozen(kw_only=True)
class Searched:
    """What a search found in a catalog as it was observed."""

    observed: Observed
    records: tuple[SkillRecord, ...]


@frozen(kw_only=True, eq=False)
class Queries(Upkeep):
    """The roots of one agent and its table of states, asked.

    While what is kept is hidden the catalog is empty, and every other question is refused with `Hidden`.
    """

    markdown: Markdown

    async def catalog(self) -> Observed:
        """Every skill and every rejected folder, resolved. Opens only what changed since the last time.

        Where nothing did, no folder and no state, it is the one of the last time, that very value.
        Never fails for what it cannot read: that is among the catalog's `problems`, or in `unavailable`. The mirror is
        told of it; all of it may have been hidden again by then, and is, to whoever asked.
        """
        try:
            return await self._observed()
        except Hidden as hidden:
            await self._telling.hidden()
            return Observed(Catalog(()), problems=(hidden,), hidden=hidden)

    async def reload(self) -> Observed:
        """The catalog, for which everything is opened again, whatever the disk says of what changed."""
        self._known.clear()
        return await self.catalog()

    async def fit(self, proposals: Mapping[SkillName, Proposal], budget: Budget) -> Clause:
        """The context clause as it would be if skills were in these states; nothing is written.

        Raises:
            SkillAbsent: A name resolves to no skill.
            Hidden: See `Privacy`.
        """
        observed = await self.catalog()
        if observed.hidden is not None:
            raise observed.hidden
        return render_clause(proposed(observed.catalog.records, proposals), budget)

    async def search(self, query: str) -> Searched:
        """The skills in whose name or description every word of the query occurs, best first; all for an empty one."""
        with self.seeing():
            observed = await self.catalog()
            if observed.hidden is not None:
                raise observed.hidden
            records = observed.catalog.records
            if query.strip():
                records = await self.offload(lambda _: search(observed.catalog.records, query))
            return Searched(observed=observed, records=records)

    async def address(self, text: str) -> Address:
        """Read `name` or `name@source`, as somebody typed it.

        Raises:
            BadName: It is none. Where a folder is so called, which keeps it from being a skill, the fix says so.
        """
        with self.seeing():
            try:
                return parse_address(text)
            except BadName as error:
                for survey in await self.offload(self._survey):
                    if any(_is_called(folder, text) for folder in survey.sightings):
                        fix = f"rename the folder of that name in the {survey.source} skills by hand: {error.fix}"
                        raise BadName(error.given, error.why, fix) from None
                raise

    async def read(self, address: Address) -> Reading:
        """One skill as it is now, shadowed copies by their source. Touches one folder in each root.

        Where the table of states does not answer, the skill is read all the same, and off. A root that cannot be read
        holds the name against those it outranks, so that a lower copy is read only by its own address.

        Raises:
            SkillAbsent: Nothing of that name is there.
            TooLarge: The folder is beyond the caps, so that it cannot be shown whole; `read_file` shows single files.
            SourceUnavailable: The root that the address leads to cannot be read.
        """
        with self.seeing():
            look, standing = await self.gather(address.name)
            root = await self._root(look, address)
            found = look.find(address, standing.states)
            return Reading(name=address.name, found=found, tree=look.trees[root], unavailable=standing.unavailable)

    async def read_file(self, address: Address, path: ResourcePath) -> FileReading:
        """One file as it is now, even of a folder that is beyond the caps. Touches one folder in each root.

        A pin is held against the folder of that very instant, where it can be read whole.

        Raises:
            SkillAbsent: There is no such skill, or no such file in it.
            TooLarge: The file is.
            SourceUnavailable: The root that the address leads to cannot be read.
        """
        with self.seeing():
            look, standing = await self.gather(address.name)
            root = await self._root(look, address)
            state = standing.states.get(StateKey(address.name, root is SourceId.HOST_SHARED))
            pin = state.pin if state is not None and state.enabled else None
            tree = look.trees.get(root)
            if tree is not None and path in tree.files:
                has_left_pin = pin is not None and pin != tree.revision
                return FileReading(content=tree.files[path].data, has_left_pin=has_left_pin)
            files = next(files for files in self.sources if files.source is root)
            content = await self.offload(lambda _: files.read_resource(address.name, path))
            return FileReading(content=content, has_left_pin=pin is not None)

    async def occupant(self, name: SkillName) -> SkillRecord | Rejection | None:
        """What has a name in the agent's own root, so that nothing can be made there under it; nothing where none has.

        Raises:
            TooLarge, SourceUnavailable: As `read`.
            Hidden: See `Privacy`.
        """
        look, standing = await self.gather(name)
        try:
            found = look.own(Address(name), standing.states)
        except SkillAbsent:
            return None
        return None if found.source is SourceId.HOST_SHARED else found

    async def checks(self, address: Address) -> tuple[Finding, ...]:
        """Everything wrong with one skill, and all advice on it, in reading order.

        Advice on the text is given as soon as `SKILL.md` itself can be read, whatever else is wrong with the folder.

        Raises:
            SkillAbsent, TooLarge, SourceUnavailable: As `read`.
        """
        with self.seeing():
            reading = await self.read(address)
            found = reading.found.findings
            return await self.offload(lambda _: with_advice(found, address.name, reading.tree, self.markdown))

    async def verify(self, address: Address) -> Verification:
        """Whether a skill or rejected folder is as it was installed or edited here, file by file.

        Raises:
            SkillAbsent, TooLarge, SourceUnavailable: As `read`.
        """
        _, _, folder = await self._folder(address)
        seen = folder.sighting
        return verified(seen.provenance, folder.tree, seen.findings, seen.unrecorded)

    async def _folder(self, address: Address) -> tuple[Look, Standing, Folder]:
        look, standing = await self.gather(address.name)
        root = await self._root(look, address)
        found = look.find(address, standing.states)
        sighting = look.surveys[root].sightings[address.name]
        return look, standing, Folder(found=found, sighting=sighting, tree=look.trees[root])

    async def _root(self, look: Look, address: Address) -> SourceId:
        """The root that an address leads to. Only where it leads nowhere, all are surveyed, for names that are near."""
        root = look.root(address)
        if root is not None:
            return root
        with self.seeing():
            surveys = await self.offload(self._survey)
        names = {name for survey in surveys for name in survey.sightings if is_skill_name(name)}
        raise SkillAbsent(str(address), fix=suggestion(address.name, names))


def _is_called(folder: str, text: str) -> bool:
    """Whether somebody means a folder by what they typed: its name, or how a listing shows it, with a source or not."""
    shown = escaped(folder)
    return not {text, text.partition("@")[0]}.isdisjoint({folder, shown, shown.replace(" ", r"\x20")})
