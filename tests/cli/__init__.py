"""Tests of the command line: what users meet, whatever is given."""

import pytest

pytest.register_assert_rewrite(f"{__name__}.case")
