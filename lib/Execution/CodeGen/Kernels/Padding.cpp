// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The copy of an image with its padding, which a kernel reads instead of it.

#include "KernelEmitter.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace qbackend::codegen;

void KernelEmitter::forBytes(int64_t bytes,
                             function_ref<void(Value, int64_t)> body) {
  int64_t copyBytes = target.copyBytes;
  int64_t done = bytes / copyBytes * copyBytes;
  forEach(done, copyBytes, [&](Value offset) { body(offset, copyBytes); });
  for (int64_t count = copyBytes / 2; count != 0; count /= 2)
    if (bytes & count) {
      body(index(done), count);
      done += count;
    }
}

void KernelEmitter::fill(Value position, int64_t bytes) {
  forBytes(bytes, [&](Value offset, int64_t count) {
    Value bytes = addOffset(splatPadding(vectorOf(count, padding.getType())));
    vector::StoreOp::create(*builder, bytes, buffers.scratch,
                            advance(position, offset, 1));
  });
}

void KernelEmitter::copy(Value from, Value to, int64_t bytes) {
  forBytes(bytes, [&](Value offset, int64_t count) {
    Value loaded = load(buffers.input, advance(from, offset, 1), count);
    if (isWide)
      loaded = extend(loaded, builder->getI16Type());
    loaded = addOffset(loaded);
    vector::StoreOp::create(*builder, loaded, buffers.scratch,
                            advance(to, offset, 1));
  });
}

void KernelEmitter::copyImage(Value position) {
  int64_t row = shape.paddedWidth() * shape.in;
  int64_t left = shape.left * shape.in, right = shape.right * shape.in,
          bytes = shape.width * shape.in;
  fill(index(0), shape.top * row);
  if (left + right == 0) {
    copy(position, index(shape.top * row), shape.height * bytes);
  } else {
    forEach(shape.height, 1, [&](Value y) {
      Value to = advance(index(shape.top * row), y, row);
      fill(to, left);
      Value from = advance(position, y, bytes), inside = advance(to, left);
      copy(from, inside, bytes);
      fill(advance(to, left + bytes), right);
    });
  }
  fill(index((shape.top + shape.height) * row),
       shape.bottom * row + getCopySlack());
}
