// Three rings of a loop, an unrelated ring before them and one behind, an unrelated op in the loop. Of
// %y, 3 slots of 16 KB, and %x, 3 of 32 KB, no two of one number may share 64 KB; %w and %v are nobody's business.
// RUN: ladder-opt --pass=partition-lds %s -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: ladder-opt --pass=verify-tile %t.mlir -o /dev/null

// CHECK: %w = "tile.alloc"() {name = "w"}
// CHECK: %y = "tile.alloc"() {name = "y", offset = 4096 : i64}
// CHECK: %x = "tile.alloc"() {name = "x", offset = 65536 : i64}
// CHECK: %v = "tile.alloc"() {name = "v"}
// CHECK: %z = "tile.alloc"(%y) {name = "z"}
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @f(%q: memref<4096xf32>, %b: memref<512x512xf16>, %c: memref<512x512xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %0 = arith.constant 0 : index
    %1 = arith.constant 1 : index
    %3 = arith.constant 3 : index
    %64 = arith.constant 64 : index
    %256 = arith.constant 256 : index
    %w = "tile.alloc"() {name = "w"} : () -> !tile.lds<[1, 32, 64], f16, {}> loc("w")
    %y = "tile.alloc"() {name = "y"} : () -> !tile.lds<[3, 128, 64], f16, {}> loc("y")
    %x = "tile.alloc"() {name = "x"} : () -> !tile.lds<[3, 256, 64], f16, {}> loc("x")
    %v = "tile.alloc"() {name = "v"} : () -> !tile.lds<[1, 32, 64], f16, {}> loc("v")
    %z = "tile.alloc"(%y) {name = "z"} : (!tile.lds<[3, 128, 64], f16, {}>) -> !tile.lds<[1, 32, 64], f16, {}> loc("z")
    %bar = "tile.barrier_create"() {arrivals = 1, scope = "workgroup", kind = "hw"} : () -> !tile.bar<1>
    scf.for %i = %0 to %256 step %64 iter_args(%s = %0) -> (index) {
      %one = memref.load %q[%i] : memref<4096xf32>
      "tile.copy"(%b, %x, %s, %0, %i, %256, %64) {align = 16} : (memref<512x512xf16>, !tile.lds<[3, 256, 64], f16, {}>, index, index, index, index, index) -> ()
      "tile.copy"(%b, %y, %s, %0, %i, %64, %64) {align = 16} : (memref<512x512xf16>, !tile.lds<[3, 128, 64], f16, {}>, index, index, index, index, index) -> ()
      "tile.wait"() {kind = "copy", pending = 0} : () -> ()
      "tile.barrier"(%bar) : (!tile.bar<1>) -> ()
      %p = "tile.load"(%x, %s, %0, %0) {transpose = false} : (!tile.lds<[3, 256, 64], f16, {}>, index, index, index) -> !tile.frag<[16, 32], f16, "a">
      %r = "tile.load"(%y, %s, %0, %0) {transpose = true} : (!tile.lds<[3, 128, 64], f16, {}>, index, index, index) -> !tile.frag<[32, 16], f16, "b">
      "tile.wait"() {kind = "lds", pending = 0} : () -> ()
      "tile.barrier"(%bar) : (!tile.bar<1>) -> ()
      %t = arith.addi %s, %1 : index
      %u = arith.remui %t, %3 : index
      memref.store %one, %q[%i] : memref<4096xf32>
      scf.yield %u : index
    }
    gpu.return
  }
}
