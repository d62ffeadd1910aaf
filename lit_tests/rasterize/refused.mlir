// RUN: not ladder-opt --target=sm_90a --passes='import-matmul,rasterize' %s 2>&1 | FileCheck %s --check-prefix=EARLY
// RUN: not ladder-opt --target=sm_90a --passes='import-matmul,tile-workgroup,rasterize,rasterize' %s 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not ladder-opt --target=sm_90a --passes='import-matmul,tile-workgroup,rasterize{order=snake}' %s 2>&1 | FileCheck %s --check-prefix=ORDER

// EARLY: error: rasterize: found no output tile that a workgroup's place chooses
// TWICE: error: rasterize: found no output tile that a workgroup's place chooses
// ORDER: option 'order' is 'snake'; allowed: one of row, column, grouped
func.func @mm(%A: memref<128x128xbf16>, %B: memref<128x128xbf16>, %C: memref<128x128xf32>) {
  %z = arith.constant 0.0 : f32
  linalg.fill ins(%z : f32) outs(%C : memref<128x128xf32>)
  linalg.matmul ins(%A, %B : memref<128x128xbf16>, memref<128x128xbf16>) outs(%C : memref<128x128xf32>)
  return
}
