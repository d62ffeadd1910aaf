"""What a search may change: for each pass of a pipeline, other options, or to leave it out."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence

from gemm_ladder.compiler.errors import UsageError, closest
from gemm_ladder.compiler.resolve import Step
from gemm_ladder.passes.options import OptionError, option_infos, parse_options

# Options of a pass, or None: the pipeline without the pass.
Choice = Mapping[str, str] | None
Space = Mapping[str, Sequence[Choice]]
_OUT = "none"  # what --vary calls the pipeline without the pass


def _values(option: str, *texts: str) -> list[Choice]:
    return [{option: text} for text in texts]


# Of Hopper, by waves: warpgroups of 64 rows each; narrower tiles fill other rounds.
_HOPPER_TILES = {
    "8x1": [f"128x{n}x64" for n in (256, 224, 192, 160, 128)],
    "4x1": ["64x256x64", "64x128x64", "64x128x128", "64x32x128"],
}

# By target; a pass that the pipeline does not have is not looked at. Hopper: stages up to what
# shared memory holds (illegal ones are refused and counted), 128 workgroups beside 132 because
# equal rounds at lower power can be faster.
SPACES: dict[str, Space] = {
    "sm_90a": {
        "tile-workgroup": [
            {"shape": shape, "waves": waves, "fit": "0"}
            for waves, shapes in _HOPPER_TILES.items()
            for shape in shapes
        ],
        "cluster-multicast": [{"dims": "2x1"}, {"dims": "1x2"}, None],
        "multi-buffer": _values("stages", "4", "3", "5", "6", "8"),
        "stage-epilogue": [
            {"alias": "false", "columns": "128"},
            {"alias": "false", "columns": "64"},
            {"alias": "false"},
        ],
        "split-epilogue": [{}, None],
        "persistent": _values("grid", "132", "128", "120"),
        "rasterize": [
            *_values("group", "8", "4", "16"),
            {"order": "row"},
            {"order": "column"},
        ],
    },
    "sm_120": {
        "tile-workgroup": [
            {"shape": "128x128x64", "waves": "2x4"},
            {"shape": "128x128x32", "waves": "2x4"},
            {"shape": "64x128x64", "waves": "2x2"},
        ],
        "multi-buffer": _values("stages", "2", "3", "4"),
        "register-pipeline": [*_values("slots", "2", "3"), None],
    },
    "gfx1250": {
        "tile-workgroup": [
            {"shape": "256x256x128", "waves": "4x2"},
            {"shape": "256x256x128", "waves": "2x2"},
            {"shape": "256x256x64", "waves": "4x4"},
            {"shape": "128x128x64", "waves": "2x2"},
        ],
        "multi-buffer": _values("stages", "2", "3"),
        "register-pipeline": [*_values("slots", "2", "3"), None],
        "cluster-multicast": [{"dims": "4x4"}, {"dims": "2x2"}, None],
        "stage-epilogue": [{}, None],
    },
}


def varied(space: Space, steps: Sequence[Step], texts: Sequence[str]) -> Space:
    """``space`` with the passes of ``texts`` (`pass.option=v1,v2`, `none` leaves the pass out).

    Raises UsageError on a text that is not of that form, or names a pass that is not among
    ``steps``, or an option or value that the pass does not take. Two options of one pass vary
    together.
    """
    asked: dict[str, list[Choice]] = {}
    for text in texts:
        where, equals, values = text.partition("=")
        name, dot, option = where.partition(".")
        if not (name and option and dot and equals and values):
            raise UsageError(f"error: '{text}' is not of the form PASS.OPTION=VALUE,VALUE")
        _check(text, steps, name, option, values.split(","))
        choices: list[Choice] = [None if v == _OUT else {option: v} for v in values.split(",")]
        asked[name] = _both(asked[name], choices) if name in asked else choices
    return {**asked, **{name: choices for name, choices in space.items() if name not in asked}}


def _both(firsts: Sequence[Choice], seconds: Sequence[Choice]) -> list[Choice]:
    """Every combination of what two options of one pass may be."""
    pairs = [(a, b) for a in firsts for b in seconds]
    whole: list[Choice] = [{**a, **b} for a, b in pairs if a is not None and b is not None]
    return whole + [None] * any(a is None or b is None for a, b in pairs)


def _check(text: str, steps: Sequence[Step], name: str, option: str, values: Sequence[str]) -> None:
    """Raise UsageError if no step is called ``name``, or it does not take ``option=values``."""
    passes = {step.name: type(step.pass_) for step in steps if step.pass_ is not None}
    if name not in passes:
        known = ", ".join(passes) or "none"
        guess = closest(name, list(passes))
        raise UsageError(
            f"error: --vary {text}: no pass '{name}' in this pipeline{guess}\npasses: {known}"
        )
    options = [info.name for info in option_infos(passes[name])]
    for value in values:
        try:
            parse_options(passes[name], {option: value})
        except OptionError as error:
            if value == _OUT and option in options:
                continue
            guess = "" if option in options else closest(option, options)
            raise UsageError(f"error: --vary {text}: {name}: {error}{guess}") from None


def candidates(steps: Sequence[Step], space: Space) -> Iterator[str]:
    """Pipeline texts: that of ``steps``, then those that differ from it in one pass, in two, ..

    A choice replaces the options that it names and keeps the pass's others. Passes that ``space``
    has first differ first.
    """
    options = [_texts(step, space.get(step.name, ())) for step in steps]
    seen = set()
    order = list(space)
    varying = [number for number, texts in enumerate(options) if len(texts) > 1]
    varying.sort(key=lambda number: order.index(steps[number].name))
    for count in range(len(varying) + 1):
        for chosen in itertools.combinations(varying, count):
            others = [options[n][1:] if n in chosen else options[n][:1] for n in range(len(steps))]
            for texts in itertools.product(*others):
                pipeline = ",".join(text for text in texts if text)
                if pipeline not in seen:
                    seen.add(pipeline)
                    yield pipeline


def _texts(step: Step, choices: Sequence[Choice]) -> list[str]:
    """The step's text, then those of the choices that differ; "" leaves it out."""
    name, _, rest = step.text.partition("{")
    given = dict(part.split("=", 1) for part in rest.rstrip("}").split())
    texts = [step.text]
    for choice in choices:
        merged = None if choice is None else {**given, **choice}
        if merged is None:
            text = ""
        else:
            inside = " ".join(f"{option}={value}" for option, value in merged.items())
            text = f"{name}{{{inside}}}" if inside else name
        if text not in texts:
            texts.append(text)
    return texts
