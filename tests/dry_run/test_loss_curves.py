"""The picture of two loss curves."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

from fsds_convert.report.loss_curves import loss_curves


def test_a_curve_is_a_polyline_inside_the_picture() -> None:
    picture = ElementTree.fromstring(loss_curves("a & b", [("one <1>", (4.9, 4.8, 4.7)), ("two", (4.9, 4.85, 4.7))]))
    lines = [element for element in picture if element.tag.endswith("polyline")]
    points = [tuple(map(float, point.split(","))) for line in lines for point in line.get("points", "").split()]
    assert len(points) == 6
    assert all(0 <= x <= 720 and 0 <= y <= 420 for x, y in points)
    assert points[0][1] < points[2][1]
    assert {"a & b", "one <1>", "two"} <= {element.text for element in picture}


def test_nothing_to_draw_is_a_picture_still() -> None:
    ElementTree.fromstring(loss_curves("", []))
    ElementTree.fromstring(loss_curves("", [("flat", (1.0, 1.0))]))
