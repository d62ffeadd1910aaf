// What a function does besides its matmuls, or to their operands, may not get lost.
// RUN: split-file %s %t
// RUN: not ladder-opt --pass=import-matmul %t/after.mlir 2>&1 | FileCheck %s --check-prefix=AFTER
// RUN: not ladder-opt --pass=import-matmul %t/input.mlir 2>&1 | FileCheck %s --check-prefix=INPUT
// RUN: not ladder-opt --pass=import-matmul %t/inplace.mlir 2>&1 | FileCheck %s --check-prefix=INPLACE
// RUN: not ladder-opt --pass=import-matmul %t/chain.mlir 2>&1 | FileCheck %s --check-prefix=CHAIN
// RUN: not ladder-opt --pass=import-matmul %t/returned.mlir 2>&1 | FileCheck %s --check-prefix=RETURNED
// RUN: not ladder-opt --pass=import-matmul %t/overlap.mlir 2>&1 | FileCheck %s --check-prefix=OVERLAP
// RUN: not ladder-opt --pass=import-matmul %t/space.mlir 2>&1 | FileCheck %s --check-prefix=SPACE
// RUN: not ladder-opt --pass=import-matmul %t/name.mlir 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not ladder-opt --pass=import-matmul %t/twice.mlir 2>&1 | FileCheck %s --check-prefix=TWICE

//--- after.mlir
func.func @f(%A: memref<4x4xf32>, %B: memref<4x4xf32>, %C: memref<4x4xf32>) {
  %z = arith.constant 0.0 : f32
  linalg.matmul ins(%A, %B : memref<4x4xf32>, memref<4x4xf32>) outs(%C : memref<4x4xf32>)
  linalg.fill ins(%z : f32) outs(%C : memref<4x4xf32>)
  return
}
// AFTER: after.mlir:4:3: error: import-matmul: this fill is not what a matmul of the function starts from

//--- input.mlir
func.func @f(%A: memref<4x4xf32>, %B: memref<4x4xf32>, %C: memref<4x4xf32>) {
  %z = arith.constant 0.0 : f32
  linalg.fill ins(%z : f32) outs(%B : memref<4x4xf32>)
  linalg.matmul ins(%A, %B : memref<4x4xf32>, memref<4x4xf32>) outs(%C : memref<4x4xf32>)
  return
}
// INPUT: input.mlir:3:3: error: import-matmul: this fill is not what a matmul of the function starts from

//--- inplace.mlir
func.func @f(%A: tensor<4x4xf32>, %B: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %r = linalg.matmul ins(%A, %B : tensor<4x4xf32>, tensor<4x4xf32>) outs(%A : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}
// INPLACE: inplace.mlir:2:8: error: import-matmul: C is an operand, too: a kernel cannot read what it overwrites

//--- chain.mlir
func.func @f(%A: memref<4x4xf32>, %B: memref<4x4xf32>, %C: memref<4x4xf32>, %D: memref<4x4xf32>) {
  linalg.matmul ins(%A, %B : memref<4x4xf32>, memref<4x4xf32>) outs(%C : memref<4x4xf32>)
  linalg.matmul ins(%C, %B : memref<4x4xf32>, memref<4x4xf32>) outs(%D : memref<4x4xf32>)
  return
}
// CHAIN: chain.mlir:3:3: error: import-matmul: a matmul of this function writes an operand of this one
// CHAIN: chain.mlir:2:3: note: written here

//--- returned.mlir
func.func @f(%A: tensor<4x4xf32>, %B: tensor<4x4xf32>, %C: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %r = linalg.matmul ins(%A, %B : tensor<4x4xf32>, tensor<4x4xf32>) outs(%C : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %r, %C : tensor<4x4xf32>, tensor<4x4xf32>
}
// RETURNED: returned.mlir:3:3: error: import-matmul: returns a value that no matmul of the function computes

//--- overlap.mlir
func.func @f(%A: memref<4x4xf32>, %B: memref<4x4xf32>, %C: memref<4x4xf32, strided<[2, 1]>>) {
  linalg.matmul ins(%A, %B : memref<4x4xf32>, memref<4x4xf32>) outs(%C : memref<4x4xf32, strided<[2, 1]>>)
  return
}
// OVERLAP: overlap.mlir:2:3: error: import-matmul: memref<4x4xf32, strided<[2, 1]>>: its rows overlap

//--- space.mlir
func.func @f(%A: memref<4x4xf32, 3>, %B: memref<4x4xf32>, %C: memref<4x4xf32>) {
  linalg.matmul ins(%A, %B : memref<4x4xf32, 3>, memref<4x4xf32>) outs(%C : memref<4x4xf32>)
  return
}
// SPACE: space.mlir:2:3: error: import-matmul: memref<4x4xf32, 3>: operands lie in global memory

//--- name.mlir
func.func @"a-b"(%A: memref<4x4xf32>, %B: memref<4x4xf32>, %C: memref<4x4xf32>) {
  linalg.matmul ins(%A, %B : memref<4x4xf32>, memref<4x4xf32>) outs(%C : memref<4x4xf32>)
  return
}
// NAME: name.mlir:1:1: error: import-matmul: 'a-b' cannot name a kernel: use letters, digits and _, no digit first

//--- twice.mlir
func.func @t(%A: memref<4x4xf32>, %B: memref<4x4xf32>, %C: memref<4x4xf32>, %D: memref<4x4xf32>) {
  linalg.matmul ins(%A, %B : memref<4x4xf32>, memref<4x4xf32>) outs(%C : memref<4x4xf32>)
  linalg.matmul ins(%A, %B : memref<4x4xf32>, memref<4x4xf32>) outs(%D : memref<4x4xf32>)
  return
}
func.func @t_0(%A: memref<4x4xf32>, %B: memref<4x4xf32>, %C: memref<4x4xf32>) {
  linalg.matmul ins(%A, %B : memref<4x4xf32>, memref<4x4xf32>) outs(%C : memref<4x4xf32>)
  return
}
// TWICE: twice.mlir:6:1: error: import-matmul: two kernels would be called 't_0': rename a function
