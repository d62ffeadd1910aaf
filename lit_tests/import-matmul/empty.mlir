// An empty memref has rows of no elements: its strides, which MLIR calls dynamic, are not looked at.
// RUN: ladder-opt --pass=import-matmul %s | FileCheck %s

// CHECK: gpu.func @mm(%A: memref<7x7xbf16>, %B: memref<7x0xbf16>, %C: memref<7x0xf32>)
// CHECK-NEXT: "tile.contract"
func.func @mm(%A: memref<7x7xbf16>, %B: memref<7x0xbf16>, %C: memref<7x0xf32>) {
  linalg.matmul ins(%A, %B : memref<7x7xbf16>, memref<7x0xbf16>) outs(%C : memref<7x0xf32>)
  return
}
