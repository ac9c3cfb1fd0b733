// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs ONNX models in ONNX Runtime on one thread: ort.cjs PACKAGE MODEL...
// For each line "INDEX CALLS" that it reads, it prints the seconds of the
// processor that one call of that model took.

'use strict';
const readline = require('readline');
const ort = require(process.argv[2]);

async function main() {
  const options = {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    graphOptimizationLevel: 'all',
  };
  const runs = [];
  for (const path of process.argv.slice(3)) {
    const session = await ort.InferenceSession.create(path, options);
    const input = session.inputMetadata[0];
    const size = input.shape.reduce((a, b) => a * b, 1);
    const data =
        input.type === 'uint8' ? new Uint8Array(size) : new Float32Array(size);
    for (let i = 0; i < size; ++i)
      data[i] = input.type === 'uint8' ? (i * 37) % 256 : ((i * 37) % 256) / 256;
    const feeds = {[input.name]: new ort.Tensor(input.type, data, input.shape)};
    runs.push(() => session.run(feeds));
  }
  console.log('ready ' + ort.env.versions.node);
  for await (const line of readline.createInterface({input: process.stdin})) {
    const [index, calls] = line.split(' ').map(Number);
    const begin = process.cpuUsage();
    for (let call = 0; call < calls; ++call)
      await runs[index]();
    const used = process.cpuUsage(begin);
    console.log((used.user + used.system) / 1e6 / calls);
  }
}

main();
