// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs ONNX files in ONNX Runtime. Standard input is JSON: a list of
// {model, level, runs, inputs: [{type, shape, file}], folder}. Each run reads a
// tensor of each file, one after the other; the bytes of output N are appended
// to `folder`/N. What fails writes its message to `folder`/error.

const fs = require('fs');
const path = require('path');
const ort = require('onnxruntime-node');

const ARRAYS = {
  float32: Float32Array, uint8: Uint8Array, int8: Int8Array, int32: Int32Array,
  int64: BigInt64Array, float64: Float64Array,
};

function read(input, number) {
  const size = input.shape.reduce((a, b) => a * b, 1);
  const all = new ARRAYS[input.type](input.bytes);
  return new ort.Tensor(
      input.type, all.slice(number * size, (number + 1) * size), input.shape);
}

async function run(job) {
  const session = await ort.InferenceSession.create(job.model, {
    graphOptimizationLevel: job.level, intraOpNumThreads: 1, logSeverityLevel: 3,
  });
  for (const input of job.inputs) {
    input.bytes = new Uint8Array(fs.readFileSync(input.file)).buffer;
  }
  for (let number = 0; number < job.runs; ++number) {
    const feeds = {};
    session.inputNames.forEach((name, i) => {
      feeds[name] = read(job.inputs[i], number);
    });
    const results = await session.run(feeds);
    session.outputNames.forEach((name, i) => {
      const data = results[name].data;
      fs.appendFileSync(path.join(job.folder, String(i)),
          Buffer.from(data.buffer, data.byteOffset, data.byteLength));
    });
  }
  await session.release();
}

(async () => {
  for (const job of JSON.parse(fs.readFileSync(0, 'utf8'))) {
    try {
      await run(job);
    } catch (error) {
      fs.writeFileSync(path.join(job.folder, 'error'), String(error));
    }
  }
})();
