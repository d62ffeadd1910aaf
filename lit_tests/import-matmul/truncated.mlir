// A truncf of the f32 result is the kernel's output type.
// RUN: ladder-opt --pass=import-matmul %s | FileCheck %s

// CHECK: gpu.func @mm(%A: memref<8x8xbf16>, %B: memref<8x8xbf16>, %C: memref<8x8xbf16>)
// CHECK: "tile.contract"(%A, %B, %C) {a_order = "mk", accumulate = false, b_order = "kn"}
func.func @mm(%A: tensor<8x8xbf16>, %B: tensor<8x8xbf16>) -> tensor<8x8xbf16> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %r = linalg.matmul ins(%A, %B : tensor<8x8xbf16>, tensor<8x8xbf16>) outs(%i : tensor<8x8xf32>) -> tensor<8x8xf32>
  %t = arith.truncf %r : tensor<8x8xf32> to tensor<8x8xbf16>
  return %t : tensor<8x8xbf16>
}
