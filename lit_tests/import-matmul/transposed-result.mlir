// A result stored [n, m] is the row-major product of the swapped operands.
// RUN: ladder-opt --pass=import-matmul %s | FileCheck %s

// CHECK: gpu.func @t(%A: memref<24x8xbf16>, %B: memref<16x24xbf16>, %C: memref<8x16xf32>)
// CHECK: "tile.contract"(%A, %B, %C) {a_order = "km", accumulate = true, b_order = "nk"}
func.func @t(%X: tensor<16x24xbf16>, %Y: tensor<24x8xbf16>, %C: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %r = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (n, m)>] ins(%X, %Y : tensor<16x24xbf16>, tensor<24x8xbf16>) outs(%C : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %r : tensor<8x16xf32>
}
