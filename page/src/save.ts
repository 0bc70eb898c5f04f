// What the reader takes away: pictures, tables, films.
import { applyPalette, GIFEncoder, quantize } from "gifenc";

import { element } from "./dom";

export function save(name: string, content: BlobPart, type: string): void {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = element("a", { href: address, download: name });
  link.click();
  window.setTimeout(() => URL.revokeObjectURL(address), 10000);
}

export function saveSvg(name: string, svg: string): void {
  const head = '<?xml version="1.0" encoding="UTF-8"?>\n';
  const whole = svg.includes("xmlns=") ? svg : svg.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"');
  save(`${name}.svg`, head + whole, "image/svg+xml");
}

export async function savePng(name: string, canvas: HTMLCanvasElement): Promise<void> {
  const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/png"));
  if (blob) save(`${name}.png`, blob, "image/png");
}

// An SVG as pixels, on white.
export async function painted(svg: string, width: number, height: number): Promise<HTMLCanvasElement> {
  const image = new Image();
  const whole = svg.includes("xmlns=") ? svg : svg.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"');
  const address = URL.createObjectURL(new Blob([whole], { type: "image/svg+xml" }));
  try {
    await new Promise<void>((done, failed) => {
      image.onload = () => done();
      image.onerror = () => failed(new Error("the picture could not be drawn"));
      image.src = address;
    });
    const canvas = element("canvas", { width, height });
    const to = canvas.getContext("2d")!;
    to.fillStyle = "#ffffff";
    to.fillRect(0, 0, width, height);
    to.drawImage(image, 0, 0, width, height);
    return canvas;
  } finally {
    URL.revokeObjectURL(address);
  }
}

export function onWhite(source: HTMLCanvasElement, side: number): HTMLCanvasElement {
  const canvas = element("canvas", { width: side, height: side });
  const to = canvas.getContext("2d")!;
  to.fillStyle = "#ffffff";
  to.fillRect(0, 0, side, side);
  to.drawImage(source, 0, 0, side, side);
  return canvas;
}

// Frames of one size, each for so many milliseconds.
export function gif(frames: HTMLCanvasElement[], delay: number): Uint8Array {
  const encoder = GIFEncoder();
  for (const frame of frames) {
    const { width, height } = frame;
    const { data } = frame.getContext("2d")!.getImageData(0, 0, width, height);
    const palette = quantize(data, 128);
    encoder.writeFrame(applyPalette(data, palette), width, height, { palette, delay });
  }
  encoder.finish();
  return encoder.bytes();
}

export function csv(header: string[], rows: ArrayLike<number>[]): string {
  return [header.join(","), ...rows.map((row) => Array.from(row, (value) => String(value)).join(","))].join("\n") + "\n";
}
