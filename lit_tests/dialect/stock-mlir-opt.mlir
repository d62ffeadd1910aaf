// Stock mlir-opt loads the dialect's one file; every op in it parses, prints and verifies, and an
// op or operand type that it does not have is refused.
// RUN: split-file %s %t
// RUN: mlir-opt --irdl-file=%irdl %t/good.mlir | mlir-opt --irdl-file=%irdl | FileCheck %s
// RUN: not mlir-opt --irdl-file=%irdl %t/bad.mlir 2>&1 | FileCheck %s --check-prefix=BAD

// BAD: bad.mlir:2:3: error:
// CHECK: "tile.contract"
// CHECK: "tile.block_coord"
// CHECK: "tile.alloc"({{%.*}})
// CHECK: "tile.copy_async"
// CHECK: "tile.set_registers"

//--- good.mlir
func.func @all(%A: memref<8x8xf16>, %C: memref<8x8xf32>, %mask: i32, %p: i1) {
  %c = arith.constant 0 : index
  "tile.contract"(%A, %A, %C) {a_order = "mk", b_order = "kn", accumulate = false} : (memref<8x8xf16>, memref<8x8xf16>, memref<8x8xf32>) -> ()
  %m0, %n0 = "tile.block_coord"() {tile = [8, 8]} : () -> (index, index)
  %ring = "tile.alloc"() : () -> !tile.lds<[2, 8, 8], f16, {}>
  %again = "tile.alloc"(%ring) {offset = 128} : (!tile.lds<[2, 8, 8], f16, {}>) -> !tile.lds<[1, 8, 8], f32, {}>
  %full = "tile.barrier_create"() {arrivals = 1, scope = "workgroup", kind = "mbarrier"} : () -> !tile.bar<2>
  "tile.copy"(%A, %ring, %c, %c, %c, %c, %c, %p) {align = 16} : (memref<8x8xf16>, !tile.lds<[2, 8, 8], f16, {}>, index, index, index, index, index, i1) -> ()
  "tile.copy_async"(%A, %ring, %c, %c, %c, %c, %c, %p, %mask, %full, %c) {align = 16, engine = "tma", issuer = 0, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1>} : (memref<8x8xf16>, !tile.lds<[2, 8, 8], f16, {}>, index, index, index, index, index, i1, i32, !tile.bar<2>, index) -> ()
  "tile.wait"() {kind = "copy", pending = 1} : () -> ()
  "tile.arrive"(%full, %c, %mask) {tx_bytes = 128, operandSegmentSizes = array<i32: 1, 1, 1>} : (!tile.bar<2>, index, i32) -> ()
  "tile.wait_barrier"(%full, %c, %c) {operandSegmentSizes = array<i32: 1, 1, 1>} : (!tile.bar<2>, index, index) -> ()
  "tile.barrier"(%full) : (!tile.bar<2>) -> ()
  %a = "tile.load"(%ring, %c, %c, %c) {transpose = false} : (!tile.lds<[2, 8, 8], f16, {}>, index, index, index) -> !tile.frag<[8, 8], f16, "a">
  %z = "tile.zero"() : () -> !tile.frag<[8, 8], f32, "acc">
  %d = "tile.mma"(%a, %ring, %z, %c, %c, %c) {atoms = [0, 1]} : (!tile.frag<[8, 8], f16, "a">, !tile.lds<[2, 8, 8], f16, {}>, !tile.frag<[8, 8], f32, "acc">, index, index, index) -> !tile.frag<[8, 8], f32, "acc">
  "tile.store"(%d, %again, %c, %c, %c) {chain = ["relu"]} : (!tile.frag<[8, 8], f32, "acc">, !tile.lds<[1, 8, 8], f32, {}>, index, index, index) -> ()
  "tile.sched_fence"() : () -> ()
  "tile.sched_group"() {kind = "mma", count = 8, group = 0} : () -> ()
  "tile.hint"() {kind = "priority", value = 1} : () -> ()
  "tile.fence"() {proxy = "async"} : () -> ()
  "tile.set_registers"() {count = 232} : () -> ()
  return
}
//--- bad.mlir
func.func @bad(%x: f32) {
  "tile.barrier"(%x) : (f32) -> ()
  return
}
