// Some columns at a time: a smaller ring, a hand-off before and behind each part of the accumulators.
// RUN: ladder-opt --pass='stage-epilogue{columns=64}' %s | FileCheck %s
// RUN: sed 's/sm_90a/gfx1250/' %s | ladder-opt --pass='stage-epilogue{columns=64}' 2>&1 | FileCheck %s --check-prefix=WAVES
// RUN: ladder-opt --pass='stage-epilogue{columns=128}' %s | FileCheck %s --check-prefix=WHOLE
// RUN: ladder-opt --pass='stage-epilogue{columns=48}' %s | FileCheck %s --check-prefix=EQUAL
// RUN: not ladder-opt --pass='stage-epilogue{columns=8}' %s 2>&1 | FileCheck %s --check-prefix=NARROW
// RUN: not ladder-opt --pass='stage-epilogue{columns=-1}' %s 2>&1 | FileCheck %s --check-prefix=MINIMUM

// CHECK: %[[C64:.*]] = arith.constant 64 : index
// CHECK: %[[R:.*]] = "tile.alloc"() {name = "out_LDS"} : () -> !tile.lds<[1, 32, 64], bf16, {block = 128 : i64, swizzle = 128 : i64}>
// CHECK: %[[AT:.*]]:2 = "tile.block_coord"
// CHECK: "tile.store"(%[[ACC:.*]], %[[R]], %c0{{.*}}) {cols = [0, 64]}
// CHECK-NEXT: "tile.wait"() {kind = "lds", pending = 0 : i64}
// CHECK-NEXT: "tile.fence"() {proxy = "async"}
// CHECK-NEXT: "tile.arrive"
// CHECK-NEXT: "tile.wait_barrier"
// CHECK-NEXT: "tile.copy_async"(%[[R]], %{{.*}}, %c0{{.*}}, %[[AT]]#0, %[[AT]]#1, %c32{{.*}}, %c64{{.*}})
// CHECK-NEXT: "tile.wait"() {kind = "copy", pending = 0 : i64}
// CHECK-NEXT: "tile.arrive"
// CHECK-NEXT: "tile.wait_barrier"
// CHECK-NEXT: "tile.store"(%[[ACC]], %[[R]], %c0{{.*}}) {cols = [64, 64]}
// CHECK-NEXT: %[[NEXT:.*]] = arith.addi %[[AT]]#1, %[[C64]]
// CHECK-NEXT: "tile.wait"() {kind = "lds", pending = 0 : i64}
// CHECK-NEXT: "tile.fence"() {proxy = "async"}
// CHECK-NEXT: "tile.arrive"
// CHECK-NEXT: "tile.wait_barrier"
// CHECK-NEXT: "tile.copy_async"(%[[R]], %{{.*}}, %c0{{.*}}, %[[AT]]#0, %[[NEXT]], %c32{{.*}}, %c64{{.*}})
// CHECK-NEXT: "tile.wait"() {kind = "copy", pending = 0 : i64}
// CHECK-NOT: "tile.store"
// CHECK: memref.store

// WAVES: !tile.lds<[1, 32, 64], bf16, {interval = 128 : i64, pad = 16 : i64}>
// WAVES: cols = [0, 64]
// WAVES: "tile.copy"(
// WAVES-NEXT: "tile.wait"() {kind = "copy", pending = 0 : i64}
// WAVES-NEXT: "tile.arrive"
// WAVES-NEXT: "tile.wait_barrier"
// WAVES-NEXT: cols = [64, 64]
// WAVES: "tile.copy"(
// WAVES-NEXT: memref.store

// WHOLE-NOT: cols =
// EQUAL: cols = [0, 32]
// EQUAL: cols = [96, 32]
// NARROW: error: stage-epilogue: at most 8 columns at a time: a tile of 128 columns, of which a wave stores 128, has no equal parts of whole 16s
// MINIMUM: columns

!acc = !tile.frag<[16, 128], f32, "acc">
gpu.module @m attributes {tile.target = "sm_90a"} {
  gpu.func @leave(%log: memref<8xf32>, %out: memref<128x256xbf16>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 4, 2, 1>, tile.names = ["log", "out"]} {
    %zero = arith.constant 0 : index
    %f = arith.constant 1.0 : f32
    %half = arith.constant 16 : index
    %top, %left = "tile.block_coord"() {tile = [32, 128]} : () -> (index, index)
    %w = gpu.subgroup_id : index
    %down = arith.muli %w, %half : index
    %row = arith.addi %down, %top : index
    %z = "tile.zero"() : () -> !acc
    "tile.store"(%z, %out, %row, %left) : (!acc, memref<128x256xbf16>, index, index) -> ()
    memref.store %f, %log[%zero] : memref<8xf32>
    gpu.return
  }
}
