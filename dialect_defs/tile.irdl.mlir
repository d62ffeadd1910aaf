// The `tile` dialect: a GEMM as a workgroup/wave program, between import-matmul and the lowerings.
// Loaded by Python (dialect_defs/__init__.py) and by stock `mlir-opt --irdl-file` alike.
//
// IRDL makes every declared attribute mandatory. Optional attributes are therefore not declared
// here; they are listed, with their checks, in dialect_defs/attributes.py, and `verify-tile`
// rejects any other. Optional operands are declared as such.
//
// A role is an scf.if on a wave-uniform predicate with `tile.role` = its name and `tile.waves` =
// [first, count]: the waves that take its first branch; the others take its else.
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
  // A barrier with a number of slots. hw: one slot, no phase. mbarrier: slots count phases each.
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

  // LDS of the workgroup. With `alias`, the bytes of an older ring are used again, from its start on;
  // a larger ring runs on over the rings behind that one. A write through one ring must be ordered
  // behind all accesses through those that share its bytes, whose elements it undefines.
  irdl.operation @alloc {
    %lds = irdl.base @tile::@lds
    %ring = irdl.base @tile::@lds
    irdl.operands(alias: optional %lds)
    irdl.results(ring: %ring)
  }
  // The workgroup moves one tile between global memory and slot `slot` of a ring through registers.
  // (row, col) is the tile's first element in global memory; only the first rows x cols elements
  // exist there: the rest is zero in LDS, and is not written in global memory. Every wave of the
  // workgroup (of the role around it: tile.waves) executes it and moves a part that is not
  // specified, so whoever reads the tile must be ordered behind the waits of all of them.
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
  // Engine "async" is shared by all waves as `copy` is. "tdm" and "tma" move the whole tile for each
  // wave that executes the op. With `issuer` (any engine) that wave alone moves the whole tile. The
  // engine reads and writes LDS at any time between the op and its completion; a workgroup may not
  // end before that. `completes`: instead of the wave's counter, the tile's bytes (elements that do
  // not exist included) are taken off the transaction count of that slot when they have landed.
  // `multicast` is a mask of workgroups of the cluster (bit x + y * cluster_x + ..). async, tdm: the
  // requester and its peers, at most five, that ask for the same tile, each into its own LDS. tma:
  // the workgroups whose LDS is filled, at the same ring and slot, and whose barrier slot is told.
  // With `parts` = [down, across] a tile of LDS is cut into so many equal parts, and the op moves
  // one: `slot` counts parts (row by row within a slot), (row, col) and (rows, cols) are the part's.
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

  // Block until at most `pending` of this wave's tile ops of one kind are in flight; the oldest are
  // the ones that are over. Kinds: "copy" is copy and copy_async without `completes`, either way;
  // "lds" the wave's own accesses of LDS: load, store, mma with an operand in LDS, and copy out of
  // LDS; "global" loads and "store" stores of global memory. An op that uses a fragment has waited
  // for the load that makes it, but not for the LDS operands of the mma that makes it. A wave's
  // accesses by its own path (not an engine's) are in order with each other.
  irdl.operation @wait {
    %kind = irdl.base "#builtin.string"
    %pending = irdl.base "#builtin.integer"
    irdl.attributes {"kind" = %kind, "pending" = %pending}
  }
  // Waves and engines see each other's accesses of LDS only through barriers: what is over for a
  // wave when it arrives is over for every wave behind the wait of that phase. `arrivals` complete a
  // phase: of waves, or, in a hw barrier of scope cluster, of workgroups. hw: each participant
  // arrives once a phase and does so again only behind the wait; a wave's n-th wait is for phase n.
  // mbarrier: `arrivals` arrivals, by whichever waves, and a transaction count of 0 bytes complete a
  // phase of a slot; every workgroup has its own slots.
  irdl.operation @barrier_create {
    %bar = irdl.base @tile::@bar
    %arrivals = irdl.base "#builtin.integer"
    %scope = irdl.base "#builtin.string"
    %kind = irdl.base "#builtin.string"
    irdl.attributes {"arrivals" = %arrivals, "scope" = %scope, "kind" = %kind}
    irdl.results(bar: %bar)
  }
  // Signal a slot (of one: slot 0). With the attribute `issuer` only that wave does. `tx_bytes` are
  // added to the slot's transaction count before. `peers` is a mask of workgroups of the cluster
  // whose slots are signalled instead of this workgroup's; a workgroup may not end before a wave of
  // it is ordered behind the arrivals of its peers.
  irdl.operation @arrive {
    %bar = irdl.base @tile::@bar
    %index = irdl.is index
    %i32 = irdl.is i32
    irdl.operands(bar: %bar, slot: optional %index, peers: optional %i32)
  }
  // mbarrier: wait until the phase with the parity of `phase` (number of the phase, from 0) is not
  // the one in progress. Parity 1 on a new barrier passes: it stands for the phase before the first.
  // Without `phase`: the next that this wave has not waited for.
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
  // acc + a * b. An LDS operand carries its (slot, row, col) in coords, a's before b's; with
  // transpose_a or transpose_b LDS holds that operand's transpose, and row and col are LDS's. With
  // both in LDS, K is what a's tile holds from its coordinate on. LDS is read, like an engine does,
  // until tile.wait of kind lds: on a target with proxies, what waves wrote there is fenced before.
  irdl.operation @mma {
    %a = irdl.any
    %b = irdl.any
    %acc = irdl.base @tile::@frag
    %index = irdl.is index
    irdl.operands(a: %a, b: %b, acc: %acc, coords: variadic %index)
    irdl.results(result: %acc)
  }
  // Accumulator to global memory (coords: row, col) or LDS (slot, row, col), converted to the
  // element type there; elements beyond a global operand are dropped. With `cols` = [first, count]
  // those columns of it alone, the first of them at coords.
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
  // `count` instructions of `kind` belong together, in group `group`, in program order. Neighbours
  // of one group with the attribute `repeat` stand for that many rounds of their sequence.
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
  // Makes this wave's writes to LDS so far visible to the asynchronous proxy: needed between them
  // and the barrier behind which an engine ("tma") reads them.
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
