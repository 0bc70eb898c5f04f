// The model of the page: the library itself, as WebAssembly. Nothing here computes; it passes numbers in and out.

import { bytesOf } from "./bytes";

interface Exports {
  memory: WebAssembly.Memory;
  _initialize(): void;
  wgp_room(numbers: number): number;
  wgp_text(): number;
  wgp_open(bytes: number, size: number): number;
  wgp_size(what: number): number;
  wgp_numbers(what: number): number;
  wgp_draws(): number;
  wgp_look(x: number, spread: number): number;
  wgp_look_number(what: number): number;
  wgp_picture(other: number): number;
  wgp_picture_words(): number;
  wgp_decode(x: number, count: number, points: number): number;
  wgp_spread(x: number, count: number, noise: number, sd: number): number;
  wgp_radii(x: number, count: number, radii: number): number;
  wgp_circle(point: number, radius: number, count: number, points: number): number;
  wgp_geodesic(from: number, to: number, nodes: number, path: number): number;
  wgp_distance(p: number, q: number): number;
  wgp_rows(points: number, count: number, rows: number): number;
  wgp_half_axes(point: number, axes: number): number;
}

export type Spread = 0 | 1 | 2; // nothing, of the prediction, of new points

export interface Look {
  x: number[];
  point: Float64Array | null; // null where the manifold has none
  draws: Float64Array; // one point after the other
  sd: number;
  dataSd: number;
  radius: number;
  facts: [string, string][];
}

