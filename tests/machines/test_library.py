"""The library against a plain dictionary: whatever is asked for, done by hand, or fails meanwhile."""

from __future__ import annotations

from contextlib import suppress

from attrs import define
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from kestrel_skills_adapters.memory.mirror import MemoryMirror
from kestrel_skills_adapters.memory.privacy import MemoryPrivacy
from kestrel_skills_adapters.world import finish
from kestrel_skills_core.domain.commands import Create, Delete, Edit, SetState
from kestrel_skills_core.domain.edit import Append, Whole
from kestrel_skills_core.domain.errors import (
    BadDocument,
    Hidden,
    SkillAbsent,
    SkillExists,
    StaleRevision,
    StateUnavailable,
    StoreFailed,
)
from kestrel_skills_core.domain.names import DOCUMENT, Address, Revision, SkillName, SourceId
from kestrel_skills_core.domain.record import SkillRecord
from kestrel_skills_core.domain.tree import Content
from tests.examples import examples
from tests.service.shelf import Shelf, shelf, skill

NAMES = ("a", "b")
FULL = StoreFailed("stage", "the disk is full")
SILENT = StateUnavailable("it is away")

names = st.sampled_from(NAMES).map(SkillName)
sources = st.sampled_from([SourceId.AGENT_LOCAL, SourceId.HOST_SHARED])
texts = st.sampled_from(["one", "two", "three"])


@define
class Copy:
    """What the dictionary holds of one copy: its text, whether it is on, and its birth (none of its own if shared)."""

    text: bytes
    on: bool = False
    birth: int = 0


def document(name: str, text: str) -> bytes:
    """A good document."""
    content = skill(name, body=text)["SKILL.md"]
    assert isinstance(content, Content)
    return content.data


