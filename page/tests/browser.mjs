// A browser that is offline, and a page opened from disk in it.
import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";

import { chromium } from "playwright-core";

export const chromiumPath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);

export async function openBrowser() {
  return chromium.launch({
    executablePath: chromiumPath,
    args: ["--no-sandbox", "--enable-unsafe-swiftshader", "--force-device-scale-factor=1"],
  });
}

// The page, ready; what it complained of; and what it tried to fetch.
export async function openPage(browser, file, options = {}) {
  const context = await browser.newContext({ offline: true, viewport: { width: 1280, height: 1000 }, acceptDownloads: true, ...options });
  const page = await context.newPage();
  const complaints = [];
  const fetched = [];
  page.on("console", (message) => {
    // The software renderer speaks of its own slowness.
    if (!message.text().includes("GL Driver Message")) complaints.push(`${message.type()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => complaints.push(error.stack));
  page.on("request", (request) => {
    if (!/^(file|data|blob):/.test(request.url())) fetched.push(request.url());
  });
  await page.goto(pathToFileURL(file).href);
  await page.waitForSelector("html[data-ready]", { state: "attached", timeout: 60000 });
  return { page, context, complaints, fetched };
}

export const looked = (page) =>
  page.evaluate(() => {
    const data = document.querySelector(".look").dataset;
    return { latent: data.latent.split(",").map(Number), point: data.point ? data.point.split(",").map(Number) : null };
  });

// Two frames: what the pointer asked for has been drawn.
export const settled = (page) =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => window.setTimeout(done, 0)))));
