// A barrier stands only where all its waves come by: not under a condition or a trip count that
// depends on the wave, unless it is tagged as a role; the workgroup's own id is the same for all.
// RUN: split-file %s %t
// RUN: not ladder-opt --pass=verify-tile %t/divergent.mlir 2>&1 | FileCheck %s --check-prefix=DIVERGENT
// RUN: ladder-opt --pass=verify-tile %t/uniform.mlir -o /dev/null
// RUN: not ladder-opt --pass=verify-tile %t/loop.mlir 2>&1 | FileCheck %s --check-prefix=LOOP
// RUN: ladder-opt --pass=verify-tile %t/role.mlir -o /dev/null

// DIVERGENT: divergent.mlir:12:7: error: verify-tile: a barrier that not every wave reaches
// DIVERGENT: divergent.mlir:11:5: note: 'scf.if' depends on the wave or lane
// LOOP: loop.mlir:11:7: error: verify-tile: a barrier that not every wave reaches

//--- divergent.mlir
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @f(%x: memref<16x128xf16>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %ring = "tile.alloc"() : () -> !tile.lds<[2, 16, 32], f16, {}>
    %bar = "tile.barrier_create"() {arrivals = 2, scope = "workgroup", kind = "hw"} : () -> !tile.bar<1>
    %w = gpu.subgroup_id : index
    %first = arith.cmpi eq, %w, %c0 : index
    scf.if %first {
      "tile.barrier"(%bar) : (!tile.bar<1>) -> ()
    }
    gpu.return
  }
}
//--- uniform.mlir
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @f(%x: memref<16x128xf16>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %ring = "tile.alloc"() : () -> !tile.lds<[2, 16, 32], f16, {}>
    %bar = "tile.barrier_create"() {arrivals = 2, scope = "workgroup", kind = "hw"} : () -> !tile.bar<1>
    %b = gpu.block_id x
    %first = arith.cmpi eq, %b, %c0 : index
    scf.if %first {
      "tile.barrier"(%bar) : (!tile.bar<1>) -> ()
    }
    gpu.return
  }
}
//--- loop.mlir
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @f(%x: memref<16x128xf16>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %ring = "tile.alloc"() : () -> !tile.lds<[2, 16, 32], f16, {}>
    %bar = "tile.barrier_create"() {arrivals = 2, scope = "workgroup", kind = "hw"} : () -> !tile.bar<1>
    %w = gpu.subgroup_id : index
    scf.for %i = %c0 to %w step %c1 {
      "tile.barrier"(%bar) : (!tile.bar<1>) -> ()
    }
    gpu.return
  }
}
//--- role.mlir
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @f(%x: memref<16x128xf16>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %ring = "tile.alloc"() : () -> !tile.lds<[2, 16, 32], f16, {}>
    %bar = "tile.barrier_create"() {arrivals = 2, scope = "workgroup", kind = "hw"} : () -> !tile.bar<1>
    %w = gpu.subgroup_id : index
    %first = arith.cmpi eq, %w, %c0 : index
    scf.if %first {
      "tile.barrier"(%bar) : (!tile.bar<1>) -> ()
    } {tile.role = "producer", tile.waves = [0, 1]}
    gpu.return
  }
}
