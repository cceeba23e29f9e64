"""What a conversion does to the dtypes of a step: the converted text is read again, as it will be."""

from __future__ import annotations

from dataclasses import replace

from fsds_convert.containers import accelerate_file, deepspeed_json
from fsds_convert.containers.reading import Reading
from fsds_convert.convert.conversion import Conversion
from fsds_convert.precision.differences import Difference, differences
from fsds_convert.precision.rows import precision_of
from fsds_convert.settings.context import Context, ModelDtype
from fsds_convert.syntax.source import load

_DTYPES: tuple[ModelDtype, ...] = ("fp32", "bf16", "fp16")


def reread(conversion: Conversion, context: Context) -> Reading | None:
    """The converted file as it is read; None when nothing was written. Nothing touches the disk."""
    main, beside = conversion.output("main"), conversion.output("deepspeed-json")
    if main is None:
        return None
    original = conversion.reading.source
    source = load(main.text.encode("utf-8", "surrogateescape"), f"{original.name} converted", original.path)
    if conversion.target.container == "deepspeed-json":
        return deepspeed_json.read(source, context)
    if beside is not None:  # Accelerate takes the text of the JSON in the place of its path
        data = {**source.data, "deepspeed_config": {**source.data["deepspeed_config"], _FILE: beside.text}}
        source = replace(source, data=data)
    return accelerate_file.read(source, context)


_FILE = "deepspeed_config_file"


def changes(conversion: Conversion, context: Context) -> tuple[Difference, ...]:
    """The stages whose dtype a conversion changes, where the model's dtype is known or does not matter."""
    after = reread(conversion, context)
    if after is None:
        return ()
    known = (context.model_dtype,) if context.model_dtype else _DTYPES
    found = [_compared(conversion.reading, after, replace(context, model_dtype=dtype)) for dtype in known]
    return tuple(item for item in found[0] if all(item in others for others in found))


def _compared(before: Reading, after: Reading, context: Context) -> tuple[Difference, ...]:
    pairs = differences(precision_of(before, context), precision_of(after, context))
    return tuple(pair for pair in pairs if pair.differs)
