// Where the copy engine takes swizzled tiles one wave posts the tile behind a proxy fence and the
// hand-off. Rows that are not aligned leave by the waves; a tile that does not fit is not staged.
// RUN: split-file %s %t
// RUN: ladder-opt --pass=stage-epilogue %t/posted.mlir 2>/dev/null | FileCheck %s
// RUN: ladder-opt --pass=stage-epilogue %t/ragged.mlir 2>&1 | FileCheck %s --check-prefix=WAVES
// RUN: ladder-opt --pass='stage-epilogue{alias=false}' %t/large.mlir 2>&1 | FileCheck %s --check-prefix=LARGE

// CHECK: %[[R:.*]] = "tile.alloc"() {name = "out_LDS"} : () -> !tile.lds<[1, 32, 128], bf16, {block = 128 : i64, swizzle = 128 : i64}>
// CHECK: memref.store
// CHECK: %[[ROWS:.*]] = arith.minsi
// CHECK: "tile.store"(%{{.*}}, %[[R]], %c0{{.*}}, %{{.*}}, %c0{{.*}})
// CHECK-NEXT: "tile.wait"() {kind = "lds", pending = 0 : i64}
// CHECK-NEXT: "tile.fence"() {proxy = "async"}
// CHECK-NEXT: "tile.arrive"
// CHECK-NEXT: "tile.wait_barrier"
// CHECK-NEXT: "tile.copy_async"(%[[R]], %{{.*}}, %c0{{.*}}, %[[ROWS]], %c128{{.*}}) {align = 16 : i64, engine = "tma", issuer = 0 : i64
// CHECK-NEXT: "tile.wait"() {kind = "copy", pending = 0 : i64}
// CHECK-NOT: "tile.copy"

// WAVES: remark: {{.*}}out_LDS is written by the waves: rows aligned to 2 bytes, tma needs 16
// WAVES: !tile.lds<[1, 32, 128], bf16, {interval = 256 : i64, pad = 16 : i64}>
// WAVES-NOT: tile.fence
// WAVES: "tile.copy"(
// WAVES-NOT: tile.copy_async

// LARGE: remark: {{.*}}C_LDS is not staged: 131,072 B beside the other rings are more than 232,448 B of LDS
// LARGE-NOT: name = "C_LDS"
// LARGE: "tile.store"(%{{.*}}, %arg0

//--- posted.mlir
!acc = !tile.frag<[16, 128], f32, "acc">
gpu.module @m attributes {tile.target = "sm_90a"} {
  gpu.func @leave(%log: memref<8xf32>, %out: memref<100x256xbf16>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 4, 2, 1>, tile.names = ["log", "out"]} {
    %zero = arith.constant 0 : index
    %f = arith.constant 1.0 : f32
    %half = arith.constant 16 : index
    %top, %left = "tile.block_coord"() {tile = [32, 128]} : () -> (index, index)
    %w = gpu.subgroup_id : index
    %down = arith.muli %w, %half : index
    %row = arith.addi %down, %top : index
    %z = "tile.zero"() : () -> !acc
    memref.store %f, %log[%zero] : memref<8xf32>
    "tile.store"(%z, %out, %row, %left) : (!acc, memref<100x256xbf16>, index, index) -> ()
    gpu.return
  }
}
//--- ragged.mlir
!acc = !tile.frag<[16, 128], f32, "acc">
gpu.module @m attributes {tile.target = "sm_90a"} {
  gpu.func @leave(%out: memref<100x255xbf16>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 4, 2, 1>, tile.names = ["out"]} {
    %half = arith.constant 16 : index
    %top, %left = "tile.block_coord"() {tile = [32, 128]} : () -> (index, index)
    %w = gpu.subgroup_id : index
    %down = arith.muli %w, %half : index
    %row = arith.addi %down, %top : index
    %z = "tile.zero"() : () -> !acc
    "tile.store"(%z, %out, %row, %left) : (!acc, memref<100x255xbf16>, index, index) -> ()
    gpu.return
  }
}
//--- large.mlir
!acc = !tile.frag<[16, 256], f32, "acc">
gpu.module @m attributes {tile.target = "sm_90a"} {
  gpu.func @leave(%C: memref<1024x1024xf32>) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>, known_grid_size = array<i32: 8, 4, 1>, tile.names = ["C"]} {
    %rows = arith.constant 16 : index
    %ring = "tile.alloc"() {name = "A_LDS"} : () -> !tile.lds<[4, 128, 128], bf16, {block = 128, swizzle = 128}>
    %top, %left = "tile.block_coord"() {tile = [128, 256]} : () -> (index, index)
    %w = gpu.subgroup_id : index
    %down = arith.muli %w, %rows : index
    %row = arith.addi %down, %top : index
    %z = "tile.zero"() : () -> !acc
    "tile.store"(%z, %C, %row, %left) : (!acc, memref<1024x1024xf32>, index, index) -> ()
    gpu.return
  }
}
