"""A document as JSON."""

from __future__ import annotations

import json
from typing import Any


def json_text(document: Any) -> str:
    """ASCII alone, with an escape for every control character, so that it survives any stream."""
    return json.dumps(document, indent=2).replace("\x7f", "\\u007f")
