// RUN: ladder compile %examples/helios.mlir --passes=level9 --stop-after s | %k_loop | FileCheck %s
// The last product stands between the signals and the waits of both barriers.
// CHECK: ds_load x16
// CHECK-NEXT: tensor_load x1
// CHECK-NEXT: (ds_load x2 wmma x2) x24
// CHECK-NEXT: wait dscnt
// CHECK-NEXT: wait tensorcnt
// CHECK-NEXT: signal workgroup
// CHECK-NEXT: signal cluster
// CHECK-NEXT: wmma x16
// CHECK-NEXT: wait workgroup
// CHECK-NEXT: wait cluster
// CHECK-NOT: {{.}}
