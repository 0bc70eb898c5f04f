// Bundles the page's program, its loader and its style sheet into dist/, packs the module, and writes the hashes by which
// the page's security policy knows them. scripts/page runs it.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";

import { build } from "esbuild";

const common = {
  bundle: true,
  minify: true,
  charset: "utf8",
  legalComments: "none",
  target: ["chrome95", "firefox113", "safari16.4"],
  logLevel: "warning",
  write: false,
};
const bundled = async (entry, more = {}) => (await build({ ...common, entryPoints: [entry], ...more })).outputFiles[0].text;
const program = await bundled("src/main.ts", { format: "iife" });
const loader = await bundled("src/loader.ts", { format: "iife" });
const style = await bundled("src/page.css", { loader: { ".css": "css" } });
for (const [name, text] of [["program", program], ["loader", loader]])
  if (/<\/script|<!--/i.test(text) && name === "loader") throw new Error(`the ${name} would end its own script element`);

const lzma = (bytes) => execFileSync("xz", ["--format=lzma", "-9e", "--stdout"], { input: bytes, maxBuffer: 1 << 28 });
// xz does not say how long the content is; the loader wants to know.
const sized = (bytes) => {
  const packed = lzma(bytes);
  packed.writeBigUInt64LE(BigInt(bytes.length), 5);
  return packed;
};
writeFileSync("dist/page.css", style);
writeFileSync("dist/loader.js", loader);
writeFileSync("dist/program.js.lzma", sized(Buffer.from(program)));
const module = process.argv[2];
if (module) writeFileSync("dist/module.wasm.lzma", sized(readFileSync(module)));

const hash = (text) => createHash("sha256").update(text).digest("base64");
writeFileSync(
  "dist/hashes.h",
  "// Written by scripts/page: SHA-256 in base64.\n#pragma once\n\n" +
    [["page_style", style], ["page_loader", loader], ["page_program", program]]
      .map(([name, text]) => `inline constexpr char ${name}_sha256[] = "${hash(text)}";\n`)
      .join(""),
);
console.log(`program ${program.length}, loader ${loader.length}, style ${style.length} bytes`);
