"""What LLVM may assume of a kernel's arguments, from `tile.kernel`."""

from __future__ import annotations

from typing import Any

from mlir import ir

from gemm_ladder.compiler.codegen.description import plain

# A parameter of 128 bytes by value, at 64 bytes, that nobody writes (PTX ISA, tensor-map). MLIR
# accepts the last on kernels of the NVVM dialect only.
_TENSOR_MAP = "{llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant}"


def finish_function(op: ir.Operation) -> dict[str, Any] | None:
    """Put argument attributes on an llvm.func that is a kernel; drop every `tile.` attribute.

    Returns the kernel's description, or None for any other op.
    """
    facts = None
    if op.name == "llvm.func" and "tile.kernel" in op.attributes:
        facts = plain(op.attributes["tile.kernel"])
        arguments = [_arg(arg) for arg in facts["args"]]
        arguments += [ir.Attribute.parse(_TENSOR_MAP)] * len(facts.get("tensor_maps", ()))
        op.attributes["arg_attrs"] = ir.ArrayAttr.get(arguments)
    for name in [name for name in op.attributes if name.startswith("tile.")]:
        del op.attributes[name]
    return facts


def _arg(arg: dict[str, Any]) -> ir.Attribute:
    """No alias: the launch refuses overlapping arguments; align: it checks the base address."""
    attrs = ["llvm.noalias", "llvm.noundef", f"llvm.align = {arg['align']} : i64"]
    if arg["access"] == "read":
        attrs.append("llvm.readonly")
    return ir.Attribute.parse("{" + ", ".join(attrs) + "}")
