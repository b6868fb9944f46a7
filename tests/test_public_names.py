"""The public names of the core: what other Kestrel tools may import."""

from __future__ import annotations

import subprocess
import sys

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
