"""Make the recorded games anew. Look at the diff: it is what the change of rules did."""

import feint
from feint.testing import playthrough_text
from tests.playthroughs import FOLDER, GAMES

for name, (game, options) in GAMES.items():
    (FOLDER / f"{name}.txt").write_text(playthrough_text(feint.make(game, **options)))
    print(f"tests/playthroughs/{name}.txt")
