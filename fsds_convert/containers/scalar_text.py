"""A value -> the way YAML 1.1 has it written, so that the upstream loader reads the same value back."""

from __future__ import annotations

import math
import re
from typing import Any

# what PyYAML's safe_load would not read as text: booleans, null, numbers, base 60, dates, and syntax
_NOT_TEXT = re.compile(
    r"^(?:~|null|true|false|yes|no|on|off|y|n|[-+.\d][\d_.:eE+-]*|0[xob][\da-f_]+|\.inf|\.nan|=|<<|)$", re.IGNORECASE
)
_PLAIN = re.compile(r"^[A-Za-z0-9_./~$][\w./$@%+=~^(),|\\-]*(?: [\w./$@%+=~^(),|\\-]+)*$")


def scalar_text(value: Any) -> str:
    """`true`, `3`, `1.0e-05`, `.inf`, `'no'`, `[a, b]`: one line of YAML for a value."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return _float(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{scalar_text(key)}: {scalar_text(item)}" for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(scalar_text, value)) + "]"
    text = str(value)
    if _PLAIN.match(text) and not _NOT_TEXT.match(text):
        return text
    if text.isprintable():
        return "'" + text.replace("'", "''") + "'"
    return '"' + text.encode("unicode_escape").decode().replace('"', '\\"') + '"'


def _float(value: float) -> str:
    if math.isinf(value):
        return ".inf" if value > 0 else "-.inf"
    if math.isnan(value):
        return ".nan"
    text = repr(value)
    mantissa, e, exponent = text.partition("e")
    if not e:
        return text
    # YAML 1.1 reads a float only with a point and a signed exponent
    return f"{mantissa if '.' in mantissa else mantissa + '.0'}e{exponent if exponent[0] in '+-' else '+' + exponent}"
