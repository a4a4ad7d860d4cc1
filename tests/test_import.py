"""One import: `import feint` has all that most programs need, and loads nothing that they do not."""

import subprocess
import sys
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

import pytest

import feint
from feint.version import __version__


@pytest.mark.parametrize("name", feint.__all__)
def test_every_name_is_there(name):
    assert getattr(feint, name) is not None
    assert name in dir(feint)


def test_names_of_functions_are_not_names_of_modules():
    """Importing a module puts it into its package under its name: a function of the same name would be gone."""
    for module in iter_modules(feint.__path__):
        if module.name in feint.__all__:
            assert isinstance(getattr(feint, module.name), ModuleType)


def test_names_are_what_their_homes_have():
    assert feint.match is import_module("feint.arena.match").match
    assert feint.solve is import_module("feint.solvers.solution").solve
    assert feint.pytree is import_module("feint.game").pytree
    assert feint.__version__ == __version__


def test_unknown_names_are_refused():
    with pytest.raises(AttributeError, match="no attribute 'maek'"):
        _ = feint.maek


def test_importing_feint_loads_neither_jax_nor_numpy():
    code = "import sys, feint; print({'jax', 'numpy', 'rich'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True, timeout=60)
    assert done.stdout == "set()\n"
