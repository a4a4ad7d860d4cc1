"""`python -m feint` is the command `feint`."""

from feint.cli import main

main()
