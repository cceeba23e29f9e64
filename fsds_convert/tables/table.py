"""All rows of one dialect, and the ways to find one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from fsds_convert.tables.row import Row


@dataclass(frozen=True)
class Table:
    """One dialect: where its keys stand, and what upstream does with a key that it does not know."""

    name: str
    section: str
    prefix: str
    unknown_keys: str
    rows: tuple[Row, ...]
    dropped_prefix: str = ""

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    @cached_property
    def by_key(self) -> dict[str, tuple[Row, ...]]:
        """Every row of a key: more than one where the engines read it differently."""
        found: dict[str, tuple[Row, ...]] = {}
        for row in self.rows:
            found[row.key] = (*found.get(row.key, ()), row)
        return found

    def row(self, key: str, engine: str) -> Row | None:
        """The row of a key that acts in an engine, else any row of that key, else None."""
        rows = self.by_key.get(key, ())
        acting = (row for row in rows if not row.engines or engine in row.engines)
        return next(acting, rows[0] if rows else None)

    def full_key(self, name: str) -> str:
        """A name as written in the section -> its key, with the prefix that the loader would add, or drop."""
        name = name.removeprefix(self.dropped_prefix)
        if self.prefix and not name.startswith(self.prefix.removesuffix("_")):
            name = self.prefix + name
        return f"{self.section}.{name}" if self.section else name

    def has_keys_below(self, row: Row) -> bool:
        """Whether the table knows keys inside the value of a key."""
        return row.key in self._parents

    @cached_property
    def _parents(self) -> frozenset[str]:
        return frozenset(row.key.rpartition(".")[0] for row in self.rows)

    def for_field(self, field: str, engine: str) -> Row | None:
        """The row that writes a plan field in an engine: the first one that acts there and is not an old spelling."""
        for row in self.rows:
            if row.field == field and row.replaced_by is None and (not row.engines or engine in row.engines):
                return row
        return None
