"""lit: tools come from the wheels (site-packages/llvm/bin and mlir/bin), not from PATH."""

import importlib.util
import os
import sys
from pathlib import Path

import lit.formats

config.name = "gemm-ladder"  # noqa: F821
config.test_format = lit.formats.ShTest()  # noqa: F821
config.suffixes = [".mlir"]  # noqa: F821
config.test_source_root = os.path.dirname(__file__)  # noqa: F821
# Outputs stay out of the source tree; LADDER_LIT_OUT lets pytest put them in its own folder.
out = os.environ.get("LADDER_LIT_OUT") or str(Path(__file__).parent / "Output")
config.test_exec_root = out  # noqa: F821


def wheel_file(package: str, name: str) -> str:
    """Path of a file inside a package; the configuration fails if it is missing."""
    spec = importlib.util.find_spec(package)
    for folder in (spec.submodule_search_locations if spec else None) or ():
        path = Path(folder) / name
        if path.is_file():
            return str(path)
    raise SystemExit(f"lit needs {name} of package {package}: pip install '.[test]'")


def wheel_tool(package: str, tool: str) -> str:
    """Path of a program inside a wheel."""
    return wheel_file(package, f"bin/{tool}")


for variable in ("PYTHONPATH", "LADDER_LLD", "LADDER_PTXAS"):
    if variable in os.environ:
        config.environment[variable] = os.environ[variable]  # noqa: F821

config.environment["LADDER_CACHE_DIR"] = ""  # noqa: F821  (every run compiles)

# tests/test_lit.py has a process that spares each command the imports.
CLI = f"{sys.executable} -m gemm_ladder.compiler.cli."
if "LADDER_LIT_SERVER" in os.environ:
    client = Path(__file__).parent / "warm.py"
    CLI = f"{sys.executable} -IS {client} {os.environ['LADDER_LIT_SERVER']} "
# Longer names first: lit replaces in order.
config.substitutions += [  # noqa: F821
    (r"(?<![\w/.-])ladder-opt(?![\w.-])", f"{CLI}opt"),
    (r"(?<![\w/.-])ladder(?![\w/.-])", f"{CLI}main"),
    (r"(?<![\w/.-])FileCheck(?![\w.-])", wheel_tool("llvm", "FileCheck")),
    (r"(?<![\w/.-])not(?= )", wheel_tool("llvm", "not")),
    (r"(?<![\w/.-])count(?= \d)", wheel_tool("llvm", "count")),
    (r"(?<![\w/.-])split-file(?![\w.-])", wheel_tool("llvm", "split-file")),
    (r"(?<![\w/.-])mlir-opt(?![\w.-])", wheel_tool("mlir", "mlir-opt")),
    (r"%k_loop", f"{sys.executable} {Path(__file__).parent / 'k_loop.py'}"),
    (r"%examples", str(Path(__file__).parents[1] / "examples")),
    (r"%irdl", wheel_file("gemm_ladder.dialect_defs", "tile.irdl.mlir")),
]
