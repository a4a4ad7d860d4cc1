"""What docs/solvers.md shows in Python runs, in order, as one program."""

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "solvers.md"


def test_examples_run_and_say_what_they_claim(capsys):
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert len(blocks) >= 3
    names: dict = {}
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), names)
    said = capsys.readouterr().out
    assert "774 decision nodes, 1,116 ends, 288 information sets" in said
    assert names["found"].exploitability < 1e-3
    assert names["pure_equilibria"](names["chicken"]).tolist() == [[0, 1], [1, 0]]
    assert len(names["two_player_equilibria"](names["chicken"])) == 3
    assert abs(names["symmetric_equilibria"](names["road"])[0][0] - 5 / 8) < 1e-9
