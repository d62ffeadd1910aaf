// The `tile` dialect: a GEMM as a workgroup/wave program, between import-matmul and the lowerings.
// Loaded by Python (dialect_defs/__init__.py) and by stock `mlir-opt --irdl-file` alike.
//
// IRDL makes every declared attribute mandatory. Optional attributes are therefore not declared
// here; they are listed, with their checks, in dialect_defs/attributes.py, and `verify-tile`
// rejects any other. Optional operands are declared as such.
irdl.dialect @tile {
  // An LDS ring: [stages, rows, cols] of elem, cols contiguous. The layout dictionary is the one
  // closed-form byte function of the tile (dialect_defs/types.py: Layout).
  irdl.type @lds {
    %shape = irdl.base "#builtin.array"
    %elem = irdl.base "#builtin.type"
    %layout = irdl.base "#builtin.dictionary"
    irdl.parameters(shape: %shape, elem: %elem, layout: %layout)
  }
  // A wave-wide matrix value: [m, k] in role "a", [k, n] in role "b", [m, n] in role "acc".
  // Which lane holds which element is the target's business.
  irdl.type @frag {
    %shape = irdl.base "#builtin.array"
    %elem = irdl.base "#builtin.type"
    %role = irdl.base "#builtin.string"
    irdl.parameters(shape: %shape, elem: %elem, role: %role)
  }
  // A barrier with a number of slots.
  irdl.type @bar {
    %slots = irdl.base "#builtin.integer"
    irdl.parameters(slots: %slots)
  }

  // C[m, n] (+)= sum over k of A * B, whole problem, operands in global memory.
  irdl.operation @contract {
    %a = irdl.base "!builtin.memref"
    %b = irdl.base "!builtin.memref"
    %c = irdl.base "!builtin.memref"
    %order = irdl.base "#builtin.string"
    %order_b = irdl.base "#builtin.string"
    %flag = irdl.base "#builtin.integer"
    irdl.operands(a: %a, b: %b, c: %c)
    irdl.attributes {"a_order" = %order, "b_order" = %order_b, "accumulate" = %flag}
  }
  // Element coordinates (m0, n0) of this workgroup's current output tile of [tm, tn].
  irdl.operation @block_coord {
    %index = irdl.is index
    %tile = irdl.base "#builtin.array"
    irdl.attributes {"tile" = %tile}
    irdl.results(m0: %index, n0: %index)
  }

  // LDS of the workgroup. With `alias`, the bytes of an older ring are used again.
  irdl.operation @alloc {
    %lds = irdl.base @tile::@lds
    %ring = irdl.base @tile::@lds
    irdl.operands(alias: optional %lds)
    irdl.results(ring: %ring)
  }
  // The workgroup moves one tile between global memory and slot `slot` of a ring through registers.
  // (row, col) is the tile's first element in global memory; only the first rows x cols elements
  // exist there: the rest is zero in LDS, and is not written in global memory.
  irdl.operation @copy {
    %any = irdl.any
    %any2 = irdl.any
    %index = irdl.is index
    %i1 = irdl.is i1
    %align = irdl.base "#builtin.integer"
    irdl.operands(src: %any, dst: %any2, slot: %index, row: %index, col: %index,
                  rows: %index, cols: %index, predicate: optional %i1)
    irdl.attributes {"align" = %align}
  }
  // The same move by an engine that runs beside the waves; done when its counter or barrier says so.
  irdl.operation @copy_async {
    %any = irdl.any
    %any2 = irdl.any
    %index = irdl.is index
    %i1 = irdl.is i1
    %i32 = irdl.is i32
    %bar = irdl.base @tile::@bar
    %align = irdl.base "#builtin.integer"
    %engine = irdl.base "#builtin.string"
    irdl.operands(src: %any, dst: %any2, slot: %index, row: %index, col: %index,
                  rows: %index, cols: %index, predicate: optional %i1, multicast: optional %i32,
                  completes: optional %bar, completes_slot: optional %index)
    irdl.attributes {"align" = %align, "engine" = %engine}
  }

  // Block until at most `pending` of this wave's tile ops of one kind are in flight.
  irdl.operation @wait {
    %kind = irdl.base "#builtin.string"
    %pending = irdl.base "#builtin.integer"
    irdl.attributes {"kind" = %kind, "pending" = %pending}
  }
  irdl.operation @barrier_create {
    %bar = irdl.base @tile::@bar
    %arrivals = irdl.base "#builtin.integer"
    %scope = irdl.base "#builtin.string"
    %kind = irdl.base "#builtin.string"
    irdl.attributes {"arrivals" = %arrivals, "scope" = %scope, "kind" = %kind}
    irdl.results(bar: %bar)
  }
  irdl.operation @arrive {
    %bar = irdl.base @tile::@bar
    %index = irdl.is index
    %i32 = irdl.is i32
    irdl.operands(bar: %bar, slot: optional %index, peers: optional %i32)
  }
  irdl.operation @wait_barrier {
    %bar = irdl.base @tile::@bar
    %index = irdl.is index
    irdl.operands(bar: %bar, slot: optional %index, phase: optional %index)
  }
  // arrive, then wait.
  irdl.operation @barrier {
    %bar = irdl.base @tile::@bar
    irdl.operands(bar: %bar)
  }

  // Fragment from global memory (coords: row, col) or LDS (slot, row, col). With `transpose` the
  // memory holds the fragment's transpose. Elements beyond a global operand are zero.
  irdl.operation @load {
    %any = irdl.any
    %index = irdl.is index
    %frag = irdl.base @tile::@frag
    %transpose = irdl.base "#builtin.integer"
    irdl.operands(src: %any, coords: variadic %index)
    irdl.attributes {"transpose" = %transpose}
    irdl.results(frag: %frag)
  }
  // acc + a * b. An LDS operand carries its (slot, row, col) in coords, a's before b's.
  irdl.operation @mma {
    %a = irdl.any
    %b = irdl.any
    %acc = irdl.base @tile::@frag
    %index = irdl.is index
    irdl.operands(a: %a, b: %b, acc: %acc, coords: variadic %index)
    irdl.results(result: %acc)
  }
  // Accumulator to global memory (coords: row, col) or LDS (slot, row, col), converted to the
  // element type there; elements beyond a global operand are dropped.
  irdl.operation @store {
    %frag = irdl.base @tile::@frag
    %any = irdl.any
    %index = irdl.is index
    irdl.operands(frag: %frag, dst: %any, coords: variadic %index)
  }
  irdl.operation @zero {
    %frag = irdl.base @tile::@frag
    irdl.results(frag: %frag)
  }

  // Nothing moves across.
  irdl.operation @sched_fence {}
  // `count` instructions of `kind` belong together, in group `group`, in program order.
  irdl.operation @sched_group {
    %kind = irdl.base "#builtin.string"
    %count = irdl.base "#builtin.integer"
    %group = irdl.base "#builtin.integer"
    irdl.attributes {"kind" = %kind, "count" = %count, "group" = %group}
  }
  irdl.operation @hint {
    %kind = irdl.base "#builtin.string"
    %value = irdl.base "#builtin.integer"
    irdl.attributes {"kind" = %kind, "value" = %value}
  }
  // Makes generic writes to LDS visible to the asynchronous proxy.
  irdl.operation @fence {
    %proxy = irdl.base "#builtin.string"
    irdl.attributes {"proxy" = %proxy}
  }
  // This wave's register budget from here on.
  irdl.operation @set_registers {
    %count = irdl.base "#builtin.integer"
    irdl.attributes {"count" = %count}
  }
}
