// Bytes that the page holds as text: thirteen bits in two characters of 91, behind their number and a blank.
const base = 91;
const bits = 13;

export function bytesOf(text: string): Uint8Array {
  const blank = text.indexOf(" ");
  const bytes = new Uint8Array(Number(text.slice(0, blank)));
  const digit = (at: number) => {
    const code = text.charCodeAt(at);
    return code - (code < 60 ? 33 : 34);
  };
  let held = 0;
  let count = 0;
  let written = 0;
  for (let at = blank + 1; at + 1 < text.length && written < bytes.length; at += 2) {
    held |= (digit(at) + base * digit(at + 1)) << count;
    count += bits;
    while (count >= 8 && written < bytes.length) {
      bytes[written++] = held & 255;
      held >>>= 8;
      count -= 8;
    }
  }
  return bytes;
}
