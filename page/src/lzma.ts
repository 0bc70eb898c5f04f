// Unpacks LZMA ("alone" files, as xz --format=lzma writes them). What browsers unpack by themselves is a third longer,
// and a page is something that people mail. Reference: Igor Pavlov's LZMA specification of 2015.

const stateAfterLiteral = [0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 4, 5];
const half = 1024; // a probability of one half

export function unpackLzma(packed: Uint8Array): Uint8Array {
  const head = packed[0];
  const lc = head % 9;
  const lp = Math.floor(head / 9) % 5;
  const pb = Math.floor(head / 45);
  const view = new DataView(packed.buffer, packed.byteOffset);
  const size = view.getUint32(5, true);
  const out = new Uint8Array(size);

  // The range decoder.
  let at = 13;
  let range = 0xffffffff;
  let code = 0;
  for (let i = 0; i < 5; ++i) code = ((code << 8) | packed[at++]) >>> 0;
  const bit = (table: Uint16Array, index: number): number => {
    const p = table[index];
    const bound = (range >>> 11) * p;
    let value: number;
    if (code < bound) {
      range = bound;
      table[index] = p + ((2048 - p) >> 5);
      value = 0;
    } else {
      range -= bound;
      code -= bound;
      table[index] = p - (p >> 5);
      value = 1;
    }
    if (range < 0x1000000) {
      range = (range << 8) >>> 0;
      code = ((code << 8) | packed[at++]) >>> 0;
    }
    return value;
  };
  const direct = (count: number): number => {
    let value = 0;
    while (count-- > 0) {
      range >>>= 1;
      const one = code >= range ? 1 : 0;
      if (one) code -= range;
      value = value * 2 + one;
      if (range < 0x1000000) {
        range = (range << 8) >>> 0;
        code = ((code << 8) | packed[at++]) >>> 0;
      }
    }
    return value;
  };
  const tree = (table: Uint16Array, from: number, bits: number): number => {
    let m = 1;
    for (let i = 0; i < bits; ++i) m = (m << 1) | bit(table, from + m);
    return m - (1 << bits);
  };
  const reverse = (table: Uint16Array, from: number, bits: number): number => {
    let m = 1;
    let value = 0;
    for (let i = 0; i < bits; ++i) {
      const one = bit(table, from + m);
      m = (m << 1) | one;
      value |= one << i;
    }
    return value;
  };

  const probabilities = (count: number) => new Uint16Array(count).fill(half);
  const lengthOf = () => {
    const choice = probabilities(2);
    const low = probabilities(16 << 3);
    const middle = probabilities(16 << 3);
    const high = probabilities(256);
    return (place: number): number => {
      if (bit(choice, 0) === 0) return tree(low, place << 3, 3);
      if (bit(choice, 1) === 0) return 8 + tree(middle, place << 3, 3);
      return 16 + tree(high, 0, 8);
    };
  };
  const literals = probabilities(0x300 << (lc + lp));
  const isMatch = probabilities(12 << 4);
  const isRep = probabilities(12);
  const isRep0 = probabilities(12);
  const isRep1 = probabilities(12);
  const isRep2 = probabilities(12);
  const isRep0Long = probabilities(12 << 4);
  const slots = probabilities(4 << 6);
  const special = probabilities(128);
  const align = probabilities(16);
  const matchLength = lengthOf();
  const repLength = lengthOf();

  let state = 0;
  let [rep0, rep1, rep2, rep3] = [0, 0, 0, 0];
  let written = 0;
  while (written < size) {
    const place = written & ((1 << pb) - 1);
    if (bit(isMatch, (state << 4) + place) === 0) {
      const before = written > 0 ? out[written - 1] : 0;
      const from = 0x300 * (((written & ((1 << lp) - 1)) << lc) + (before >> (8 - lc)));
      let symbol = 1;
      if (state >= 7) {
        let matched = out[written - rep0 - 1];
        do {
          const wanted = (matched >> 7) & 1;
          matched <<= 1;
          const one = bit(literals, from + ((1 + wanted) << 8) + symbol);
          symbol = (symbol << 1) | one;
          if (wanted !== one) break;
        } while (symbol < 0x100);
      }
      while (symbol < 0x100) symbol = (symbol << 1) | bit(literals, from + symbol);
      out[written++] = symbol & 0xff;
      state = stateAfterLiteral[state];
      continue;
    }
    let length: number;
    if (bit(isRep, state) !== 0) {
      if (bit(isRep0, state) === 0) {
        if (bit(isRep0Long, (state << 4) + place) === 0) {
          state = state < 7 ? 9 : 11;
          out[written] = out[written - rep0 - 1];
          ++written;
          continue;
        }
      } else {
        let distance: number;
        if (bit(isRep1, state) === 0) distance = rep1;
        else {
          if (bit(isRep2, state) === 0) distance = rep2;
          else {
            distance = rep3;
            rep3 = rep2;
          }
          rep2 = rep1;
        }
        rep1 = rep0;
        rep0 = distance;
      }
      length = repLength(place);
      state = state < 7 ? 8 : 11;
    } else {
      rep3 = rep2;
      rep2 = rep1;
      rep1 = rep0;
      length = matchLength(place);
      state = state < 7 ? 7 : 10;
      const slot = tree(slots, Math.min(length, 3) << 6, 6);
      if (slot < 4) rep0 = slot;
      else {
        const bits = (slot >> 1) - 1;
        rep0 = (2 | (slot & 1)) * 2 ** bits;
        if (slot < 14) rep0 += reverse(special, rep0 - slot, bits);
        else rep0 += direct(bits - 4) * 16 + reverse(align, 0, 4);
      }
      if (rep0 === 0xffffffff) break;
    }
    length += 2;
    if (rep0 >= written) throw new Error("the page is damaged");
    for (; length > 0 && written < size; --length, ++written) out[written] = out[written - rep0 - 1];
  }
  return out;
}
