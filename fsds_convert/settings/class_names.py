"""Names of the classes to wrap: with commas, or in a list."""

from __future__ import annotations

from typing import Any

from fsds_convert.settings.coerced import Coerced, plain, refused
from fsds_convert.tables.row import Row


def class_names(row: Row, written: Any) -> Coerced:
    """A comma list, split without strip (accelerate/utils/dataclasses.py)."""
    if written is None:
        return plain(None)
    names = list(written) if isinstance(written, list) else str(written).split(",")
    meant = tuple(str(name).strip() for name in names if str(name).strip())
    if isinstance(written, list):
        error = f"Could not find the transformer layer class {str(written).split(',')[0]} in the model"
        return refused(meant or None, error, ",".join(meant))
    if tuple(names) != meant:
        bad = next(name for name in names if name != name.strip() or not name)
        error = f"Could not find the transformer layer class '{bad}' in the model"
        return refused(meant or None, error, ",".join(meant))
    return plain(meant)


def class_list(row: Row, written: Any) -> Coerced:
    """Names in a list, or with commas; the Trainer joins them, and Accelerate splits them without strip."""
    if isinstance(written, list) and all(isinstance(name, str) for name in written):
        return class_names(row, ",".join(written))
    if written is None or isinstance(written, str):
        return class_names(row, written)
    return refused(None, "TypeError: sequence item 0: expected str instance", "a name, or a list of names")
