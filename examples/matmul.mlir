// C = A * B in bf16 with f32 accumulation, 256 x 256 x 128.
func.func @matmul(%A: tensor<256x128xbf16>, %B: tensor<128x256xbf16>,
                  %C: tensor<256x256xf32>) -> tensor<256x256xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = linalg.fill ins(%zero : f32) outs(%C : tensor<256x256xf32>) -> tensor<256x256xf32>
  %product = linalg.matmul ins(%A, %B : tensor<256x128xbf16>, tensor<128x256xbf16>)
                           outs(%empty : tensor<256x256xf32>) -> tensor<256x256xf32>
  return %product : tensor<256x256xf32>
}
