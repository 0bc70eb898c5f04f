// What the live page costs, in headless Chromium: its size, the time to its first picture, and from the pointer's move to
// the decoded object.
//   node bench/page.mjs PAGE.html ...      (npm ci in page/ first)
import { statSync } from "node:fs";

import { openBrowser, openPage } from "../page/tests/browser.mjs";

const moves = 200;
const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];

const browser = await openBrowser();
console.log("page                     megabytes   first picture, ms   pointer to object, ms: median of 200   largest");
for (const file of process.argv.slice(2)) {
  const { page, context } = await openPage(browser, file);
  const ready = await page.evaluate(() => Number(document.documentElement.dataset.ready));
  await page.waitForTimeout(1500); // the shading has been painted
  const box = await page.locator(".plot canvas").first().boundingBox();
  const times = [];
  for (let k = 0; k < moves; ++k) {
    const angle = (2 * Math.PI * k) / 37;
    await page.mouse.move(box.x + (0.55 + 0.3 * Math.cos(angle)) * box.width, box.y + (0.45 + 0.3 * Math.sin(angle)) * box.height);
    times.push(await page.evaluate(() => Number(document.querySelector(".look").dataset.milliseconds)));
  }
  const name = file.split("/").pop().padEnd(24);
  console.log(
    `${name} ${(statSync(file).size / 1e6).toFixed(2).padStart(9)} ${ready.toFixed(0).padStart(19)} ${median(times).toFixed(2).padStart(39)} ${Math.max(...times).toFixed(1).padStart(9)}`,
  );
  await context.close();
}
await browser.close();
