"""A contract for import-linter: a package imports what is on its list, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, cast

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output

__all__ = ["Budget"]


class Budget(Contract):
    """What a package may import from outside itself, by dotted name: `urllib.parse` allows no `urllib.request`.

    Options: `package`; `allowed`, the names of modules, each with what is below it; `exceptions`, for one module alone,
    each written `importer -> imported`.
    """

    type_name: ClassVar[str] = "budget"

    package: Any = fields.StringField()
    allowed: Any = fields.SetField(subfield=fields.StringField())
    exceptions: Any = fields.SetField(subfield=fields.StringField(), required=False)

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        """Look at every import of every module of the package, those inside functions included."""
        beyond = [
            f"{importer} -> {target} (line {line})"
            for importer in sorted({self.package, *graph.find_descendants(self.package)})
            for line, target in sorted(set(self._outside(graph, importer)))
            if not self._permits(importer, target)
        ]
        return ContractCheck(kept=not beyond, metadata={"beyond": beyond})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Print the imports that are beyond the budget."""
        for found in cast("list[str]", check.metadata["beyond"]):
            output.print_error(found, bold=False)

    def _permits(self, importer: str, target: str) -> bool:
        parts = target.split(".")
        names = {".".join(parts[:length]) for length in range(1, len(parts) + 1)}
        alone = {f"{importer} -> {name}" for name in names}
        return not (names.isdisjoint(self.allowed) and alone.isdisjoint(self.exceptions or ()))

    def _outside(self, graph: ImportGraph, importer: str) -> Iterator[tuple[int, str]]:
        """The line and full name of each import that leaves the package."""
        for imported in graph.find_modules_directly_imported_by(importer):
            if not f"{imported}.".startswith(f"{self.package}."):
                for detail in graph.get_import_details(importer=importer, imported=imported):
                    for target in _named(detail["line_contents"], imported):
                        yield detail["line_number"], target


def _named(line: str, imported: str) -> list[str]:
    """The modules at or below `imported` that an import statement names; the graph itself knows the first part only."""
    _, _, rest = line.partition("import " if line.startswith("import ") else "from ")
    names = [each.split()[0] for each in rest.partition(";")[0].split(",") if each.strip()]
    named = [name for name in names if f"{name}.".startswith(f"{imported}.")]
    return named or [imported]
