// RUN: ladder-opt %s | FileCheck %s
// Values with a named location print under that name.
// CHECK: func.func @f(%A_LDS: f32)
// CHECK: %acc = arith.addf %A_LDS, %A_LDS
func.func @f(%x: f32 loc("A_LDS")) -> f32 {
  %0 = arith.addf %x, %x : f32 loc("acc")
  return %0 : f32
}
