"""`python -m fsds_convert` is `fsds`."""

from fsds_convert.cli import main

if __name__ == "__main__":
    main()
