// What cannot be imported is refused at its place, one reason each.
// RUN: split-file %s %t
// RUN: not ladder-opt --pass=import-matmul %t/none.mlir 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not ladder-opt --pass=import-matmul %t/dynamic.mlir 2>&1 | FileCheck %s --check-prefix=DYNAMIC
// RUN: not ladder-opt --pass=import-matmul %t/type.mlir 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not ladder-opt --pass=import-matmul %t/after.mlir 2>&1 | FileCheck %s --check-prefix=AFTER
// RUN: not ladder-opt --pass=import-matmul %t/chain.mlir 2>&1 | FileCheck %s --check-prefix=CHAIN
// RUN: not ladder-opt --pass=import-matmul %t/uninit.mlir 2>&1 | FileCheck %s --check-prefix=UNINIT
// RUN: not ladder-opt --pass=import-matmul %t/fill.mlir 2>&1 | FileCheck %s --check-prefix=FILL
// RUN: not ladder-opt --pass=import-matmul %t/narrow.mlir 2>&1 | FileCheck %s --check-prefix=NARROW

//--- none.mlir
func.func @f() { return }
// NONE: none.mlir:{{.*}} error: import-matmul: found no linalg.matmul

//--- dynamic.mlir
func.func @f(%A: tensor<?x4xbf16>, %B: tensor<4x4xbf16>, %C: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %r = linalg.matmul ins(%A, %B : tensor<?x4xbf16>, tensor<4x4xbf16>) outs(%C : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}
// DYNAMIC: dynamic.mlir:2:8: error: import-matmul: dynamic shape tensor<?x4xbf16>: only static shapes are supported yet

//--- type.mlir
func.func @f(%A: tensor<4x4xf64>, %B: tensor<4x4xf64>, %C: tensor<4x4xf64>) -> tensor<4x4xf64> {
  %r = linalg.matmul ins(%A, %B : tensor<4x4xf64>, tensor<4x4xf64>) outs(%C : tensor<4x4xf64>) -> tensor<4x4xf64>
  return %r : tensor<4x4xf64>
}
// TYPE: type.mlir:2:8: error: import-matmul: unsupported element type f64 (supported: bf16, f16, f32)

//--- after.mlir
func.func @f(%A: tensor<4x4xf32>, %B: tensor<4x4xf32>, %C: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %r = linalg.matmul ins(%A, %B : tensor<4x4xf32>, tensor<4x4xf32>) outs(%C : tensor<4x4xf32>) -> tensor<4x4xf32>
  %s = linalg.exp ins(%r : tensor<4x4xf32>) outs(%C : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %s : tensor<4x4xf32>
}
// AFTER: after.mlir:2:8: error: import-matmul: the result goes into 'linalg.exp'
// AFTER: after.mlir:3:8: note: here

//--- chain.mlir
func.func @f(%A: tensor<4x4xf32>, %B: tensor<4x4xf32>, %C: tensor<4x4xf32>, %D: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %r = linalg.matmul ins(%A, %B : tensor<4x4xf32>, tensor<4x4xf32>) outs(%C : tensor<4x4xf32>) -> tensor<4x4xf32>
  %s = linalg.matmul ins(%r, %B : tensor<4x4xf32>, tensor<4x4xf32>) outs(%D : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %s : tensor<4x4xf32>
}
// CHAIN: chain.mlir:2:8: error: import-matmul: the result goes into 'linalg.matmul'

//--- uninit.mlir
func.func @f(%A: tensor<4x4xf32>, %B: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  %r = linalg.matmul ins(%A, %B : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}
// UNINIT: uninit.mlir:3:8: error: import-matmul: C starts uninitialised (tensor.empty): add a linalg.fill before

//--- fill.mlir
func.func @f(%A: memref<4x4xf32>, %B: memref<4x4xf32>, %C: memref<4x4xf32>) {
  %z = arith.constant 1.0 : f32
  linalg.fill ins(%z : f32) outs(%C : memref<4x4xf32>)
  linalg.matmul ins(%A, %B : memref<4x4xf32>, memref<4x4xf32>) outs(%C : memref<4x4xf32>)
  return
}
// FILL: fill.mlir:4:3: error: import-matmul: C is filled with a value other than constant 0
// FILL: fill.mlir:3:3: note: here

//--- narrow.mlir
func.func @f(%A: memref<4x4xf32>, %B: memref<4x4xf32>, %C: memref<4x4xbf16>) {
  linalg.matmul ins(%A, %B : memref<4x4xf32>, memref<4x4xf32>) outs(%C : memref<4x4xbf16>)
  return
}
// NARROW: narrow.mlir:2:3: error: import-matmul: C is bf16, A is f32: multiply into f32, and truncf the result
