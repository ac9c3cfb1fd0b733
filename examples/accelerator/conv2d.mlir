// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A backend whose convolutions are computed by a function on integers, which gets
// the attributes of each: docs/AddingABackend.md.

#weighted = #qbackend.dtype_config<
  input = <si8, qschemes = ["per_tensor_symmetric"]>,
  output = <si8, qschemes = ["per_tensor_symmetric"]>,
  weight = <si8, quant_min = -127, quant_max = 127,
            qschemes = ["per_channel_symmetric"]>,
  bias = f32>

qbackend.backend_config @conv_npu version 2 default_qconfig @default
    lowering ["reference"] {
  qbackend.pattern_config [conv2d] <
    dtypes = [#weighted], reference = @npu_conv2d>

  qbackend.qconfig_mapping @default {
    qbackend.qconfig global <
      activation = <min_max, si8, per_tensor_symmetric>,
      weight = <per_channel_min_max, si8, per_channel_symmetric,
                quant_min = -127, quant_max = 127>>
  }
}

// A convolution of images (N, H, W, C) with filters (O, H, W, C), of one group:
// y = rne((bias + sum x * w) * (input scale * weight scale / output scale)).
func.func private @npu_conv2d(
    %x: tensor<?x?x?x?xi8> {qbackend.role = "input0"},
    %input_scale: f32 {qbackend.role = "input0.scale"},
    %w: tensor<?x?x?x?xi8> {qbackend.role = "weight"},
    %weight_scale: tensor<?xf32> {qbackend.role = "weight.scale"},
    %bias: tensor<?xi32> {qbackend.role = "bias"},
    %output_scale: f32 {qbackend.role = "output.scale"},
    %stride: tensor<2xi64> {qbackend.role = "attribute.stride"},
    %padding: tensor<4xi64> {qbackend.role = "attribute.padding"},
    %dilation: tensor<2xi64> {qbackend.role = "attribute.dilation"})
    -> tensor<?x?x?x?xi8> {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %i2 = arith.constant 2 : index
  %i3 = arith.constant 3 : index
  %low = arith.constant -128.0 : f32
  %high = arith.constant 127.0 : f32
  %batch = tensor.dim %x, %i0 : tensor<?x?x?x?xi8>
  %height = tensor.dim %x, %i1 : tensor<?x?x?x?xi8>
  %width = tensor.dim %x, %i2 : tensor<?x?x?x?xi8>
  %channels = tensor.dim %x, %i3 : tensor<?x?x?x?xi8>
  %filters = tensor.dim %w, %i0 : tensor<?x?x?x?xi8>
  %kernel_h = tensor.dim %w, %i1 : tensor<?x?x?x?xi8>
  %kernel_w = tensor.dim %w, %i2 : tensor<?x?x?x?xi8>
  %stride_h, %stride_w = func.call @npu_pair(%stride) : (tensor<2xi64>) -> (index, index)
  %dilation_h, %dilation_w = func.call @npu_pair(%dilation) : (tensor<2xi64>) -> (index, index)
  %above64 = tensor.extract %padding[%i0] : tensor<4xi64>
  %below64 = tensor.extract %padding[%i1] : tensor<4xi64>
  %left64 = tensor.extract %padding[%i2] : tensor<4xi64>
  %right64 = tensor.extract %padding[%i3] : tensor<4xi64>
  %above = arith.index_cast %above64 : i64 to index
  %below = arith.index_cast %below64 : i64 to index
  %left = arith.index_cast %left64 : i64 to index
  %right = arith.index_cast %right64 : i64 to index
  %rows = func.call @npu_extent(%height, %above, %below, %kernel_h, %dilation_h, %stride_h)
    : (index, index, index, index, index, index) -> index
  %columns = func.call @npu_extent(%width, %left, %right, %kernel_w, %dilation_w, %stride_w)
    : (index, index, index, index, index, index) -> index
  %y = tensor.generate %batch, %rows, %columns, %filters {
  ^bb0(%n: index, %row: index, %column: index, %o: index):
    %b = tensor.extract %bias[%o] : tensor<?xi32>
    %first_row0 = arith.muli %row, %stride_h : index
    %first_row = arith.subi %first_row0, %above : index
    %first_column0 = arith.muli %column, %stride_w : index
    %first_column = arith.subi %first_column0, %left : index
    %sum = scf.for %i = %i0 to %kernel_h step %i1 iter_args(%si = %b) -> (i32) {
      %di = arith.muli %i, %dilation_h : index
      %h = arith.addi %first_row, %di : index
      %h_in = arith.cmpi ult, %h, %height : index
      %sum_i = scf.for %j = %i0 to %kernel_w step %i1 iter_args(%sj = %si) -> (i32) {
        %dj = arith.muli %j, %dilation_w : index
        %v = arith.addi %first_column, %dj : index
        %v_in = arith.cmpi ult, %v, %width : index
        %in = arith.andi %h_in, %v_in : i1
        // What is outside is 0: its zero point.
        %sum_j = scf.if %in -> (i32) {
          %all = scf.for %c = %i0 to %channels step %i1 iter_args(%sc = %sj) -> (i32) {
            %xv = tensor.extract %x[%n, %h, %v, %c] : tensor<?x?x?x?xi8>
            %wv = tensor.extract %w[%o, %i, %j, %c] : tensor<?x?x?x?xi8>
            %x32 = arith.extsi %xv : i8 to i32
            %w32 = arith.extsi %wv : i8 to i32
            %product = arith.muli %x32, %w32 : i32
            %next = arith.addi %sc, %product : i32
            scf.yield %next : i32
          }
          scf.yield %all : i32
        } else {
          scf.yield %sj : i32
        }
        scf.yield %sum_j : i32
      }
      scf.yield %sum_i : i32
    }
    %ws = tensor.extract %weight_scale[%o] : tensor<?xf32>
    %scale0 = arith.mulf %input_scale, %ws : f32
    %scale = arith.divf %scale0, %output_scale : f32
    %real = arith.sitofp %sum : i32 to f32
    %scaled = arith.mulf %real, %scale : f32
    %rounded = math.roundeven %scaled : f32
    %above_low = arith.maximumf %rounded, %low : f32
    %clamped = arith.minimumf %above_low, %high : f32
    %q = arith.fptosi %clamped : f32 to i8
    tensor.yield %q : i8
  } : tensor<?x?x?x?xi8>
  return %y : tensor<?x?x?x?xi8>
}

func.func private @npu_pair(%pair: tensor<2xi64>) -> (index, index) {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %a64 = tensor.extract %pair[%i0] : tensor<2xi64>
  %b64 = tensor.extract %pair[%i1] : tensor<2xi64>
  %a = arith.index_cast %a64 : i64 to index
  %b = arith.index_cast %b64 : i64 to index
  return %a, %b : index, index
}

// (size + before + after - dilation * (kernel - 1) - 1) / stride + 1
func.func private @npu_extent(%size: index, %before: index, %after: index,
    %kernel: index, %dilation: index, %stride: index) -> index {
  %i1 = arith.constant 1 : index
  %padded0 = arith.addi %size, %before : index
  %padded = arith.addi %padded0, %after : index
  %steps = arith.subi %kernel, %i1 : index
  %reach = arith.muli %steps, %dilation : index
  %left0 = arith.subi %padded, %reach : index
  %left = arith.subi %left0, %i1 : index
  %strides = arith.divsi %left, %stride : index
  %extent = arith.addi %strides, %i1 : index
  return %extent : index
}