class Library(RuleBasedStateMachine):
    """Rules are what people and machines do; the invariant is that both tell the same."""

    on: Shelf

    @initialize()
    def begin(self) -> None:
        """Two roots, nothing in the agent's own."""
        self.privacy, self.mirror = MemoryPrivacy(), MemoryMirror()
        theirs = {name: skill(name, body="theirs") for name in NAMES}
        self.on = shelf({}, theirs, privacy=self.privacy, mirror=self.mirror)
        self.model = {(name, SourceId.HOST_SHARED): Copy(document(name, "theirs")) for name in NAMES}
        self.tokens: dict[SkillName, tuple[str, bytes, int]] = {}
        self.births = 0
        self.marked: set[str] = set()
        self.by_hand: set[SkillName] = set()

    # What is asked of the library

    @rule(name=names, text=texts, enabled=st.booleans())
    def create(self, name: SkillName, text: str, enabled: bool) -> None:
        """Make a skill."""
        command = Create(name=name, document=document(name, text), enabled=enabled)
        key = (name, SourceId.AGENT_LOCAL)
        try:
            outcome = finish(self.on.library.create(command))
        except SkillExists:
            assert key in self.model
        except StoreFailed:
            assert self.on.local.broken is not None
        else:
            assert key not in self.model
            self.births += 1
            self.model[key] = Copy(command.document, enabled and outcome.problem is None, self.births)
            assert (outcome.problem is not None) == (enabled and self.on.states.unavailable is not None)
            if enabled and outcome.problem is None:
                self._unmark(name, SourceId.AGENT_LOCAL)

    @rule(name=names, text=texts)
    def append(self, name: SkillName, text: str) -> None:
        """Add to a skill of the agent's own."""
        key = (name, SourceId.AGENT_LOCAL)
        command = Edit(address=Address(*key), change=Append(text))
        try:
            finish(self.on.library.edit(command))
        except SkillAbsent:
            assert key not in self.model
        except StoreFailed:
            assert self.on.local.broken is not None
        else:
            self.model[key].text += text.encode()

    @rule(name=names, text=texts, stale=st.booleans())
    def overwrite(self, name: SkillName, text: str, stale: bool) -> None:
        """Write a whole document over the one that was seen, or over another."""
        key = (name, SourceId.AGENT_LOCAL)
        if key not in self.model:
            return
        revision = finish(self.on.library.read(Address(*key))).tree.revision
        command = Edit(
            address=Address(*key),
            change=Whole(document(name, text)),
            expected_revision=Revision("0" * 64) if stale else revision,
        )
        try:
            finish(self.on.library.edit(command))
        except StaleRevision:
            assert stale
        except StoreFailed:
            assert self.on.local.broken is not None
        else:
            assert not stale
            self.model[key].text = document(name, text)

    @rule(name=names)
    def spoil(self, name: SkillName) -> None:
        """Try to make a skill one no more; it stays as it is."""
        key = (name, SourceId.AGENT_LOCAL)
        if key in self.model:
            with suppress(BadDocument):
                finish(self.on.library.edit(Edit(address=Address(*key), change=Append("\0"))))
                raise AssertionError("what is no text was taken")

    @rule(name=names)
    def look(self, name: SkillName) -> None:
        """Take down the token of what is there now."""
        key = (name, SourceId.AGENT_LOCAL)
        if key in self.model:
            binding = finish(self.on.library.read(Address(*key))).found.delete_binding(self.on.library.agent)
            assert binding is not None
            self.tokens[name] = (binding.token, self.model[key].text, self.model[key].birth)

    @rule(name=names)
    def delete(self, name: SkillName) -> None:
        """Delete with the token that was taken down, whenever that was."""
        if name not in self.tokens:
            return
        token, text, birth = self.tokens[name]
        copy = self.model.get((name, SourceId.AGENT_LOCAL))
        command = Delete(address=Address(name, SourceId.AGENT_LOCAL), delete_revision=token)
        try:
            outcome = finish(self.on.library.delete(command))
        except SkillAbsent:
            assert copy is None
        except StaleRevision:
            assert copy is not None
            assert (copy.text, copy.birth) != (text, birth)
        except StoreFailed:
            assert self.on.local.broken is not None
        else:
            assert copy is not None
            assert (copy.text, copy.birth) == (text, birth)
            del self.model[name, SourceId.AGENT_LOCAL]
            if outcome.problem is None:
                self._unmark(name, None)

    @rule(name=names, source=sources, enabled=st.booleans())
    def switch(self, name: SkillName, source: SourceId, enabled: bool) -> None:
        """Turn a copy on or off."""
        command = SetState(address=Address(name, source), enabled=enabled)
        copy = self.model.get((name, source))
        silent, full = self.on.states.unavailable is not None, self.on.local.broken is not None
        try:
            finish(self.on.library.set_state(command))
        except SkillAbsent:
            assert copy is None
        except StoreFailed:
            assert full
            assert enabled or copy is None
            if copy is not None:
                self._settle(name, source)
                copy.on = True
        except StateUnavailable:
            assert silent
        else:
            if enabled:
                assert copy is not None
                copy.on = True
                self._unmark(name, source)
            elif silent:
                self.marked.add(name)
            else:
                self._turned_off(name, source)

    # What people and machines do meanwhile

    @rule(name=names, text=texts)
    def write_by_hand(self, name: SkillName, text: str) -> None:
        """Write a file past the library."""
        key = (name, SourceId.AGENT_LOCAL)
        if key in self.model:
            folder = self.on.local.folders[name]
            assert isinstance(folder, dict)
            folder[DOCUMENT] = Content(document(name, text))
            self.model[key].text = document(name, text)

    @rule(name=names)
    def replace_by_hand(self, name: SkillName) -> None:
        """Remove a folder and make it anew, the same to the byte."""
        key = (name, SourceId.AGENT_LOCAL)
        if key in self.model:
            self.on.local.folders[name] = {DOCUMENT: Content(self.model[key].text)}
            self.births += 1
            self.model[key] = Copy(self.model[key].text, birth=self.births)
            self.by_hand.add(name)

    @rule(full=st.booleans(), silent=st.booleans())
    def fail_otherwise(self, full: bool, silent: bool) -> None:
        """The same, so that it comes up as often as all the rest together needs it."""
        self.fail(full, silent)

    @rule(full=st.booleans(), silent=st.booleans())
    def fail(self, full: bool, silent: bool) -> None:
        """From now on the disk or the table fail, or work again."""
        self.on.local.broken = FULL if full else None
        self.on.states.unavailable = SILENT if silent else None

    @rule()
    def start(self) -> None:
        """A start changes nothing that anybody sees, and tells of what fails."""
        started = finish(self.on.library.start())
        assert (self.on.local.broken in started.problems) == (self.on.local.broken is not None)

    @rule(name=names, source=sources, text=texts, mode=st.sampled_from(["ephemeral", ""]))
    def hide_for_a_while(self, name: SkillName, source: SourceId, text: str, mode: str) -> None:
        """Nothing is there, and nothing can be changed; then all is as it was."""
        self.privacy.mode = mode
        assert finish(self.on.library.catalog()).catalog.is_empty
        assert self.mirror.hidden
        library, address = self.on.library, Address(name, source)
        for refused in (
            library.read(address),
            library.create(Create(name=name, document=document(name, text), enabled=True)),
            library.edit(Edit(address=address, change=Append(text))),
            library.set_state(SetState(address=address, enabled=True)),
            library.delete(Delete(address=address, delete_revision="0" * 64)),
        ):
            with suppress(Hidden):
                finish(refused)
                raise AssertionError("what is hidden was used")
        self.privacy.mode = None
        finish(library.catalog())

    # What must hold

    @invariant()
    def both_tell_the_same(self) -> None:
        """Every copy has the text that was written last, and is on if, and only if, somebody turned it on."""
        if not hasattr(self, "on"):
            return
        broken, silent = self.on.local.broken, self.on.states.unavailable
        said = self.mirror.enabled
        self.on.local.broken = self.on.states.unavailable = None
        catalog = finish(self.on.library.catalog()).catalog
        seen = {(copy.name, copy.source): copy for record in catalog.records for copy in (record, *record.shadowed)}
        assert set(seen) == set(self.model)
        for key, copy in self.model.items():
            record = seen[key]
            assert isinstance(record, SkillRecord)
            assert finish(self.on.library.read(Address(*key))).content(DOCUMENT) == copy.text
            assert record.enabled == (copy.on and key[0] not in self.marked)
        self.on.local.broken, self.on.states.unavailable = broken, silent
        assert not self.privacy.is_held
        assert not self.mirror.hidden
        # While the table is silent nothing that is told of is on; a folder that a person replaced has not been told of.
        on = {record.name for record in catalog.records if record.enabled}
        assert said - self.by_hand <= on
        assert silent is not None or said - self.by_hand == on - self.by_hand
        self.by_hand.clear()

    def _turned_off(self, name: SkillName, source: SourceId) -> None:
        """A row says off; so does every row that a mark kept off, and the mark goes if the disk can be written."""
        for each in (SourceId.AGENT_LOCAL, SourceId.HOST_SHARED) if name in self.marked else (source,):
            if (name, each) in self.model:
                self.model[name, each].on = False
        if self.on.local.broken is None:
            self.marked.discard(name)

    def _unmark(self, name: str, written: SourceId | None) -> None:
        """A mark goes: what it kept off is off."""
        if name in self.marked:
            self._settle(name, written)
            self.marked.discard(name)

    def _settle(self, name: str, written: SourceId | None) -> None:
        for source in (SourceId.AGENT_LOCAL, SourceId.HOST_SHARED):
            copy = self.model.get((SkillName(name), source))
            if copy is not None and source is not written:
                copy.on = False


TestLibrary = Library.TestCase
TestLibrary.settings = settings(max_examples=examples(100), stateful_step_count=50)
