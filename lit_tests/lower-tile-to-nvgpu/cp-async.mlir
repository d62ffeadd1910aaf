// Hand-written: each thread posts 16-byte pieces, a group a tile op; the rest of a ragged tile is zero.
// RUN: ladder-opt --pass=lower-tile-to-nvgpu %s | FileCheck %s

// X has no edge: two rounds of 128 threads, no size.
// CHECK-LABEL: gpu.func @two(
// CHECK-COUNT-2: nvvm.cp.async.shared.global {{[^,]*}}, {{[^,]*}}, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>{{$}}
// CHECK-NEXT: nvvm.cp.async.commit.group
// Y under its predicate, and 8 bytes a piece: the group belongs to the branch.
// CHECK: scf.if
// CHECK: nvvm.cp.async.shared.global {{[^,]*}}, {{[^,]*}}, 8, cache = ca, {{.*}} : !llvm.ptr<3>, !llvm.ptr<1>, i32
// CHECK: nvvm.cp.async.commit.group
// CHECK: }
// One tile op may stay in flight: one group may.
// CHECK-NEXT: nvvm.cp.async.wait.group 1
// CHECK-NEXT: nvvm.barrier0

// With copies through registers among them, groups do not count tile ops: all are waited for.
// CHECK-LABEL: gpu.func @mixed(
// CHECK: nvvm.cp.async.wait.group 0
!X = !tile.lds<[1, 32, 64], bf16, {block = 128, swizzle = 128}>
!Y = !tile.lds<[1, 16, 20], f16, {}>
gpu.module @hand attributes {tile.target = "sm_90a"} {
  gpu.func @two(%P: memref<64x64xbf16>, %Q: memref<100x24xf16>, %R: memref<8xf32>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, known_grid_size = array<i32: 1, 1, 1>, tile.names = ["P", "Q", "R"]} {
    %0 = arith.constant 0 : index
    %20 = arith.constant 20 : index
    %32 = arith.constant 32 : index
    %64 = arith.constant 64 : index
    %some = arith.constant 7 : index
    %lane = gpu.lane_id
    %bar = "tile.barrier_create"() {arrivals = 4, scope = "workgroup", kind = "hw"} : () -> !tile.bar<1>
    %y = "tile.alloc"() {name = "Y"} : () -> !Y
    %x = "tile.alloc"() {name = "X"} : () -> !X
    %m, %n = "tile.block_coord"() {tile = [32, 64]} : () -> (index, index)
    %go = arith.cmpi ult, %m, %64 : index
    "tile.copy_async"(%P, %x, %0, %0, %0, %32, %64) {align = 16, engine = "async", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0>} : (memref<64x64xbf16>, !X, index, index, index, index, index) -> ()
    "tile.copy_async"(%Q, %y, %0, %0, %0, %some, %20, %go) {align = 8, engine = "async", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0>} : (memref<100x24xf16>, !Y, index, index, index, index, index, i1) -> ()
    "tile.wait"() {kind = "copy", pending = 1} : () -> ()
    "tile.barrier"(%bar) : (!tile.bar<1>) -> ()
    gpu.return
  }
  gpu.func @mixed(%P: memref<64x64xbf16>, %Q: memref<100x24xf16>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, known_grid_size = array<i32: 1, 1, 1>, tile.names = ["P", "Q"]} {
    %0 = arith.constant 0 : index
    %16 = arith.constant 16 : index
    %20 = arith.constant 20 : index
    %32 = arith.constant 32 : index
    %64 = arith.constant 64 : index
    %x = "tile.alloc"() {name = "X"} : () -> !X
    %y = "tile.alloc"() {name = "Y"} : () -> !Y
    "tile.copy_async"(%P, %x, %0, %0, %0, %32, %64) {align = 16, engine = "async", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0>} : (memref<64x64xbf16>, !X, index, index, index, index, index) -> ()
    "tile.copy"(%Q, %y, %0, %0, %0, %16, %20) {align = 8} : (memref<100x24xf16>, !Y, index, index, index, index, index) -> ()
    "tile.wait"() {kind = "copy", pending = 1} : () -> ()
    gpu.return
  }
}
