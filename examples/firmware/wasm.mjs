// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a network in WebAssembly on the input of its self-test, and compares the
// bits of the results:
//
//   node wasm.mjs NAME.wasm NAME_test.c NAME.h
//
// There is no C compiler in it: the numbers are read from the C file.

import fs from 'node:fs';

const [wasm, test, header] = process.argv.slice(2);
const name = /(\w+)\.wasm$/.exec(wasm)[1];
const source = fs.readFileSync(test, 'utf8');
const parameters = new RegExp(`^void ${name}\\((.*)\\);$`, 'm')
                       .exec(fs.readFileSync(header, 'utf8'))[1];

const memory = new WebAssembly.Memory({initial: 256});
const {instance} = await WebAssembly.instantiate(fs.readFileSync(wasm),
                                                 {env: {memory}});
let top = instance.exports.__heap_base.value;
const allocate = (size) => {
  const at = (top + 63) & ~63;
  top = at + size;
  return at;
};

/// The bytes of the array of integers that follows `pattern` in the C file.
function readBytes(pattern) {
  const text = new RegExp(pattern + '[^{};]*\\{\\{?([^}]*)\\}').exec(source)[1];
  const words = text.match(/0x[0-9a-f]+/g);
  const width = (words[0].length - 2) / 2;
  return Uint8Array.from(words.flatMap(
      (word) => [...Array(width).keys()].map(
          (i) => Number((BigInt(word) >> BigInt(8 * i)) & 255n))));
}

const addresses = [], expected = [];
for (const parameter of parameters.split(', ')) {
  const buffer = /\*(\w+)$/.exec(parameter)[1];
  if (buffer === 'arena') {
    const size = Number(/_ARENA_SIZE (\d+)/.exec(fs.readFileSync(header, 'utf8'))[1]);
    addresses.push(allocate(size));
  } else if (parameter.startsWith('const ')) {
    const bytes = readBytes(`\\} ${buffer} =`);
    addresses.push(allocate(bytes.length));
    new Uint8Array(memory.buffer).set(bytes, addresses.at(-1));
  } else {
    const bytes = readBytes(`expected_${buffer}\\[\\d+\\] =`);
    addresses.push(allocate(bytes.length));
    expected.push([buffer, addresses.at(-1), bytes]);
  }
}
instance.exports[name](...addresses);
const found = new Uint8Array(memory.buffer);
for (const [buffer, at, bytes] of expected)
  for (const [i, byte] of bytes.entries())
    if (found[at + i] !== byte) {
      console.log(`FAIL: byte ${i} of ${buffer}`);
      process.exit(1);
    }
console.log('PASS');
