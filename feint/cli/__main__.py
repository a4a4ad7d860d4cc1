"""`python -m feint.cli` is the command `feint`, too."""

from feint.cli import main

main()
