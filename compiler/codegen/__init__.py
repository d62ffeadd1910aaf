"""From a lowered module (.gpu.mlir) to assembly, binary and what a launch needs to know."""
