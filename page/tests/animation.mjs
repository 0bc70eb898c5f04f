// The film of README: the pointer goes along a model's latent space, the page decodes.
//   node page/tests/animation.mjs PAGE.html FILM.gif [FRAMES]
import { createRequire } from "node:module";
import { writeFileSync } from "node:fs";

import { openBrowser, openPage, settled } from "./browser.mjs";

const { GIFEncoder, quantize, applyPalette } = createRequire(import.meta.url)("gifenc");
const [file, film, frames = "24"] = process.argv.slice(2);
const count = Number(frames);
const width = 600;

const browser = await openBrowser();
const { page } = await openPage(browser, file, { viewport: { width: 1240, height: 900 } });
await page.waitForTimeout(1500);
const blank = await (await browser.newContext()).newPage();
const box = await page.locator(".plot canvas").first().boundingBox();
const clip = await page.locator("#explorer").boundingBox();
clip.height = Math.min(clip.height, 700);
const encoder = GIFEncoder();
let palette = null;
for (let k = 0; k < count; ++k) {
  const share = k / count;
  const x = box.x + (0.12 + 0.84 * share) * box.width;
  const y = box.y + (0.45 + 0.25 * Math.sin(4 * Math.PI * share)) * box.height;
  await page.mouse.move(x, y);
  await settled(page);
  const png = (await page.screenshot({ clip })).toString("base64");
  const { data, height } = await blank.evaluate(
    async ([text, wide]) => {
      const image = new Image();
      image.src = `data:image/png;base64,${text}`;
      await image.decode();
      const tall = Math.round((image.height * wide) / image.width);
      const canvas = new OffscreenCanvas(wide, tall);
      const to = canvas.getContext("2d");
      to.imageSmoothingQuality = "high";
      to.drawImage(image, 0, 0, wide, tall);
      return { data: Array.from(to.getImageData(0, 0, wide, tall).data), height: tall };
    },
    [png, width],
  );
  const pixels = Uint8ClampedArray.from(data);
  palette ??= quantize(pixels, 48);
  encoder.writeFrame(applyPalette(pixels, palette), width, height, { palette, delay: 110 });
}
encoder.finish();
writeFileSync(film, encoder.bytes());
await browser.close();
