"""The page on the gallery says what the files beside it hold, and nothing else."""

import importlib.util
from pathlib import Path

from feint import registry
from feint.learn.gallery import read, tables_of

DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_is_what_its_files_make_of_it():
    spec = importlib.util.spec_from_file_location("gallery_page", DOCS / "gallery.py")
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    assert made.FOLDER.is_dir()
    assert made.PAGE.read_text(encoding="utf-8") == made.page(), "run python docs/gallery.py"


def test_its_files_are_of_the_tables_that_galleries_have_today():
    for path in (DOCS / "gallery").glob("*.json"):
        kept = read(path)
        game = registry.make(kept["game"], **kept["options"])
        asked = [",".join(table) for table in tables_of(game, kept["agent"])]
        assert kept["tables"] == asked, f"{path.name}: feint gallery --fresh"
