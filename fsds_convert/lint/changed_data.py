"""What a file would hold after some changes: the measure for the text that the edits give."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from fsds_convert.diagnostics import Change


def changed(data: Any, changes: Iterable[Change]) -> Any:
    """The data with the changes made; raises KeyError, IndexError or TypeError for a path that leads nowhere."""
    new = _unshared(data)
    for change in changes:
        *above, name = change.path
        holder = new
        for part in above:
            if isinstance(holder, dict) and part not in holder:
                holder[part] = {}  # a section that is not there yet
            if isinstance(holder, dict) and holder[part] is None:
                holder[part] = {}
            holder = holder[part]
        if change.action == "set":
            holder[name] = change.value
        elif change.action == "remove":
            del holder[name]
        else:
            items = [(change.value if key == name else key, value) for key, value in holder.items()]
            if change.value in holder or name not in holder:
                raise KeyError(change.value)
            holder.clear()
            holder.update(items)
    return new


def _unshared(data: Any) -> Any:
    """A copy in which an aliased value stands as often as it is named: a change at one place is none at the others."""
    if isinstance(data, dict):
        return {key: _unshared(value) for key, value in data.items()}
    return [_unshared(value) for value in data] if isinstance(data, list) else data
