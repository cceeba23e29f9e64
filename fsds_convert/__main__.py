"""`python -m fsds_convert` is `fsds`."""

from fsds_convert.cli import main

main()
