"""`python -m cli`: the same as `laurel`."""

from cli.main import main

main()
