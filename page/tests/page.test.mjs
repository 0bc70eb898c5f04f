// The live page, as a reader meets it: opened from disk, without a network.
//   node --test page.test.mjs          WGP is the command, WGP_PAGES a folder for models and pages
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { looked, openBrowser, openPage, settled } from "./browser.mjs";
import { hostile, make, models } from "./models.mjs";

const command = process.env.WGP;
const folder = process.env.WGP_PAGES;
mkdirSync(folder, { recursive: true });
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const one = (name) => make(command, folder, models.find((model) => model.name === name));

let browser;
before(async () => (browser = await openBrowser()));
after(async () => browser?.close());

// What the command decodes at these latents, as numbers of points.
function decoded(file, latents) {
  const at = join(folder, "at.csv");
  writeFileSync(at, [latents[0].map((_, j) => `x${j + 1}`).join(","), ...latents.map((row) => row.join(","))].join("\n") + "\n");
  const text = execFileSync(command, ["decode", file, at, "--quiet"], { encoding: "utf8" });
  return text.trim().split("\n").slice(1).map((row) => row.split(",").map(Number));
}

const plotBox = async (page) => page.locator(".plot canvas").first().boundingBox();
const places = [[0.3, 0.4], [0.55, 0.6], [0.82, 0.25]];

for (const model of models)
  test(`${model.name}: ${model.spec} decodes as the command does`, async () => {
    const { page: path, file } = make(command, folder, model);
    const { page, context, complaints, fetched } = await openPage(browser, path);
    const box = await plotBox(page);
    const looks = [];
    for (const [x, y] of places) {
      await page.mouse.move(box.x + x * box.width, box.y + y * box.height);
      await settled(page);
      looks.push(await looked(page));
    }
    assert.ok(looks[0].latent[0] < looks[2].latent[0], "the pointer moves the latent");
    const wanted = decoded(file, looks.map((look) => look.latent));
    for (const [k, look] of looks.entries()) {
      assert.ok(wanted[k].length >= look.point.length, "sd and radii stand behind the point");
      const columns = wanted[k].slice(0, look.point.length);
      for (const [j, value] of columns.entries()) {
        const close = 1e-5 * Math.max(1, Math.abs(value));
        assert.ok(Math.abs(look.point[j] - value) < close, `number ${j + 1} at place ${k + 1}: ${look.point[j]}, decode says ${value}`);
      }
    }
    // There is something to see, and it is told.
    const drawn = await page.locator(".look .picture > svg, .look .space canvas, .look .space svg").count();
    assert.equal(drawn, 1);
    assert.ok((await page.locator(".look .facts dd").count()) >= 3);
    assert.deepEqual(complaints, []);
    assert.deepEqual(fetched, []);
    await context.close();
  });

test("a path is drawn, played and saved", async () => {
  const { page, context, complaints } = await openPage(browser, one("tensors").page);
  await page.getByText("Draw a path").click();
  const box = await plotBox(page);
  const at = (x, y) => [box.x + x * box.width, box.y + y * box.height];
  await page.mouse.move(...at(0.3, 0.3));
  await page.mouse.down();
  for (let k = 1; k <= 12; ++k) await page.mouse.move(...at(0.3 + 0.035 * k, 0.3 + 0.02 * k));
  await page.mouse.up();
  await page.locator(".path").waitFor({ state: "visible" });
  const begin = await looked(page);
  await page.getByLabel("Place on the path").fill("59");
  const end = await looked(page);
  assert.ok(Math.hypot(...begin.latent.map((x, j) => x - end.latent[j])) > 0.2);
  const save = async (name) => {
    const [download] = await Promise.all([page.waitForEvent("download", { timeout: 90000 }), page.locator(".path").getByRole("button", { name }).click()]);
    return readFileSync(await download.path());
  };
  const rows = (await save("Table (CSV)")).toString().trim().split("\n");
  assert.equal(rows.length, 61);
  assert.equal(rows[0], "latent1,latent2," + Array.from({ length: 9 }, (_, k) => `x${k + 1}`).join(","));
  const strip = (await save("Strip (SVG)")).toString();
  assert.equal(strip.match(/<svg /g).length >= 9, true);
  const film = await save("Film (GIF)");
  assert.equal(film.subarray(0, 6).toString(), "GIF89a");
  assert.ok(film.length > 10000);
  await page.getByRole("button", { name: "Play" }).click();
  await page.waitForTimeout(400);
  await page.getByRole("button", { name: "Pause" }).click();
  assert.notDeepEqual((await looked(page)).latent, end.latent);
  assert.deepEqual(complaints, []);
  await context.close();
});

