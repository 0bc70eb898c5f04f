// Two builds of the module say the same: points, spreads, draws and pictures at many latents of many models.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";

import { make, models } from "./models.mjs";

async function opened(file, bytes) {
  const state = {};
  const view = () => new DataView(state.wasm.memory.buffer);
  const imports = {
    env: { emscripten_notify_memory_growth() {} },
    wasi_snapshot_preview1: {
      proc_exit(code) {
        throw new Error(`ended with ${code}`);
      },
      environ_sizes_get(count, size) {
        view().setUint32(count, 0, true);
        view().setUint32(size, 0, true);
        return 0;
      },
      environ_get: () => 0,
    },
  };
  const { instance } = await WebAssembly.instantiate(readFileSync(file), imports);
  const wasm = (state.wasm = instance.exports);
  wasm._initialize();
  const text = () => {
    const memory = new Uint8Array(wasm.memory.buffer);
    const begin = wasm.wgp_text();
    return new TextDecoder().decode(memory.subarray(begin, memory.indexOf(0, begin)));
  };
  const room = wasm.wgp_room(Math.ceil(bytes.length / 8));
  new Uint8Array(wasm.memory.buffer, room, bytes.length).set(bytes);
  assert.ok(wasm.wgp_open(room, bytes.length), text());
  const numbers = (at, count) => Array.from(new Float64Array(wasm.memory.buffer, at, count));
  const q = wasm.wgp_size(0);
  const look = (x) => {
    const at = wasm.wgp_room(q);
    new Float64Array(wasm.memory.buffer, at, q).set(x);
    assert.ok(wasm.wgp_look(at, 2), text());
    const said = [...numbers(wasm.wgp_numbers(4), wasm.wgp_size(1)), ...numbers(wasm.wgp_numbers(5), wasm.wgp_draws() * wasm.wgp_size(1))];
    for (const what of [0, 1, 2]) said.push(wasm.wgp_look_number(what));
    assert.ok(wasm.wgp_picture(0), text());
    return { said, picture: text().replace(/-?\d+(\.\d+)?/g, "#") };
  };
  return { q, latents: numbers(wasm.wgp_numbers(0), q * wasm.wgp_size(3)), look };
}

const [first, second] = process.argv.slice(2);
const folder = process.env.WGP_PAGES;
mkdirSync(folder, { recursive: true });
let compared = 0;
for (const model of models) {
  const bytes = readFileSync(make(process.env.WGP, folder, model).file);
  const a = await opened(first, bytes);
  const b = await opened(second, bytes);
  for (let i = 0; i < 20; ++i) {
    const x = a.latents.slice(a.q * i, a.q * (i + 1)).map((value) => 1.1 * value + 0.05);
    const one = a.look(x);
    const other = b.look(x);
    assert.equal(one.said.length, other.said.length);
    for (const [k, value] of one.said.entries()) {
      assert.ok(Math.abs(value - other.said[k]) <= 1e-7 * Math.max(1, Math.abs(value)), `${model.name}: ${value}, rebuilt ${other.said[k]}`);
      ++compared;
    }
    assert.equal(one.picture, other.picture, model.name);
  }
}
console.log(`${compared} numbers are the same`);
