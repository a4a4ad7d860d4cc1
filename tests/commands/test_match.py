"""`feint match` and `feint tournament`: what they refuse before anything is played."""

import pytest

from feint import cli
from feint.errors import UserError


@pytest.mark.parametrize(("flag", "what", "name"), [("--save", "result", "x.json"), ("--plot", "figure", "x.svg")])
def test_a_file_that_cannot_be_written_is_refused_before_anything_is_played(flag, what, name, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match=rf"The {what} cannot be saved as .*: Not a directory\."):
        cli.app(["match", "kuhn", "random", "random", flag, str(tmp_path / "file" / name)], standalone_mode=False)


def test_a_tournament_looks_too(tmp_path):
    (tmp_path / "folder.json").mkdir()
    with pytest.raises(UserError, match=r"The result cannot be saved as .*: Is a directory\."):
        cli.app(
            ["tournament", "kuhn", "random", "random", "--save", str(tmp_path / "folder.json")], standalone_mode=False
        )
