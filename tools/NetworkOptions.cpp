// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of the tools that run networks on samples.

#include "NetworkOptions.h"

#include "qbackend/Support/Error.h"

#include "mlir/Tools/Plugins/DialectPlugin.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::options;

namespace cl = llvm::cl;

cl::opt<std::string> options::moduleFile(cl::Positional, cl::Required,
                                         cl::desc("MODULE"), cl::cat(category));
cl::opt<std::string> options::entryName(
    "entry",
    cl::desc("function to run; default: main, forward, or the only one"),
    cl::cat(category));
cl::opt<std::string> options::inputScale(
    "input-scale",
    cl::desc("what integer data is multiplied by, such as 1/255"),
    cl::cat(category));
cl::opt<std::string> options::sampleArguments(
    "sample-arguments",
    cl::desc("numbers of the arguments that hold samples, such as 0,2; the "
             "others are the same in each run"),
    cl::cat(category));
cl::opt<std::string> options::weightsFile(
    "weights", cl::value_desc("FILE"),
    cl::desc("tensors that MODULE only names: .safetensors or .npz"),
    cl::cat(category));
cl::opt<unsigned> options::threads("num-threads", cl::init(0),
                                   cl::desc("threads; default: one each core"),
                                   cl::cat(category));
static cl::list<std::string> plugins(
    "load-dialect-plugin", cl::value_desc("FILE"),
    cl::desc("a plugin with a dialect or an engine that the module is in"),
    cl::cat(category));

llvm::Error options::loadPlugins(DialectRegistry &registry) {
  for (const std::string &path : plugins) {
    auto plugin = DialectPlugin::load(path);
    if (!plugin)
      return plugin.takeError();
    plugin->registerDialectRegistryCallbacks(registry);
  }
  return llvm::Error::success();
}

llvm::Error options::checkWeights(const cl::opt<std::string> &option) {
  if (option.getNumOccurrences() != 0 && option.empty())
    return makeError("--{0} is empty, expected a .safetensors or .npz file; "
                     "leave it out if the module has its weights",
                     option.ArgStr);
  return llvm::Error::success();
}

llvm::Error options::readShard(llvm::StringRef shard, int64_t &index,
                               int64_t &count) {
  if (shard.empty())
    return llvm::Error::success();
  auto [indexText, countText] = shard.split('/');
  if (indexText.getAsInteger(10, index) || countText.getAsInteger(10, count) ||
      count < 1)
    return makeError("shard is '{0}', expected I/N such as 0/4", shard);
  return llvm::Error::success();
}
