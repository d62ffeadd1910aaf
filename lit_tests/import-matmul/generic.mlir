// The equivalent linalg.generic, dimensions in another order, A stored [k, m], adding to C.
// RUN: ladder-opt --pass=import-matmul %s | FileCheck %s

// CHECK: gpu.func @g(%A: memref<33x127xbf16>, %B: memref<33x65xbf16>, %C: memref<127x65xf32>)
// CHECK: "tile.contract"(%A, %B, %C) {a_order = "km", accumulate = true, b_order = "kn"}
#a = affine_map<(k, n, m) -> (k, m)>
#b = affine_map<(k, n, m) -> (k, n)>
#c = affine_map<(k, n, m) -> (m, n)>
func.func @g(%A: tensor<33x127xbf16>, %B: tensor<33x65xbf16>, %C: tensor<127x65xf32>) -> tensor<127x65xf32> {
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["reduction", "parallel", "parallel"]} ins(%A, %B : tensor<33x127xbf16>, tensor<33x65xbf16>) outs(%C : tensor<127x65xf32>) {
  ^bb0(%x: bf16, %y: bf16, %acc: f32):
    %xe = arith.extf %x : bf16 to f32
    %ye = arith.extf %y : bf16 to f32
    %p = arith.mulf %xe, %ye : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<127x65xf32>
  return %r : tensor<127x65xf32>
}
