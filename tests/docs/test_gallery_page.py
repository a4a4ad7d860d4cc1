"""The page on the gallery says what the files beside it hold, and nothing else."""

import importlib.util
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_is_what_its_files_make_of_it():
    spec = importlib.util.spec_from_file_location("gallery_page", DOCS / "gallery.py")
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    assert made.FOLDER.is_dir()
    assert made.PAGE.read_text(encoding="utf-8") == made.page(), "run python docs/gallery.py"
