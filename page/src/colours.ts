// Colours that colour-blind people tell apart, the ones that the figures have; and those that the page's theme gives.
import type { Colouring } from "./data";

const groupColours = ["#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#f0e442", "#4d4d4d"];
const ramp = [
  [66, 8, 84],
  [66, 58, 128],
  [49, 102, 141],
  [32, 145, 140],
  [62, 184, 114],
  [149, 213, 66],
  [250, 230, 40],
];
export const missing = "#b8b8b8";
const markers = 7;

export function groupColour(group: number): string {
  return groupColours[group % groupColours.length];
}
export function rampColour(share: number): string {
  if (!Number.isFinite(share)) return missing;
  const place = Math.min(Math.max(share, 0), 1) * (ramp.length - 1);
  const below = Math.min(Math.floor(place), ramp.length - 2);
  const mixed = ramp[below].map((low, k) => Math.round(low + (place - below) * (ramp[below + 1][k] - low)));
  return `rgb(${mixed.join(",")})`;
}

export function colourOf(colouring: Colouring, i: number): string {
  if (colouring.kind === "groups") return groupColour(colouring.of[i]);
  if (colouring.kind === "numbers") {
    const value = colouring.numbers[i];
    return value === null ? missing : rampColour((value - colouring.low) / (colouring.high - colouring.low || 1));
  }
  return groupColour(0);
}

// Shapes go round with another period than colours, so that groups of one colour still differ.
export function markerOf(colouring: Colouring, i: number): number {
  return colouring.kind === "groups" ? colouring.of[i] % markers : 0;
}

export function traceMarker(to: CanvasRenderingContext2D | Path2D, marker: number, x: number, y: number, r: number): void {
  const polygon = (...offsets: number[]) => {
    for (let k = 0; k < offsets.length; k += 2)
      if (k === 0) to.moveTo(x + offsets[0] * r, y + offsets[1] * r);
      else to.lineTo(x + offsets[k] * r, y + offsets[k + 1] * r);
    to.closePath();
  };
  const arm = 0.38;
  switch (marker) {
    case 0:
      to.moveTo(x + r, y);
      to.arc(x, y, r, 0, 2 * Math.PI);
      break;
    case 1:
      to.rect(x - 0.88 * r, y - 0.88 * r, 1.76 * r, 1.76 * r);
      break;
    case 2:
      polygon(0, -1.15, 1.05, 0.75, -1.05, 0.75);
      break;
    case 3:
      polygon(0, -1.2, 1.2, 0, 0, 1.2, -1.2, 0);
      break;
    case 4:
      polygon(0, 1.15, 1.05, -0.75, -1.05, -0.75);
      break;
    case 5:
      polygon(-arm, -1, arm, -1, arm, -arm, 1, -arm, 1, arm, arm, arm, arm, 1, -arm, 1, -arm, arm, -1, arm, -1, -arm, -arm, -arm);
      break;
    default:
      polygon(0, -0.5, 0.6, -1, 1, -0.6, 0.5, 0, 1, 0.6, 0.6, 1, 0, 0.5, -0.6, 1, -1, 0.6, -0.5, 0, -1, -0.6, -0.6, -1);
  }
}

export function theme(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
