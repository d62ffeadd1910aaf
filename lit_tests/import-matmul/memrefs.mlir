// Two matmuls on memrefs in one function: a kernel each. Only the first one's C is filled, and rows
// may be strided.
// RUN: ladder-opt --pass=import-matmul %s | FileCheck %s

// CHECK: gpu.func @two_0(%A: memref<64x32xbf16, strided<[40, 1]>>, %B: memref<32x64xbf16>, %C: memref<64x64xf32>)
// CHECK: "tile.contract"{{.*}}accumulate = false
// CHECK: gpu.func @two_1(%A: memref<32x64xbf16>, %B: memref<64x32xbf16
// CHECK: "tile.contract"{{.*}}accumulate = true
func.func @two(%A: memref<64x32xbf16, strided<[40, 1]>>, %B: memref<32x64xbf16>, %C: memref<64x64xf32>, %D: memref<64x32xbf16>, %E: memref<32x32xf32>) {
  %z = arith.constant 0.0 : f32
  linalg.fill ins(%z : f32) outs(%C : memref<64x64xf32>)
  linalg.matmul ins(%A, %B : memref<64x32xbf16, strided<[40, 1]>>, memref<32x64xbf16>) outs(%C : memref<64x64xf32>)
  linalg.matmul ins(%B, %D : memref<32x64xbf16>, memref<64x32xbf16>) outs(%E : memref<32x32xf32>)
  return
}
