"""The public names of the core: what other Kestrel tools may import."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pkgutil import walk_packages

import pytest

import kestrel_skills_core


def test_every_public_name_resolves() -> None:
    """Each name of `__all__` is there, once."""
    assert len(set(kestrel_skills_core.__all__)) == len(kestrel_skills_core.__all__)
    for name in kestrel_skills_core.__all__:
        assert getattr(kestrel_skills_core, name) is not None


def test_homes_tell_of_every_public_name_and_of_no_other() -> None:
    """What is listed for readers and type checkers is what can be imported."""
    homes = [name for names in kestrel_skills_core._HOMES.values() for name in names]
    assert sorted(homes) == sorted(kestrel_skills_core.__all__)


def test_names_come_from_the_module_that_defines_them() -> None:
    """A public name is the very object of its own module."""
    from kestrel_skills_core.domain.resolver import Resolver

    assert kestrel_skills_core.Resolver is Resolver


def test_an_unknown_name_is_an_attribute_error() -> None:
    """Asking for a name that is not public fails as on any module."""
    with pytest.raises(AttributeError, match="no attribute 'Manager'"):
        _ = kestrel_skills_core.Manager


def test_dir_lists_the_public_names() -> None:
    """`dir()` shows the public names and no others."""
    assert dir(kestrel_skills_core) == sorted(kestrel_skills_core.__all__)


@pytest.mark.parametrize("absent", ["attrs", "ruamel.yaml", "asyncio", "sqlite3", "cmarkgfm", "click"])
def test_importing_the_core_imports_nothing_heavy(absent: str) -> None:
    """Importing the package loads neither its modules' dependencies nor any technology."""
    code = f"import sys, kestrel_skills_core; sys.exit({absent!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_using_the_core_does_not_import_yaml() -> None:
    """Even with every public name loaded, ruamel waits until a frontmatter needs it."""
    code = "import sys; from kestrel_skills_core import SkillLibrary; sys.exit('ruamel.yaml' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def _stated(value: object) -> Iterator[str]:
    """The annotations of a public value: those of a function, or of what a class shows of itself."""
    if not isinstance(value, type):
        yield from getattr(value, "__annotations__", {}).values()
        return
    for home in value.__mro__:
        shown = {name: part for name, part in vars(home).items() if not name.startswith("_")}
        yield from (text for name, text in vars(home).get("__annotations__", {}).items() if not name.startswith("_"))
        for part in shown.values():
            asked = part.fget if isinstance(part, property) else getattr(part, "__func__", part)
            yield from getattr(asked, "__annotations__", {}).values()


def _words(text: object) -> list[str]:
    return re.findall(r"[A-Za-z_]\w*", re.sub(r"Literal\[[^]]*\]", "", str(text)))


def test_what_a_public_name_speaks_of_is_public() -> None:
    """Whoever calls a public name, or reads what it gives, can name its type, unless only the core takes it apart."""
    classes = set()
    for module in walk_packages(kestrel_skills_core.__path__, "kestrel_skills_core."):
        found = vars(import_module(module.name)).items()
        classes |= {name for name, each in found if isinstance(each, type) and each.__module__ == module.name}
    public = set(kestrel_skills_core.__all__)
    stated = {word for name in public for text in _stated(getattr(kestrel_skills_core, name)) for word in _words(text)}
    assert {"Address", "Catalog"} <= stated & classes
    of_the_core_alone = {"Foreign", "Look", "Standing"}
    assert stated & classes - public == of_the_core_alone
