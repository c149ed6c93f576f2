"""`python -m weft` is `weft`."""

from weft.cli.main import main

main()