test("without WebGL the same is drawn as SVG", async () => {
  const context = await browser.newContext({ offline: true });
  const page = await context.newPage();
  const complaints = [];
  page.on("console", (message) => message.text().includes("WebGL") || complaints.push(message.text()));
  await page.addInitScript(() => {
    const get = HTMLCanvasElement.prototype.getContext;
    HTMLCanvasElement.prototype.getContext = function (kind, ...more) {
      return kind.startsWith("webgl") ? null : get.call(this, kind, ...more);
    };
  });
  await page.goto(`file://${one("globe").page}`);
  await page.waitForSelector("html[data-ready]", { state: "attached" });
  await page.waitForTimeout(500);
  assert.ok((await page.locator(".space svg path").count()) > 20);
  assert.ok((await page.locator('.space svg path[fill]').count()) > 5);
  assert.deepEqual(complaints, []);
  await context.close();
});

test("two clicks give the shortest path", async () => {
  const { page, context, complaints } = await openPage(browser, one("tensors").page);
  await page.getByText("Shortest path", { exact: true }).click();
  const box = await plotBox(page);
  await page.mouse.click(box.x + 0.3 * box.width, box.y + 0.3 * box.height);
  await page.mouse.click(box.x + 0.8 * box.width, box.y + 0.7 * box.height);
  await page.getByText(/The shortest path .* long/).waitFor();
  const [length, straight] = (await page.locator(".path .words").textContent()).match(/\d+\.?\d*(e[−-]?\d+)?/g).map(Number);
  assert.ok(length <= straight * 1.001, `${length}, straight ${straight}`);
  assert.deepEqual(complaints, []);
  await context.close();
});

test("the lasso catches points and says what they are", async () => {
  const { page, context } = await openPage(browser, one("tensors").page);
  await page.getByText("Lasso", { exact: true }).click();
  const box = await plotBox(page);
  const corners = [[0.11, 0.03], [0.98, 0.03], [0.98, 0.88], [0.11, 0.88], [0.11, 0.03]];
  await page.mouse.move(box.x + corners[0][0] * box.width, box.y + corners[0][1] * box.height);
  await page.mouse.down();
  for (const [x, y] of corners.slice(1)) await page.mouse.move(box.x + x * box.width, box.y + y * box.height, { steps: 4 });
  await page.mouse.up();
  const text = await page.locator(".caught").textContent();
  assert.match(text, /points80/);
  assert.match(text, /group 0 27/);
  await context.close();
});

test("a point that is clicked is seen beside its reconstruction", async () => {
  const { page: path, file } = one("covariances");
  const { page, context } = await openPage(browser, path);
  await page.getByLabel("Find points").fill("17");
  await page.keyboard.press("Enter");
  const chosen = await page.locator(".chosen").textContent();
  assert.match(chosen, /row 17/);
  assert.match(chosen, /place among the points that fit worst\d+ of 80/);
  const report = JSON.parse(execFileSync(command, ["report", file, "-o", join(folder, "again.html"), "--json"], { encoding: "utf8" }));
  await page.getByLabel("Find points").fill(report.worst);
  await page.keyboard.press("Enter");
  assert.match(await page.locator(".chosen").textContent(), /worst1 of 80/);
  await context.close();
});

test("groups are hidden and shown", async () => {
  const { page, context } = await openPage(browser, one("tensors").page);
  const group = page.locator(".legend li button").first();
  const pixels = () => page.evaluate(() => document.querySelector(".plot canvas").toDataURL());
  await page.waitForTimeout(600);
  const before = await pixels();
  await group.click();
  assert.equal(await group.getAttribute("aria-pressed"), "false");
  await page.mouse.move(5, 5);
  await settled(page);
  assert.notEqual(await pixels(), before);
  await context.close();
});

test("the keyboard does what the pointer does", async () => {
  const { page, context, complaints } = await openPage(browser, one("globe").page);
  await page.locator(".plot canvas").first().focus();
  const begin = await looked(page);
  for (let k = 0; k < 5; ++k) await page.keyboard.press("ArrowRight");
  await settled(page);
  const there = await looked(page);
  assert.ok(there.latent[0] !== begin.latent[0]);
  await page.keyboard.press("Enter");
  assert.match(await page.locator(".chosen").textContent(), /kind [\d.]+/);
  await page.keyboard.press("Escape");
  assert.equal(await page.locator(".chosen").textContent(), "");
  await page.keyboard.press("+");
  await page.keyboard.press("0");
  await page.locator(".space canvas").focus();
  await page.keyboard.press("ArrowLeft");
  assert.deepEqual(complaints, []);
  await context.close();
});

