// Two bands of 32 rows, two waves each: a slot a band for the tile and for its barrier.
// RUN: split-file %s %t
// RUN: ladder-opt --pass='split-epilogue{rows=32}' %t/two.mlir | FileCheck %s
// RUN: ladder-opt --pass='split-epilogue{rows=64}' %t/two.mlir 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: ladder-opt --pass='split-epilogue{rows=32}' %t/none.mlir 2>&1 | FileCheck %s --check-prefix=NONE

// CHECK: %[[R:.*]] = "tile.alloc"() {name = "out_LDS"} : () -> !tile.lds<[2, 32, 64], bf16, {block = 128 : i64, swizzle = 128 : i64}>
// CHECK: %[[OWN:.*]] = "tile.barrier_create"() {arrivals = 2 : i64, kind = "mbarrier", name = "own", scope = "workgroup"} : () -> !tile.bar<2 : i64>
// CHECK: %[[DOWN:.*]] = arith.muli %{{.*}}, %c16
// CHECK: scf.for
// CHECK: %[[BAND:.*]] = arith.divui %[[DOWN]], %c32
// CHECK: %[[ROW:.*]] = arith.remui %[[DOWN]], %c32
// CHECK: %[[LEADS:.*]] = arith.cmpi eq, %[[ROW]], %c0
// CHECK: "tile.arrive"(%[[OWN]], %[[BAND]])
// CHECK-NEXT: "tile.wait_barrier"(%[[OWN]], %[[BAND]], %c0)
// CHECK: memref.store
// CHECK: "tile.store"(%{{.*}}, %[[R]], %[[BAND]], %[[ROW]], %c0{{.*}}) {cols = [0, 64]}
// CHECK: "tile.fence"
// CHECK: "tile.arrive"(%[[OWN]], %[[BAND]])
// CHECK-NEXT: "tile.wait_barrier"(%[[OWN]], %[[BAND]], %c1)
// CHECK: %[[BY:.*]] = arith.muli %[[BAND]], %c32
// CHECK: %[[AT:.*]] = arith.addi %{{.*}}, %[[BY]]
// CHECK: %[[LEFT:.*]] = arith.subi %c100{{.*}}, %[[AT]]
// CHECK: %[[TALL:.*]] = arith.minsi %[[LEFT]], %c32
// CHECK: scf.if %[[LEADS]]
// CHECK-NEXT: "tile.copy_async"(%[[R]], %{{.*}}, %[[BAND]], %[[AT]], %{{.*}}, %[[TALL]], %c64{{.*}}) {align = 16 : i64, engine = "tma", operandSegmentSizes
// CHECK-NOT: kind = "hw"

// ONE: kind = "hw"
// ONE: !tile.lds<[1, 64, 64]

// NONE: remark: split-epilogue: no output tile in LDS that one wave posts to a copy engine (stage-epilogue)

//--- two.mlir
!acc = !tile.frag<[16, 128], f32, "acc">
!R = !tile.lds<[1, 64, 64], bf16, {block = 128, swizzle = 128}>
!bar = !tile.bar<1>
gpu.module @m attributes {tile.target = "sm_90a"} {
  gpu.func @leave(%log: memref<8xf32>, %out: memref<100x256xbf16>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, known_grid_size = array<i32: 2, 1, 1>, tile.names = ["log", "out"]} {
    %zero = arith.constant 0 : index
    %four = arith.constant 4 : index
    %step = arith.constant 1 : index
    %f = arith.constant 1.0 : f32
    %some = arith.constant 16 : index
    %wide = arith.constant 64 : index
    %all = arith.constant 100 : index
    %meet = "tile.barrier_create"() {arrivals = 4, scope = "workgroup", kind = "hw"} : () -> !bar
    %stage = "tile.alloc"() {name = "out_LDS"} : () -> !R
    %w = gpu.subgroup_id : index
    %down = arith.muli %w, %some : index
    %top = arith.muli %wide, %zero : index
    %z = "tile.zero"() : () -> !acc
    scf.for %tile = %zero to %four step %step {
      %left = arith.muli %tile, %wide : index
      %rest = arith.subi %all, %top : index
      %tall = arith.minsi %rest, %wide : index
      "tile.wait"() {kind = "copy", pending = 0} : () -> ()
      "tile.barrier"(%meet) : (!bar) -> ()
      memref.store %f, %log[%zero] : memref<8xf32>
      "tile.store"(%z, %stage, %zero, %down, %zero) {cols = [0, 64]} : (!acc, !R, index, index, index) -> ()
      "tile.wait"() {kind = "lds", pending = 0} : () -> ()
      "tile.fence"() {proxy = "async"} : () -> ()
      "tile.arrive"(%meet) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!bar) -> ()
      "tile.wait_barrier"(%meet) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!bar) -> ()
      "tile.copy_async"(%stage, %out, %zero, %top, %left, %tall, %wide) {align = 16, engine = "tma", issuer = 0, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0>}
        : (!R, memref<100x256xbf16>, index, index, index, index, index) -> ()
    }
    "tile.wait"() {kind = "copy", pending = 0} : () -> ()
    gpu.return
  }
}
//--- none.mlir
!acc = !tile.frag<[16, 128], f32, "acc">
gpu.module @m attributes {tile.target = "sm_90a"} {
  gpu.func @leave(%out: memref<128x128xbf16>) kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %zero = arith.constant 0 : index
    %z = "tile.zero"() : () -> !acc
    "tile.store"(%z, %out, %zero, %zero) : (!acc, memref<128x128xbf16>, index, index) -> ()
    gpu.return
  }
}
