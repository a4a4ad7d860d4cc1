"""The command `feint`, and `python -m feint`."""

from feint import interrupts


def main() -> None:
    """Run the command line; Ctrl-C is heard before any of it is loaded."""
    with interrupts.listening():
        from feint.cli import main

        main()


if __name__ == "__main__":
    main()
