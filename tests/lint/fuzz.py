"""`python -m tests.lint.fuzz --minutes 10`: mutated files for as long as it is told, each batch from a counted seed."""

from __future__ import annotations

import argparse
import time
from itertools import count

from hypothesis import seed, settings

from tests.lint.mutations import SEEDS
from tests.lint.test_fuzz import property_of

BATCH = 250


def main() -> None:
    """Prints how many files were tried; a broken promise ends it with the file that hypothesis has shrunk."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--first-seed", type=int, default=0)
    options = parser.parse_args()
    settings.register_profile("long", database=None)
    settings.load_profile("long")
    started = time.monotonic()
    for number in count(options.first_seed):
        seed(number)(property_of(BATCH))()
        minutes = (time.monotonic() - started) / 60
        tried = (number - options.first_seed + 1) * BATCH
        if number % 10 == 0 or minutes >= options.minutes:
            seeds = f"seeds {options.first_seed} to {number}"
            print(f"{minutes:5.1f} min: {tried} files from {len(SEEDS)}, {seeds}", flush=True)
        if minutes >= options.minutes:
            return


if __name__ == "__main__":
    main()
