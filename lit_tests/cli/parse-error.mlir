// RUN: not ladder-opt %s 2>&1 | FileCheck %s
// RUN: not ladder-opt < %s 2>&1 | FileCheck %s --check-prefix=STDIN
// CHECK: parse-error.mlir:[[#@LINE + 2]]:8: error: custom op 'func.fun' is unknown
// STDIN: <stdin>:[[#@LINE + 1]]:8: error: custom op 'func.fun' is unknown
       func.fun @f() { return }
