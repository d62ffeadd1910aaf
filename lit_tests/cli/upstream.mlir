// RUN: ladder-opt --passes='mlir:cse, mlir:func.func(canonicalize)' %s | FileCheck %s
// RUN: ladder-opt --passes='mlir:gpu.module(cse)' %s 2>&1 | FileCheck %s --check-prefix=WARN
// RUN: not ladder-opt --passes='mlir:func.func(nope)' %s 2>&1 | FileCheck %s --check-prefix=BAD

// CHECK-LABEL: func.func @twice
// CHECK-NEXT: arith.addf
// CHECK-NEXT: return

// WARN: warning: pass mlir:gpu.module(cse) matched no 'gpu.module' and changed nothing

// BAD: error: 'nope' does not refer to a registered pass
// BAD-NEXT: mlir:func.func(nope)
// BAD-NEXT: {{^}}                 ^~~~
func.func @twice(%x: f32) -> f32 {
  %dead = arith.mulf %x, %x : f32
  %a = arith.addf %x, %x : f32
  return %a : f32
}
