"""Published experiments run again: one file each, found by name. Packages add theirs under the entry-point group `feint.studies`."""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module
from importlib.metadata import entry_points
from typing import TYPE_CHECKING

from feint.errors import UserError

if TYPE_CHECKING:
    from feint.studies.run import Study

STUDIES = {  # name: where its Study is
    "bidding": "feint.studies.bidding:STUDY",
    "bluff": "feint.studies.bluff:STUDY",
}


def _known() -> dict[str, str]:
    return {each.name: each.value for each in entry_points(group="feint.studies")} | STUDIES


def study_names() -> list[str]:
    """The names of every study."""
    return sorted(_known())


def find_study(name: str) -> Study:
    """A study by name."""
    known = _known()
    if name not in known:
        near = get_close_matches(name, known, n=1)
        guess = f" Did you mean {near[0]}?" if near else ""
        raise UserError(f"There is no study called {name!r}.{guess} There are: {', '.join(study_names()) or 'none'}.")
    module, _, attribute = known[name].partition(":")
    try:
        return getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as broken:
        raise UserError(
            f"The study {name} is registered as {known[name]}, which cannot be imported: {broken}."
        ) from broken
