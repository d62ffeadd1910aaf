// RUN: ladder-opt --passes='mlir:cse,mlir:canonicalize' --print-ir-after=cse --print-ir-before=mlir:canonicalize %s -o /dev/null 2>&1 | FileCheck %s
// RUN: not ladder-opt --passes='mlir:cse' --print-ir-after=canonicalise %s 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: rm -rf %t && ladder-opt --passes='mlir:cse,mlir:canonicalize' --dump-dir %t %s -o /dev/null
// RUN: ls %t | FileCheck %s --check-prefix=DUMP

// CHECK: IR after mlir:cse
// CHECK: func.func @f
// CHECK: IR before mlir:canonicalize
// CHECK-NOT: IR after

// BAD: error: --print-ir-after=canonicalise: no such pass in this pipeline
// BAD-NEXT: passes: mlir:cse

// DUMP: 00-input.mlir
// DUMP-NEXT: 01-mlir-cse.mlir
// DUMP-NEXT: 02-mlir-canonicalize.mlir
func.func @f(%x: f32 loc("A_LDS")) -> f32 {
  %a = arith.addf %x, %x : f32
  %b = arith.addf %x, %x : f32
  %c = arith.mulf %a, %b : f32
  return %c : f32
}
