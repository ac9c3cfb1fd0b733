// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of qbackend-run, and what they say to what it calls.

#ifndef QBACKEND_TOOLS_QBACKEND_RUN_OPTIONS_H
#define QBACKEND_TOOLS_QBACKEND_RUN_OPTIONS_H

#include "NetworkOptions.h"

#include "qbackend/Execution/Pipelines/RunModule.h"
#include "qbackend/Insight/Tuning/Simulation.h"
#include "qbackend/Pipelines/Calibrate.h"
#include "qbackend/Support/Parts.h"

namespace qbackend::options {

extern llvm::cl::opt<std::string> inputFile, outputFile, backendName,
    qconfigName, statistics, shard, sourceName, compareFile, compareWeights,
    labelsFile, calibrationFile, calibrationData, htmlFile, reportName,
    outputFormat;
extern llvm::cl::opt<int64_t> samples, saveSeconds;
extern llvm::cl::opt<bool> calibrateMode, resume, sensitivityMode, changesMode,
    layersMode, doctorMode, profileMode;
extern llvm::cl::list<std::string> partFiles;

/// What the options say about a run, but for --shard.
RunOptions getRunOptions();

/// With --shard, too.
llvm::Expected<RunOptions> getPartOptions();

/// The right classes of the samples, if --labels is given.
llvm::Expected<std::vector<int64_t>> readLabels();

/// What can be known to be wrong before the module is read.
llvm::Error checkOptions();

/// Options of pipelines can't be copied.
void setPrepareOptions(PreparePipelineOptions &options);

/// Where ranges come from.
CalibrateOptions getCalibrateOptions();

/// Reads the files of --parts, which have to be of `parts`.
llvm::Error readPartFiles(Parts &parts);

/// How a network is quantized here, and on what it is judged.
tuning::NetworkOptions getNetworkOptions();

} // namespace qbackend::options

#endif // QBACKEND_TOOLS_QBACKEND_RUN_OPTIONS_H
