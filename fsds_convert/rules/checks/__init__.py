"""The functions that rows of the tables of rules name, by their names."""

from __future__ import annotations

from fsds_convert.rules.match import Check

CHECKS: dict[str, Check] = {}
