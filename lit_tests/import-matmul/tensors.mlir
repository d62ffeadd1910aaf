// A matmul on tensors with a zero fill becomes a kernel with memref operands; %B is stored [n, k].
// RUN: ladder-opt --pass=import-matmul %s | FileCheck %s

// CHECK: gpu.module @kernels attributes {tile.target = "gfx1250"}
// CHECK: gpu.func @mm(%A: memref<96x64xf16>, %B: memref<32x64xf16>, %C: memref<96x32xf32>) kernel
// CHECK-SAME: tile.contract = {a_order = "mk", accumulate = false, b_order = "nk", k = 64 : i64, m = 96 : i64, n = 32 : i64}
// CHECK-NEXT: "tile.contract"(%A, %B, %C) {a_order = "mk", accumulate = false, b_order = "nk"}
// CHECK-NEXT: gpu.return
// CHECK-NOT: func.func
func.func @mm(%x: tensor<96x64xf16>, %y: tensor<32x64xf16>, %z: tensor<96x32xf32>) -> tensor<96x32xf32> {
  %c = arith.constant 0.0 : f32
  %i = linalg.fill ins(%c : f32) outs(%z : tensor<96x32xf32>) -> tensor<96x32xf32>
  %r = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>] ins(%x, %y : tensor<96x64xf16>, tensor<32x64xf16>) outs(%i : tensor<96x32xf32>) -> tensor<96x32xf32>
  return %r : tensor<96x32xf32>
}
