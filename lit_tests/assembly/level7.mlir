// RUN: ladder compile %examples/helios.mlir --passes=level7 --stop-after s | %k_loop | FileCheck %s
// One wave's request for a whole tile, the first fragments already under way; then LDS loads and
// matrix instructions in turn, and the hand-off behind the last product.
// CHECK: ds_load x16
// CHECK-NEXT: tensor_load x1
// CHECK-NEXT: (ds_load x2 wmma x2) x23
// CHECK-NEXT: ds_load x2
// CHECK-NEXT: wait dscnt
// CHECK-NEXT: wmma x18
// CHECK-NEXT: wait tensorcnt
// CHECK-NEXT: signal workgroup
// CHECK-NEXT: wait workgroup
// CHECK-NOT: {{.}}
