"""Real files: what the schema refuses is what fsds finds there, and the other way round."""

from __future__ import annotations

import pytest

from fsds_convert.containers import accelerate_file, deepspeed_json
from fsds_convert.diagnostics import Diagnostic, Place
from fsds_convert.errors import FsdsError
from fsds_convert.schema.check import check
from fsds_convert.settings.context import Context
from fsds_convert.syntax.read_file import read_source
from tests.oracle import corpus

from .published import schema
from .test_agreement import SEEN

FILES = list(corpus.files("accelerate-", "deepspeed-json"))
# the schema cannot know that nobody reads a value, and holds it to its type all the same
IDLE = {"ignored-value", "section-not-read", "distributed-type-missing", "distributed-type-refused", "dead-key"}
CONSUMERS = ("accelerate", "trainer")

pytestmark = pytest.mark.skipif(not FILES, reason="the corpus of real files is not here")


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.kind}/{file.path.name}")
def test_schema_refuses_what_fsds_finds(file: corpus.CorpusFile) -> None:
    source = read_source(str(file.path))
    if not isinstance(source.data, dict):
        pytest.skip("not a config that fsds reads")
    is_json = file.kind == "deepspeed-json"
    name, container = ("deepspeed", deepspeed_json) if is_json else ("accelerate", accelerate_file)
    try:
        readings = [container.read(source, Context(consumer)) for consumer in CONSUMERS]
    except FsdsError:
        pytest.skip("not a config that fsds reads")
    told = check(source, schema(name))
    found = [each for each in readings[0].findings if each.place.name == source.name]
    for_all = [each for each in found if any(each.place == other.place for other in readings[1].findings)]
    unexplained = [f"{place}: {message}" for place, message in told if not any(covers(each, place) for each in found)]
    assert unexplained == []
    unseen = [str(each) for each in for_all if each.name in SEEN and not any(near(each, place) for place, _ in told)]
    assert unseen == []


def covers(found: Diagnostic, place: Place) -> bool:
    return found.name in SEEN | IDLE and near(found, place)


def near(found: Diagnostic, place: Place) -> bool:
    """In the same lines: a key and its value have places of their own, a section those of its keys."""
    there, here = found.place.span, place.span
    if there is None or here is None:
        return found.name == "distributed-type-missing"
    return there.line <= here.end_line and here.line <= there.end_line
