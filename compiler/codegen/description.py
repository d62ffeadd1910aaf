"""What a kernel says of itself: `tile.kernel` in IR, the header line of text stages, JSON."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping
from typing import Any

from mlir import ir

from gemm_ladder.compiler.errors import InputError, LadderError
from gemm_ladder.runtime.artefact import Arg, Contract, Kernel, TensorMap

HEADER = "gemm-ladder:"
_BLOCK = ("known_block_size", "gpu.known_block_size", "rocdl.reqd_work_group_size", "nvvm.reqntid")
_KERNEL_OPS = ("gpu.func", "llvm.func")


@dataclasses.dataclass(frozen=True)
class Header:
    """First line of a text stage: all that a later start needs besides the text."""

    target: str
    pipeline: str
    kernels: tuple[Kernel, ...]


def kernel_ops(module: ir.Module) -> Iterator[ir.Operation]:
    """Every function with a `tile.kernel` attribute, in order."""
    for gpu_module in gpu_modules(module):
        for op in gpu_module.regions[0].blocks[0]:
            if op.operation.name in _KERNEL_OPS and "tile.kernel" in op.operation.attributes:
                yield op.operation


def gpu_modules(module: ir.Module) -> list[ir.Operation]:
    """The gpu.module ops of ``module``, in order."""
    return [op.operation for op in module.body if op.operation.name == "gpu.module"]


def describe(module: ir.Module) -> tuple[Kernel, ...]:
    """The kernels of a lowered module; LadderError if one carries no sound description."""
    return tuple(_kernel(op) for op in kernel_ops(module))


def _kernel(op: ir.Operation) -> Kernel:
    name = ir.StringAttr(op.attributes["sym_name"]).value
    facts = plain(op.attributes["tile.kernel"])
    block = next((plain(op.attributes[key]) for key in _BLOCK if key in op.attributes), None)
    if block is None:
        raise LadderError(f"error: kernel {name}: no known_block_size")
    try:
        return Kernel(
            name=name,
            args=tuple(_arg(arg) for arg in facts["args"]),
            grid=_dim3(facts["grid"]),
            block=_dim3(block),
            cluster=_dim3(facts.get("cluster", (1, 1, 1))),
            dynamic_lds_bytes=int(facts.get("dynamic_lds", 0)),
            contract=Contract(**facts["contract"]) if facts.get("contract") else None,
            remarks=tuple(facts.get("remarks", ())),
            tile=tuple(facts["tile"]) if facts.get("tile") else None,
            tensor_maps=tuple(_tensor_map(entry) for entry in facts.get("tensor_maps", ())),
        )
    except KeyError as error:
        raise LadderError(f"error: kernel {name}: tile.kernel has no {error}") from None


def _arg(facts: Mapping[str, Any]) -> Arg:
    sizes = {key: tuple(facts[key]) for key in ("shape", "strides")}
    return Arg(**{**facts, **sizes})


def _tensor_map(facts: Mapping[str, Any]) -> TensorMap:
    return TensorMap(**{**facts, "box": tuple(facts["box"])})


def _dim3(values: Any) -> tuple[int, int, int]:
    x, y, z = (int(v) for v in values)
    return x, y, z


def plain(attr: ir.Attribute) -> Any:
    """An attribute as Python data: dict, list, str, bool, int or float."""
    if isinstance(attr, ir.DictAttr):
        return {entry.name: plain(entry.attr) for entry in attr}
    if isinstance(attr, ir.ArrayAttr):
        return [plain(item) for item in attr]
    if isinstance(attr, (ir.DenseI32ArrayAttr, ir.DenseI64ArrayAttr)):
        return list(attr)
    return attr.value


def header_line(comment: str, header: Header) -> str:
    """The first line of a text stage, ``comment`` being the language's comment sign."""
    return f"{comment} {HEADER} {json.dumps(dataclasses.asdict(header), sort_keys=True)}\n"


def parse_header(text: str, name: str) -> Header:
    """The header of text stage ``text``; InputError naming file ``name`` if it has none."""
    first = text.split("\n", 1)[0]
    _, found, document = first.partition(HEADER)
    if not found:
        raise InputError(
            f"{name}:1:1: error: no '{HEADER}' line, so the kernels' arguments are not known; "
            "start from a file that ladder compile --stop-after wrote"
        )
    try:
        facts = json.loads(document)
        kernels = tuple(_read_kernel(entry) for entry in facts["kernels"])
        return Header(str(facts["target"]), str(facts["pipeline"]), kernels)
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"{name}:1:1: error: the '{HEADER}' line is damaged: {error}") from None


def _read_kernel(facts: dict[str, Any]) -> Kernel:
    values = dict(facts)
    values["args"] = tuple(_arg(arg) for arg in facts["args"])
    for key in ("grid", "block", "cluster", "remarks", "tile"):
        values[key] = tuple(facts[key]) if facts[key] is not None else None
    values["contract"] = Contract(**facts["contract"]) if facts["contract"] else None
    values["tensor_maps"] = tuple(_tensor_map(entry) for entry in facts.get("tensor_maps", ()))
    return Kernel(**values)
