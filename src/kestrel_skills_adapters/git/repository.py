"""One repository, read part by part: a commit, the folders on the way, and of the rest only what was asked for.

A server that can filter sends each part by its id. One that cannot, or does not want to, sends the commit with all that
is in it, which then has to fit into the caps. What came is looked up by the id computed of it, so that nothing else can
stand in its place.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from itertools import accumulate
from typing import Final, NamedTuple

from attrs import define, field

from kestrel_skills_core.domain.errors import GitFailed, TooLarge
from kestrel_skills_core.domain.git_address import CommitId, GitUrl
from kestrel_skills_core.domain.limits import Limits
from kestrel_skills_core.domain.names import DOCUMENT, ResourcePath
from kestrel_skills_core.domain.parcel import Parcel
from kestrel_skills_core.domain.whereabouts import TOP, is_place, worth_a_look
from kestrel_skills_core.ports.git import FoundSkill

from .objects import Object, ObjectId, Objects, top_of
from .pack import read_pack
from .protocol import Declined, Filter, Offers, UploadPack
from .walk import blobs_of, file_in, files_below, folder_in, folders_in, parcel_of

__all__ = ["Known", "Repository"]

_Folders = dict[ResourcePath | None, ObjectId]

_WHOLE: Final = "its server sends only whole repositories: use a smaller one, or a server that sends parts"
_KEPT: Final = 1 << 20
"""Bytes of commits and folders that are kept for the next transfer."""


class Whole(NamedTuple):
    """A commit with all that is in it, from a server that sends nothing less."""

    commit: CommitId
    objects: Objects


@define(eq=False)
class Known:
    """What is known of a repository since the last transfer, so that the next need not ask for it.

    What its server can do, and the commits and folders that were passed; `whole` is for the next step of one transfer.
    An id always means the same bytes.
    """

    url: GitUrl
    offers: Offers | None = None
    passed: dict[ObjectId, Object] = field(factory=dict)
    whole: Whole | None = None

    def keep(self, objects: Mapping[ObjectId, Object]) -> None:
        """Keep these too, if all are small."""
        both = {**self.passed, **objects}
        if sum(len(each.content) for each in both.values()) <= _KEPT:
            self.passed = both


@define(eq=False)
class Repository:
    """One commit of a repository.

    Raises, every method:
        GitFailed: The server does not send what it should.
        TooLarge: It sends more than a transfer may have.
    """

    _server: UploadPack
    _commit: CommitId
    _known: Known
    _limits: Limits

    @property
    def _whole(self) -> Objects | None:
        """All that is in the commit, if its server sends nothing less."""
        whole = self._known.whole
        return whole.objects if whole is not None and whole.commit == self._commit else None

    def skills(self) -> tuple[FoundSkill, ...]:
        """Every skill where skills are looked for: one request for each level of folders, and one for the texts."""
        documents: _Folders = {}
        level: _Folders = {TOP: self._top()}
        looked = 0
        while level:
            looked += len(level)
            if looked > self._limits.git_entries:
                raise TooLarge("folders where skills are looked for", self._limits.git_entries, looked)
            self._server.met(len(level))
            level = self._look(level, documents)
        self._server.met(len(documents))
        texts = self._objects(documents.values())
        return tuple(
            FoundSkill(folder, self._text(texts, documents[folder]))
            for folder in sorted(documents, key=lambda folder: folder or "")
        )

    def parcel(self, folder: ResourcePath | None) -> Parcel:
        """Every file of a folder: a request for each folder on the way, one for those below, and one for the files."""
        here = self._top()
        for path in [] if folder is TOP else accumulate(folder.split("/"), "{}/{}".format):
            here = folder_in(self._passed([here]), here, path)
        leaves = files_below(self._objects([here], "blob:none"), here, self._limits, self._server.met)
        return parcel_of(leaves, self._objects(blobs_of(leaves)))

    def _top(self) -> ObjectId:
        commit = ObjectId(self._commit)
        return top_of(self._passed([commit], deepen=True), commit)

    def _look(self, level: _Folders, documents: _Folders) -> _Folders:
        """Look into folders for skills, whose documents are put to the others; the folders to look into next."""
        objects = self._passed(level.values())
        following: _Folders = {}
        for folder, its_id in level.items():
            document = file_in(objects, its_id, DOCUMENT)
            if document is not None and is_place(folder):
                documents[folder] = document
            inside = folders_in(objects, its_id, self._limits)
            paths = worth_a_look(folder, inside, is_skill=document is not None)
            following |= {path: inside[path.rpartition("/")[2]] for path in paths}
        return following

    def _text(self, objects: Objects, document: ObjectId) -> bytes | None:
        found = objects.get(document)
        if found is None or found.kind != "blob":
            raise GitFailed("file", f"the server did not send a `{DOCUMENT}`", "try again")
        return found.content if len(found.content) <= self._limits.file_bytes else None

    def _passed(self, wanted: Iterable[ObjectId], *, deepen: bool = False) -> Objects:
        """A commit, or folders without what is in them."""
        wants = list(dict.fromkeys(wanted))
        if not all(each in self._known.passed for each in wants):
            objects = self._objects(wants, "tree:0", deepen=deepen)
            if self._whole is None:
                self._known.keep({each: objects[each] for each in wants if each in objects})
            return objects
        return self._known.passed

    def _objects(self, wanted: Iterable[ObjectId], without: Filter | None = None, *, deepen: bool = False) -> Objects:
        """What comes of a request for some objects: they, where the server is honest, and perhaps more."""
        wants = list(dict.fromkeys(wanted))
        if self._whole is None and wants and self._server.offers.filters:
            with suppress(Declined):  # a server that sends no parts may send the whole
                return read_pack(self._server.pack(wants, without, deepen=deepen), self._limits)
        if self._whole is None and wants:
            self._known.whole = Whole(self._commit, self._all())
        return self._whole or {}

    def _all(self) -> Objects:
        """The commit with all that is in it."""
        try:
            return read_pack(self._server.pack([ObjectId(self._commit)], deepen=True), self._limits)
        except TooLarge as error:
            raise TooLarge(error.limit, error.allowed, error.found, _WHOLE) from None
