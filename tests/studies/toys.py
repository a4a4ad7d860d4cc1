"""A study for tests."""

from feint.studies.report import Section, Text, Verdict
from feint.studies.run import Step, Study


class Experiments:
    """A study whose sections say how often they were run, and which can be stopped in the middle."""

    def __init__(self):
        self.runs = []
        self.stop_at = None

    def step(self, key):
        def section(settings, tell):
            if key == self.stop_at:
                raise KeyboardInterrupt
            tell(0.5)
            self.runs.append(key)
            return Section(
                f"Title of {key}",
                (Text(f"{key}: {settings.games} games, seed {settings.seed}"), Verdict("holds", "Yes.")),
            )

        return Step(key, f"Title of {key}", section)

    def study(self):
        return Study(
            "toy", "Toy", "A toy.", "Nobody.", tuple(self.step(key) for key in ("one", "two", "three")), games=50
        )
