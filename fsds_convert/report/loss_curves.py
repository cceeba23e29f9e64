"""Two loss curves as an SVG, written by hand."""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape

_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 720, 420, 64, 16, 36, 44
_COLOURS = ("#1f77b4", "#d95f02", "#2ca02c", "#7b3294")
_TICKS = 5
_FONT = 'font-family="sans-serif" font-size="12"'

Curve = tuple[str, Sequence[float]]


def loss_curves(title: str, curves: Sequence[Curve]) -> str:
    """A line for each curve; a later one is dashed, so that equal ones are both seen."""
    values = [value for _, losses in curves for value in losses]
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    high = high if high > low else low + 1.0
    steps = max((len(losses) for _, losses in curves), default=1)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" {_FONT}>',
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>',
        f'<text x="{_LEFT}" y="20" font-size="14">{escape(title)}</text>',
        *_axes(low, high, steps),
    ]
    for number, (label, losses) in enumerate(curves):
        points = " ".join(f"{_x(step, steps):.1f},{_y(loss, low, high):.1f}" for step, loss in enumerate(losses))
        colour = _COLOURS[number % len(_COLOURS)]
        dash = f' stroke-dasharray="{4 + 2 * number} 4"' if number else ""
        lines.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>')
        lines.append(
            f'<text x="{_WIDTH - _RIGHT}" y="{_TOP + 16 * (number + 1)}" text-anchor="end" fill="{colour}">'
            f"{escape(label)}</text>"
        )
    return "\n".join([*lines, "</svg>", ""])


def _axes(low: float, high: float, steps: int) -> list[str]:
    bottom, right = _HEIGHT - _BOTTOM, _WIDTH - _RIGHT
    lines = [f'<path d="M{_LEFT} {_TOP}V{bottom}H{right}" fill="none" stroke="#666"/>']
    for tick in range(_TICKS):
        value = low + (high - low) * tick / (_TICKS - 1)
        y = _y(value, low, high)
        lines.append(f'<path d="M{_LEFT} {y:.1f}H{right}" stroke="#eee"/>')
        lines.append(f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{value:.4g}</text>')
    for tick in range(_TICKS):
        step = round((steps - 1) * tick / (_TICKS - 1))
        lines.append(f'<text x="{_x(step, steps):.1f}" y="{bottom + 18}" text-anchor="middle">{step + 1}</text>')
    lines.append(f'<text x="{(_LEFT + right) / 2:.0f}" y="{_HEIGHT - 8}" text-anchor="middle">optimizer step</text>')
    return lines


def _x(step: int, steps: int) -> float:
    return _LEFT + (_WIDTH - _RIGHT - _LEFT) * step / max(1, steps - 1)


def _y(loss: float, low: float, high: float) -> float:
    return _HEIGHT - _BOTTOM - (_HEIGHT - _BOTTOM - _TOP) * (loss - low) / (high - low)
