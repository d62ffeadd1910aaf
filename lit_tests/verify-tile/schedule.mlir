// RUN: ladder-opt --pass=verify-tile --split-input-file --verify-diagnostics %s
// Numbers that a schedule can mean: the lowering writes each round out.

gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @many() kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error@+1 {{attribute 'repeat' is 100000000 : i64; allowed: an integer from 1 to 4096}}
    "tile.sched_group"() {kind = "mma", count = 1, group = 0, repeat = 100000000} : () -> ()
    gpu.return
  }
}

// -----

gpu.module @m attributes {tile.target = "gfx1250"} {
  gpu.func @less_than_none() kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error@+1 {{attribute 'count' is -5 : i64; allowed: an integer from 1 to 4096}}
    "tile.sched_group"() {kind = "mma", count = -5, group = 0} : () -> ()
    gpu.return
  }
}