export async function unpacked(text: string): Promise<Uint8Array> {
  const stream = new Blob([bytesOf(text) as BlobPart]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export class Model {
  readonly latentDim: number;
  readonly ambient: number; // numbers of a point
  readonly dim: number;
  readonly rowWidth: number; // numbers of a row of a table
  readonly count: number; // latents that are held
  readonly latents: Float64Array; // one after the other
  readonly latentSd: Float64Array | null;
  readonly observed: Float64Array | null; // the training points
  readonly mean: Float64Array;

  private constructor(private readonly wasm: Exports) {
    this.latentDim = wasm.wgp_size(0);
    this.ambient = wasm.wgp_size(1);
    this.dim = wasm.wgp_size(2);
    this.rowWidth = wasm.wgp_size(6);
    this.count = wasm.wgp_size(3);
    this.latents = this.copy(wasm.wgp_numbers(0), this.latentDim * this.count);
    this.latentSd = wasm.wgp_size(5) ? this.copy(wasm.wgp_numbers(1), this.latentDim * this.count) : null;
    this.observed = wasm.wgp_size(4) > 0 ? this.copy(wasm.wgp_numbers(2), this.ambient * this.count) : null;
    this.mean = this.copy(wasm.wgp_numbers(3), this.ambient);
  }

  static async open(module: Uint8Array, bytes: Uint8Array): Promise<Model> {
    const state: { wasm?: Exports } = {};
    const memory = () => new DataView(state.wasm!.memory.buffer);
    // Of an operating system the module asks for its environment, which is empty, and for an end that never comes.
    const imports = {
      env: { emscripten_notify_memory_growth: () => {} },
      wasi_snapshot_preview1: {
        proc_exit: (code: number) => {
          throw new Error(`the module ended (${code})`);
        },
        environ_sizes_get: (count: number, size: number) => {
          memory().setUint32(count, 0, true);
          memory().setUint32(size, 0, true);
          return 0;
        },
        environ_get: () => 0,
      },
    };
    const { instance } = await WebAssembly.instantiate(module as BufferSource, imports);
    const wasm = (state.wasm = instance.exports as unknown as Exports);
    wasm._initialize();
    const room = wasm.wgp_room(Math.ceil(bytes.length / 8));
    new Uint8Array(wasm.memory.buffer, room, bytes.length).set(bytes);
    if (!wasm.wgp_open(room, bytes.length)) throw new Error(textAt(wasm));
    return new Model(wasm);
  }

  latent(i: number): number[] {
    return Array.from(this.latents.subarray(i * this.latentDim, (i + 1) * this.latentDim));
  }
  observedPoint(i: number): Float64Array | null {
    return this.observed ? this.observed.subarray(i * this.ambient, (i + 1) * this.ambient) : null;
  }

  look(x: number[], spread: Spread): Look {
    this.done(this.wasm.wgp_look(this.give(x), spread));
    const at = this.wasm.wgp_numbers(4);
    const facts = textAt(this.wasm)
      .split("\n")
      .filter(Boolean)
      .map((line) => line.split("\t") as [string, string]);
    return {
      x,
      point: at ? this.copy(at, this.ambient) : null,
      draws: this.copy(this.wasm.wgp_numbers(5), this.wasm.wgp_draws() * this.ambient),
      sd: this.wasm.wgp_look_number(0),
      dataSd: this.wasm.wgp_look_number(1),
      radius: this.wasm.wgp_look_number(2),
      facts,
    };
  }
  // The last look as an SVG element, with another point beside it.
  picture(other: ArrayLike<number> | null): string {
    this.done(this.wasm.wgp_picture(other ? this.give(other) : 0));
    return textAt(this.wasm);
  }
  pictureWords(): string {
    this.done(this.wasm.wgp_picture_words());
    return textAt(this.wasm);
  }

  decode(x: ArrayLike<number>): Float64Array {
    const count = x.length / this.latentDim;
    return this.map(x, count * this.ambient, (from, to) => this.wasm.wgp_decode(from, count, to));
  }
  spread(x: ArrayLike<number>, noise = false): Float64Array {
    const count = x.length / this.latentDim;
    return this.map(x, count, (from, to) => this.wasm.wgp_spread(from, count, noise ? 1 : 0, to));
  }
  radii(x: ArrayLike<number>): Float64Array {
    const count = x.length / this.latentDim;
    return this.map(x, count, (from, to) => this.wasm.wgp_radii(from, count, to));
  }
  circle(point: ArrayLike<number>, radius: number, count: number): Float64Array {
    return this.map(point, count * this.ambient, (from, to) => this.wasm.wgp_circle(from, radius, count, to));
  }
  // In the form of the rows that the model was fitted to.
  rows(points: ArrayLike<number>): Float64Array {
    const count = points.length / this.ambient;
    return this.map(points, count * this.rowWidth, (from, to) => this.wasm.wgp_rows(from, count, to));
  }
  halfAxes(point: ArrayLike<number>): Float64Array {
    return this.map(point, 9, (from, to) => this.wasm.wgp_half_axes(from, to));
  }
  geodesic(from: number[], to: number[], nodes: number): { nodes: number[][]; length: number; straight: number } {
    const q = this.latentDim;
    const both = this.map([...from, ...to], nodes * q + 2, (at, out) =>
      this.wasm.wgp_geodesic(at, at + 8 * q, nodes, out),
    );
    const path: number[][] = [];
    for (let i = 0; i < nodes; ++i) path.push(Array.from(both.subarray(i * q, (i + 1) * q)));
    return { nodes: path, length: both[nodes * q], straight: both[nodes * q + 1] };
  }
  distance(p: ArrayLike<number>, q: ArrayLike<number>): number {
    const at = this.give([...Array.from(p), ...Array.from(q)]);
    return this.wasm.wgp_distance(at, at + 8 * this.ambient);
  }

  private give(numbers: ArrayLike<number>): number {
    const at = this.wasm.wgp_room(numbers.length);
    new Float64Array(this.wasm.memory.buffer, at, numbers.length).set(numbers);
    return at;
  }
  private map(input: ArrayLike<number>, results: number, call: (from: number, to: number) => number): Float64Array {
    const at = this.wasm.wgp_room(input.length + results);
    new Float64Array(this.wasm.memory.buffer, at, input.length).set(input);
    const to = at + 8 * input.length;
    this.done(call(at, to));
    return this.copy(to, results);
  }
  private copy(at: number, count: number): Float64Array {
    return count === 0 ? new Float64Array(0) : new Float64Array(this.wasm.memory.buffer, at, count).slice();
  }
  private done(result: number): void {
    if (!result) throw new Error(textAt(this.wasm));
  }
}

function textAt(wasm: Exports): string {
  const bytes = new Uint8Array(wasm.memory.buffer);
  const begin = wasm.wgp_text();
  let end = begin;
  while (bytes[end] !== 0) ++end;
  return new TextDecoder().decode(bytes.subarray(begin, end));
}