test("hostile labels stay text", async () => {
  const { page, context, complaints } = await openPage(browser, one("outlines").page);
  assert.equal(await page.evaluate(() => window.broken), undefined);
  const names = await page.locator(".legend .name").allTextContents();
  for (const label of hostile.slice(0, 5)) assert.ok(names.includes(label), JSON.stringify(label));
  assert.ok(names.every((name) => name.length <= 400));
  await page.getByLabel("Find points").fill("<script>");
  await page.keyboard.press("Enter");
  assert.match(await page.locator(".chosen").textContent(), /<script>/);
  assert.equal(await page.evaluate(() => document.querySelectorAll("img, .legend script, .chosen script").length), 0);
  assert.deepEqual(complaints, []);
  await context.close();
});

test("pictures are saved as SVG and PNG, numbers as CSV", async () => {
  for (const name of ["covariances", "globe"]) {
    const { page, context, complaints } = await openPage(browser, one(name).page);
    const save = async (label) => {
      const [download] = await Promise.all([page.waitForEvent("download"), page.locator(".look").getByRole("button", { name: label, exact: true }).click()]);
      return readFileSync(await download.path());
    };
    const svg = (await save("SVG")).toString();
    assert.match(svg, /^<\?xml/);
    assert.ok(svg.includes("<path") || svg.includes("<rect"), "an empty picture");
    assert.equal((await save("PNG")).subarray(1, 4).toString(), "PNG");
    const rows = (await save("CSV")).toString().trim().split("\n");
    assert.deepEqual(rows[1].split(",").map(Number), (await looked(page)).point);
    assert.deepEqual(complaints, []);
    await context.close();
  }
});

test("nothing serious for those who use the page by other means (axe)", async () => {
  for (const [name, options] of [["globe", {}], ["outlines", {}], ["tensors", { colorScheme: "dark" }], ["numbers", { viewport: { width: 390, height: 800 } }]]) {
    const { page, context } = await openPage(browser, one(name).page, { bypassCSP: true, ...options });
    await page.addScriptTag({ content: axe });
    const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
    const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
    assert.deepEqual(serious.map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 200)} ${nodes[0].failureSummary}`), [], name);
    await context.close();
  }
});

test("on a phone nothing is wider than the screen", async () => {
  const { page, context } = await openPage(browser, one("covariances").page, { viewport: { width: 390, height: 800 } });
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390);
  await context.close();
});

test("without scripts, and in print, the figures are there", async () => {
  const context = await browser.newContext({ javaScriptEnabled: false, offline: true });
  const page = await context.newPage();
  await page.goto(`file://${one("globe").page}`);
  assert.ok(await page.locator("#latent figure > svg").isVisible());
  await context.close();
  const live = await openPage(browser, one("globe").page);
  assert.ok(!(await live.page.locator("#latent figure > svg").isVisible()));
  await live.page.emulateMedia({ media: "print" });
  assert.ok(await live.page.locator("#latent figure > svg").isVisible());
  await live.context.close();
});

test("the page gives the model away as it got it", async () => {
  const { page: path, file } = one("tensors");
  const { page, context } = await openPage(browser, path);
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save the model" }).click()]);
  assert.equal(download.suggestedFilename(), "tensors.wgp");
  assert.deepEqual(readFileSync(await download.path()), readFileSync(file));
  await context.close();
});

test("readers choose what colours mean", async () => {
  const { file } = one("tensors");
  const path = join(folder, "columns.html");
  execFileSync(command, ["report", file, "--data", join(folder, "tensors.csv"), "--labels", "v1,kind", "-o", path, "--quiet"]);
  const { page, context, complaints } = await openPage(browser, path);
  assert.equal(await page.locator(".legend .ramp").count(), 1);
  await page.getByLabel("Colour by").selectOption({ label: "kind" });
  assert.equal(await page.locator(".legend li").count(), 3);
  assert.deepEqual(complaints, []);
  await context.close();
});

test("pages are of a size that people mail", () => {
  for (const model of models) assert.ok(statSync(make(command, folder, model).page).size < 1.5e6, model.name);
});
