// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of the tools that run networks on samples: qbackend-run and
// qbackend-tune.

#ifndef QBACKEND_TOOLS_NETWORKOPTIONS_H
#define QBACKEND_TOOLS_NETWORKOPTIONS_H

#include "mlir/IR/DialectRegistry.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"

#include <string>

namespace qbackend::options {

/// That of the tool, which defines it.
extern llvm::cl::OptionCategory category;

extern llvm::cl::opt<std::string> moduleFile, entryName, inputScale,
    sampleArguments, weightsFile;
extern llvm::cl::opt<unsigned> threads;

/// Adds what the plugins of --load-dialect-plugin have.
llvm::Error loadPlugins(mlir::DialectRegistry &registry);

/// An error if a file of weights is asked for without its name.
llvm::Error checkWeights(const llvm::cl::opt<std::string> &option);

/// Reads `shard`, "I/N"; empty: there are 0.
llvm::Error readShard(llvm::StringRef shard, int64_t &index, int64_t &count);

} // namespace qbackend::options

#endif // QBACKEND_TOOLS_NETWORKOPTIONS_H
