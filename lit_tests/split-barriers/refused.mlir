// RUN: split-file %s %t
// RUN: not ladder-opt --passes='tile-workgroup,split-barriers' %t/early.mlir 2>&1 | FileCheck %s --check-prefix=EARLY
// RUN: not ladder-opt --passes='tile-workgroup,promote-to-lds,split-barriers{after=1}' %t/early.mlir 2>&1 | FileCheck %s --check-prefix=ATOM
// RUN: not ladder-opt --passes='tile-workgroup,promote-to-lds,matrix-core,split-barriers{after=4}' %t/early.mlir 2>&1 | FileCheck %s --check-prefix=ALL
// RUN: not ladder-opt --pass=split-barriers %t/read.mlir 2>&1 | FileCheck %s --check-prefix=READ
// RUN: not ladder-opt --pass='split-barriers{after=1}' %t/lds.mlir 2>&1 | FileCheck %s --check-prefix=LDS

// EARLY: error: split-barriers: found no loop that arrives at a hardware barrier behind its last product; run promote-to-lds first
// ATOM: error: split-barriers: after=N cuts a matrix instruction's grid; run matrix-core first
// ALL: error: split-barriers: after=4 of 4 matrix instructions leaves none to hide the wait
// READ: read.mlir:16:12: error: split-barriers: 'tile.load' stands between the last product and the arrive, which is behind it for a reason
// READ: read.mlir:17:7: note: the arrive
// LDS: lds.mlir:13:12: error: split-barriers: after=N: the last product reads LDS, and cannot be cut

//--- early.mlir
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @k(%x: memref<512x512xbf16>, %y: memref<512x512xbf16>, %z: memref<512x512xf32>) kernel attributes {tile.names = ["A", "B", "C"]} {
    "tile.contract"(%x, %y, %z) {a_order = "mk", b_order = "nk", accumulate = false} : (memref<512x512xbf16>, memref<512x512xbf16>, memref<512x512xf32>) -> ()
    gpu.return
  }
}
//--- read.mlir
!a = !tile.frag<[16, 32], bf16, "a">
!b = !tile.frag<[32, 16], bf16, "b">
!acc = !tile.frag<[16, 16], f32, "acc">
!ring = !tile.lds<[1, 16, 32], bf16, {}>
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @f(%n: index) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r = "tile.alloc"() : () -> !ring
    %all = "tile.barrier_create"() {arrivals = 1, scope = "workgroup", kind = "hw"} : () -> !tile.bar<1>
    %b = "tile.zero"() : () -> !b
    %zero = "tile.zero"() : () -> !acc
    %s = scf.for %t = %c0 to %n step %c1 iter_args(%p = %zero) -> (!acc) {
      %a = "tile.load"(%r, %c0, %c0, %c0) {transpose = false} : (!ring, index, index, index) -> !a
      %d = "tile.mma"(%a, %b, %p) : (!a, !b, !acc) -> !acc
      %e = "tile.load"(%r, %c0, %c0, %c0) {transpose = false} : (!ring, index, index, index) -> !a
      "tile.barrier"(%all) : (!tile.bar<1>) -> ()
      scf.yield %d : !acc
    }
    gpu.return
  }
}
//--- lds.mlir
!a = !tile.frag<[16, 32], bf16, "a">
!acc = !tile.frag<[16, 16], f32, "acc">
!ring = !tile.lds<[1, 32, 32], bf16, {}>
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @f(%n: index) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r = "tile.alloc"() : () -> !ring
    %all = "tile.barrier_create"() {arrivals = 1, scope = "workgroup", kind = "hw"} : () -> !tile.bar<1>
    %a = "tile.zero"() : () -> !a
    %zero = "tile.zero"() : () -> !acc
    %s = scf.for %t = %c0 to %n step %c1 iter_args(%p = %zero) -> (!acc) {
      %d = "tile.mma"(%a, %r, %p, %c0, %c0, %c0) : (!a, !ring, !acc, index, index, index) -> !acc
      "tile.wait"() {kind = "lds", pending = 0} : () -> ()
      "tile.barrier"(%all) : (!tile.bar<1>) -> ()
      scf.yield %d : !acc
    }
    gpu.return
  }
}
