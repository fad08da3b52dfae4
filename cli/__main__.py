"""`python -m cli`: the same as `laurel`."""

from cli.start import main

main()
