// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From linalg to vector code.

#ifndef QBACKEND_CODEGEN_PASSES
#define QBACKEND_CODEGEN_PASSES

include "mlir/Pass/PassBase.td"

defvar ProcessorOptions = [
    Option<"triple", "target-triple", "std::string", "\"\"",
           "What LLVM calls the target; empty: this machine">,
    Option<"cpu", "target-cpu", "std::string", "\"\"",
           "What LLVM calls the processor; empty: this one without a "
           "target-triple, else a generic one; 'native': this one">,
    Option<"features", "target-features", "std::string", "\"\"",
           "Features besides those of the processor, such as +avx2">
];

def ExpandOpsPass : Pass<"qbackend-expand-ops", "::mlir::ModuleOp"> {
  let summary = "ops that no later pass takes to those that they are made of";
  let description = [{
    Before: `linalg.softmax`, `linalg.pack`, `linalg.unpack` and other aggregates,
    and loads of constants of `ml_program`. After: the ops of linalg and tensor that
    they are made of, and `arith.constant`. Globals that nothing reads are gone; one
    that is no tensor is an error, for bufferization has no buffer for it.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def LowerTosaPass : Pass<"qbackend-lower-tosa", "::mlir::ModuleOp"> {
  let summary = "tosa to linalg on tensors";
  let description = [{
    Before: ops of tosa. After: those of linalg, tensor, arith and scf, by upstream's
    passes, control flow first. A module without an op of tosa stays as it is.
  }];
}

def GenerateKernelsPass
    : Pass<"qbackend-generate-kernels", "::mlir::ModuleOp"> {
  let summary = "int8 ops on buffers to calls of vector code";
  let description = [{
    Before: ops of `int8` on memrefs, with constant weights. After: each is a call
    of a private function of `vector`, `scf` and `arith` for the op's shape and
    what it does, which equal ops share, on constants in the order in which the
    function reads them. `llvm.call_intrinsic` is what the target adds products
    with; the integers don't depend on the target. docs/Kernels.md has the table of
    targets.

    With `parallel`, what a large kernel does for one image is the call of another
    function, which has the attribute `qbackend.units`, a number N. The last two
    operands, 0 and N, are which of these units of work it does: whoever calls it
    with the parts of that range instead, in any order or at the same time, computes
    the same bytes.
  }];
  let options = !listconcat(ProcessorOptions, [
    Option<"target", "target", "std::string", "\"\"",
           "Name in the table of targets; empty: the best one that the processor "
           "has the features for">,
    Option<"parallel", "parallel", "bool", "false",
           "Cut large kernels in parts, for qbackend-parallelize-calls">
  ]);
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def ExpandPadsPass : Pass<"qbackend-expand-pads"> {
  let summary = "tensor.pad to borders around a destination";
  let description = [{
    Before: `tensor.pad` of known extents by one value. After: fills of the borders
    of a `bufferization.alloc_tensor`, and the source inserted between them. Where an
    op of linalg or int8 computes the source in a `tensor.empty`, it does so in that
    place instead, and bufferization copies nothing. Other pads stay.
  }];
  let dependentDialects = [
    "::mlir::bufferization::BufferizationDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def FuseElementwisePass : Pass<"qbackend-fuse-elementwise"> {
  let summary = "elementwise ops into those that read them";
  let description = [{
    Before: ops of linalg on tensors. After: an elementwise op of one use is part of
    the op that reads it, unless that adds up, or reads an element several times of
    what takes longer than a load: tables, divisions, roots and other functions, such
    as those of the mean and the deviation of a row. A sum of integers widens narrow
    ones that it reads once itself. A sum reads a constant where it is instead
    of its transposition, an elementwise op reads what a transpose of one use read,
    and where one behind it undoes that, there is none.
  }];
  let dependentDialects = [
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"
  ];
}

def TabulateBytesPass : Pass<"qbackend-tabulate-bytes"> {
  let summary = "slow functions of a byte as tables";
  let description = [{
    Before: an elementwise `linalg.generic` from bytes to bytes, of 2048 elements and
    more, that divides or takes a root or another function. After: the function of all
    256 bytes, and an op that looks up its elements there.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def SplitReductionsPass : Pass<"qbackend-split-reductions"> {
  let summary = "sums of neighbouring integers to sums of vectors";
  let description = [{
    Before: a `linalg.generic` on tensors that adds up integers, or takes an
    extremum, along a loop whose elements are neighbours. After: one that does so for
    each of 16 lanes, and one for these; what is left over of 64 elements and more is
    taken before. Integers wrap, so that the order is all the same; sums of float
    numbers stay.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def PlaceSumStagesPass : Pass<"qbackend-place-sum-stages"> {
  let summary = "sums side by side with what they begin with and end in";
  let description = [{
    Before: ops of linalg on tensors. After: in front of a sum that is the only one to
    read it stands the elementwise op that computes what it begins with, such as a
    bias; and the sum in front of the elementwise op that alone reads it, such as a
    residual with its relu. A fill or a broadcast that several sums begin with is
    there once for each. On buffers `qbackend-vectorize` computes them in one nest.
  }];
}

def VectorizePass : Pass<"qbackend-vectorize", "::mlir::ModuleOp"> {
  let summary = "linalg ops on buffers to tiled loops over vectors";
  let description = [{
    Before: linalg ops on memrefs. After: loops of scf over tiles whose sums are
    in registers, in ops of vector, with masks for what is left. A constant of a
    reduction is stored in the order in which its tiles are read. What a sum begins
    with is computed in its tiles, and an elementwise op of the sums, if no memory is
    touched between them but to allocate it. An outermost loop whose turns are
    independent has the attribute `qbackend.parallel`, if its nest has 2^22 steps and
    more; what is left behind its tiles doesn't. Each element is computed in the order
    of the op: whatever the vectors of the target are, the bits are the same. A byte
    of a constant table of 256 is looked up by the instructions that permute bytes, if
    the target has AVX2, AVX-512 VBMI or is AArch64. What has
    no such form (an address that is no sum of products, an integer division) stays for
    `convert-linalg-to-loops`.

    With `contract`, a float product that is added to a sum is not rounded
    before: one instruction does both where the processor has it, and the bits are
    others there.

    `qbackend-lower-to-llvm` is the pipeline around it, from tensors to the llvm
    dialect.
  }];
  let options = !listconcat(ProcessorOptions, [
    Option<"contract", "contract", "bool", "false",
           "Round sums of products once for each addition">
  ]);
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

def LowerToLoopsPass : Pass<"qbackend-lower-to-loops"> {
  let summary = "linalg ops on buffers to loops of single elements";
  let description = [{
    Before: ops of linalg on memrefs. After: loops of scf. An op that has none stays.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect"
  ];
}

def RequantizeByFloatsPass : Pass<"qbackend-requantize-by-floats"> {
  let summary = "fixed-point products of bytes rounded by f32";
  let description = [{
    Before: scalars in bodies of linalg. After: where the processor multiplies and
    adds vectors of floats with one rounding, an integer of bytes that is multiplied by
    a constant in 64 bits, and shifted with TOSA's single or double rounding, is
    multiplied by f32, as in kernels, if that gives the same integers. What is known of
    the integer is that it is a sum, difference or product of bytes and constants.
    docs/Kernels.md says why. Vectors have twice the lanes then.
  }];
  let options = ProcessorOptions;
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect"
  ];
}

def RequantizeByIntegersPass
    : Pass<"qbackend-requantize-by-integers", "::mlir::ModuleOp"> {
  let summary = "products of integers and constants rounded without floats";
  let description = [{
    Before: loops over scalars and vectors. After: where the processor has no
    instructions for floats, or `target` is `portable`, an integer that is converted
    to f32, multiplied by a constant or a number of a constant table, rounded to even
    and converted back is a call of the function that kernels requantize by, if what
    reads it is clamped to within -256 and 256, and the multipliers are from 2^-15 to
    1, of which none is more than 2^7 times another one. docs/Kernels.md says why
    these are the same integers. Averages and products of activations have this form.

    Public functions have the attribute `qbackend-float-layers` for LLVM, with the
    names of the layers that compute with floats all the same.
  }];
  let options = !listconcat(ProcessorOptions, [
    Option<"target", "target", "std::string", "\"\"",
           "Name of the target of generated kernels">
  ]);
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

def ScalarizeVectorsPass : Pass<"qbackend-scalarize-vectors"> {
  let summary = "vectors of fixed lengths to a scalar for each lane";
  let description = [{
    Before: ops of `vector` that load, store, broadcast, extract, insert and shuffle
    lanes of vectors of one dimension, elementwise ops on these, and ops of `scf`
    that carry them. After: ops on scalars that compute the same numbers, one for
    each lane. Other ops of vectors are an error.

    `qbackend-lower-to-c` ends with it, for what has no vectors, such as C.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"
  ];
}

def OutlineLoopsPass : Pass<"qbackend-outline-loops", "::mlir::ModuleOp"> {
  let summary = "loop nests to functions that equal ones share";
  let description = [{
    Before: loops of scf on buffers, one after the other. After: each nest that
    isn't in another op is the call of a private function, which is not inlined and
    which all equal nests share; constants that are read are arguments of it. Nests
    with results stay, with `bare-pointers` also those on buffers whose extents or
    strides aren't known. Calls that pass buffers without a rank are moved the same
    way: where they are made, descriptors of them take a dozen stores each.

    With `parallel`, the function of a nest whose outermost loop has the attribute
    `qbackend.parallel` takes which of its turns to do, and the call has
    `qbackend.units`, see qbackend-generate-kernels.
  }];
  let options = [
    Option<"barePointers", "bare-pointers", "bool", "false",
           "A function takes no more of a buffer than where it is">,
    Option<"parallel", "parallel", "bool", "false",
           "Cut large nests in parts, for qbackend-parallelize-calls">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect"
  ];
}

def ParallelizeCallsPass
    : Pass<"qbackend-parallelize-calls", "::mlir::ModuleOp"> {
  let summary = "calls that can be cut in parts to tasks of threads";
  let description = [{
    Before: functions of the llvm dialect, some of whose calls have the attribute
    `qbackend.units`, see qbackend-generate-kernels. After: public functions have two
    arguments more, a function

        void parallel_for(void *pool, void (*task)(void *, int64_t, int64_t),
                          void *context, int64_t count)

    and its `pool`. Each of these calls is one of `parallel_for`, which calls
    `task(context, begin, end)` for parts that make up all of 0 to `count`, on any
    threads, and comes back when they are done. Where it is null, the task is called
    once.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def DefineHelpersPass : Pass<"qbackend-define-helpers", "::mlir::ModuleOp"> {
  let summary = "define what LLVM calls to round to 16 bits";
  let description = [{
    Before: a module in the llvm dialect. After: where it has numbers of f16 or bf16,
    and the target is an x86, whose older processors have no instructions for them,
    it defines the functions that LLVM calls instead (`__truncdfhf2`,
    `__truncsfbf2`, ...), which C libraries have or not. They are weak and hidden:
    objects that are linked share one. The module has the target's data layout
    (`llvm.data_layout`), by which the translation to LLVM IR counts bytes.
  }];
  let options = [
    Option<"triple", "target-triple", "std::string", "\"\"",
           "What LLVM calls the target; empty: this machine">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def FreezeNumbersPass : Pass<"qbackend-freeze-numbers"> {
  let summary = "numbers instead of what LLVM may take for any";
  let description = [{
    Before: functions of the llvm dialect. After: scalar casts to integers of numbers
    that may not fit, and shifts by as many bits as there are, give some number, the
    same one to all that read it (`llvm.freeze`), and `llvm.mlir.poison` of a scalar
    is 0. Otherwise LLVM takes the check of an index that depends on one for a promise
    that there is none, and leaves it out with what comes after it.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def LegalizeFloatsPass : Pass<"qbackend-legalize-floats", "::mlir::ModuleOp"> {
  let summary = "float ops that the processor or LLVM can't to ones that they can";
  let description = [{
    Before: a module in the llvm dialect. After: where the processor has no
    instruction that rounds to even (x86 without SSE 4.1, Cortex-M0 to M4, RISC-V
    without F), `llvm.intr.roundeven` is additions that round to the same number, for
    LLVM would call `roundevenf`, which is C23 and not in newlib.

    `llvm.intr.maximum` and `llvm.intr.minimum` of floats that the processor has no
    instructions for (Cortex-M without an FPU, doubles where the FPU has none, RISC-V
    without F or D) are comparisons and selects that give the same bits: LLVM would
    call `fmaximumf`, which is C23 too. So are those of doubles with MVE, for which
    LLVM 22 crashes or doesn't end.

    On MVE with floats (Cortex-M55) stands `llvm.arithmetic.fence` behind each
    conversion from an integer and in front of each to one: LLVM 22 makes of it and a
    product by a power of two an instruction on fixed point, and writes a wrong
    number of bits where that number is in a register.
  }];
  let options = ProcessorOptions;
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def ForFunctionsWithPass : Pass<"qbackend-for-functions-with", "::mlir::func::FuncOp"> {
  let summary = "a pipeline, of functions that have an op that it is for";
  let description = [{
    Runs `pipeline` on functions that have an op of `ops`, and leaves the others alone.
    Many of upstream's conversions make their patterns anew for each function, which
    takes longer than to look for what there is to convert: the kernels of a network
    are many functions, and have ops of few dialects.
  }];
  let options = [
    ListOption<"ops", "ops", "std::string",
               "Names of ops, or of dialects for all of theirs">,
    Option<"pipeline", "pipeline", "std::string", /*default=*/"\"\"",
           "Of passes on functions">,
  ];
}

def ConvertToLLVMPass : Pass<"qbackend-convert-to-llvm", "::mlir::ModuleOp"> {
  let summary = "arith, memref, func, cf, index and ub to the llvm dialect at once";
  let description = [{
    What upstream's passes of these dialects do, in one conversion, with their
    patterns: buffers are allocated by `aligned_alloc`. An op that has no pattern
    stays as it is. The ops of generated kernels are converted on
    several threads, before their functions: pairs of casts are left between them,
    for `reconcile-unrealized-casts`.
  }];
  let options = [
    Option<"indexBits", "index-bits", "unsigned", /*default=*/"0",
           "Bits of an index; 0: what the data layout says">,
    Option<"barePointers", "bare-pointers", "bool", /*default=*/"false",
           "Buffers of static shape are passed as pointers">,
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def NarrowIndicesPass : Pass<"qbackend-narrow-indices", "::mlir::ModuleOp"> {
  let summary = "casts between widths of indices to integer ops";
  let description = [{
    Before: a module in the llvm dialect whose indices have 32 bits, but for those
    that `convert-vector-to-llvm` made, with unrealized casts between them. After:
    integer ops instead of the casts.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def SplitFunctionsPass
    : Pass<"qbackend-split-functions", "::mlir::ModuleOp"> {
  let summary = "parts of long functions to functions of their own";
  let description = [{
    Before: functions of the llvm dialect. After: a block with more than two times
    `max-ops` ops besides addresses and constants is calls of private functions, each
    with the next `max-ops` of them; what a part gives to another one is in a struct
    on the stack. LLVM takes more than linear time for a long block.

    The body of a function that nothing but its C wrapper calls is moved to the
    wrapper, so that fields of descriptors are read where they are used, and written
    where they are made.
  }];
  let options = [
    Option<"maxOps", "max-ops", "int64_t", "500", "The most ops of a part">,
    Option<"openEntries", "open-entries", "bool", "false",
           "Move public functions to their C wrappers, too: who links calls these">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def PrepareBufferizationPass : Pass<"qbackend-prepare-bufferization"> {
  let summary = "say whose the buffers are that tensors become";
  let description = [{
    Before: functions on tensors. After: arguments of public ones are the caller's
    (`bufferization.writable = false`), a tensor that is returned twice is copied for
    the second time, and each result has a `tensor.empty` of its own: all results in
    one are one set of aliases, in which the analysis compares each with each.
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect"];
}

def FreeBuffersPass : Pass<"qbackend-free-buffers"> {
  let summary = "free the buffers that nothing else may be";
  let description = [{
    Before: `bufferization.dealloc` of several buffers. After: `memref.dealloc` of
    those that are allocated in its block, are known by no name but views, and are
    freed in any case. What is left is compared each with each, by upstream's passes.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def ExpandStridedCopiesPass : Pass<"qbackend-expand-strided-copies"> {
  let summary = "copies of what is not contiguous to linalg ops";
  let description = [{
    Before: `memref.copy`. After: a `linalg.generic`, unless both sides are
    contiguous; these become calls of `memcpy`, the others would call a function of
    MLIR's C runtime.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
}

def ExpandDynamicReshapesPass : Pass<"qbackend-expand-dynamic-reshapes"> {
  let summary = "reshapes to several unknown extents to views";
  let description = [{
    Before: `memref.expand_shape` of a dimension to several that are only known at
    run time, which upstream's lowering can't. After: a `memref.reinterpret_cast`.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"
  ];
}

def PlaceConstantsPass : Pass<"qbackend-place-constants", "::mlir::ModuleOp"> {
  let summary = "drop constants that nothing reads any more";
  let description = [{
    Before: globals of memref. After: those that no op refers to are gone. In a
    process that runs the code, big ones are declarations, whose elements stay where
    they are in memory.
  }];
}

def LowerAssertsPass : Pass<"qbackend-lower-asserts", "::mlir::ModuleOp"> {
  let summary = "cf.assert to calls of who runs the code";
  let description = [{
    Before: `cf.assert`. After: where the condition is false,
    `qbackend_runtime_assert_failed` is called with the number of the assertion, and
    doesn't return. Upstream's lowering prints the message and aborts.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::func::FuncDialect"
  ];
}

def PlaceBuffersPass : Pass<"qbackend-place-buffers", "::mlir::ModuleOp"> {
  let summary = "one arena for the buffers of a function";
  let description = [{
    Before: public functions of one block that allocate buffers of static shapes
    and free them. After: each of these is a `memref.view` of one buffer of bytes;
    two that are not in use at the same time may share a place. That buffer is
    allocated by the function, or with `as-argument` its last argument, of which
    its LLVM attribute `qbackend-arena-bytes` has the size; `qbackend-live-bytes` is
    what is in use at the same time at most, which it can't be smaller than. What is returned, is of
    a dynamic shape, or is in a loop or a branch stays as it is. With `as-argument`,
    buffers of which only a run tells which to free are an error.

    `qbackend-arena-layers` says how much is in use at each layer, in the order in
    which they run, as `name=bytes` between semicolons. With `as-argument` and
    `fast-bytes`, there is one more argument, a second arena of at most as many bytes
    (`qbackend-fast-arena-bytes`), for the buffers of which each byte is in use the
    shortest; the others are in the first one.
  }];
  let options = [
    Option<"asArgument", "as-argument", "bool", "false",
           "The caller gives the arena, on a multiple of 64 bytes">,
    Option<"fastBytes", "fast-bytes", "int64_t", "-1",
           "Bytes of a second, fast arena for the buffers that fit there; -1: "
           "there is one arena">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"
  ];
}

def CheckBoundsPass : Pass<"qbackend-check-bounds"> {
  let summary = "assert that ops on tensors stay within them";
  let description = [{
    Before: ops of tensor and linalg whose indices or extents are not known.
    After: in front of each, a `cf.assert` that an element or a slice is inside,
    that an extent is the one of the result's type, and that operands of linalg
    have the extents of its loops. What an op outside of its bounds does is not
    defined; here it would be to read or write memory of the process.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

#endif // QBACKEND_CODEGEN_PASSES
