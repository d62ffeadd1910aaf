// The wave that alone executes an op is one of the workgroup's, and of those that come by.
// RUN: ladder-opt --pass=verify-tile --split-input-file --verify-diagnostics %s

!ring = !tile.lds<[1, 16, 32], f16, {}>
gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @f(%x: memref<16x32xf16>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %xs = "tile.alloc"() : () -> !ring
    // expected-error@+1 {{verify-tile: tile.copy_async by wave 99 (issuer) of a workgroup of 4, counted from 0; name one that it has}}
    "tile.copy_async"(%x, %xs, %c0, %c0, %c0, %c16, %c32) {align = 16, engine = "tdm", issuer = 99, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0>} : (memref<16x32xf16>, !ring, index, index, index, index, index) -> ()
    "tile.wait"() {kind = "copy", pending = 0} : () -> ()
    gpu.return
  }
}

// -----

gpu.module @m attributes {tile.target = "sm_90a"} {
  gpu.func @f() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %full = "tile.barrier_create"() {arrivals = 1, scope = "workgroup", kind = "mbarrier"} : () -> !tile.bar<1>
    %w = gpu.subgroup_id : index
    %producer = arith.cmpi ult, %w, %c2 : index
    scf.if %producer {
      "tile.arrive"(%full) {issuer = 1, operandSegmentSizes = array<i32: 1, 0, 0>} : (!tile.bar<1>) -> ()
    } else {
      // expected-error@+1 {{verify-tile: tile.arrive by wave 1 (issuer), which does not come here; name one of 2, 3}}
      "tile.arrive"(%full) {issuer = 1, operandSegmentSizes = array<i32: 1, 0, 0>} : (!tile.bar<1>) -> ()
    } {tile.role = "producer", tile.waves = [0, 2]}
    gpu.return
  }
}

// -----

gpu.module @m attributes {tile.target = "sm_90a"} {
  gpu.func @f(%producer: i1) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %full = "tile.barrier_create"() {arrivals = 1, scope = "workgroup", kind = "mbarrier"} : () -> !tile.bar<1>
    // expected-error@+1 {{verify-tile: attribute 'tile.waves' is 2 : i64; allowed: [first, count], count at least 1}}
    scf.if %producer {
      "tile.arrive"(%full) {issuer = 1, operandSegmentSizes = array<i32: 1, 0, 0>} : (!tile.bar<1>) -> ()
    } {tile.role = "producer", tile.waves = 2}
    gpu.return
  }
}
