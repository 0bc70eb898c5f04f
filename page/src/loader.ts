// Unpacks the program of the page and its module, and starts the one with the other. The program is text of this page,
// and the page's security policy names its hash.
import { bytesOf } from "./bytes";
import { unpackLzma } from "./lzma";

function packed(id: string): Uint8Array {
  const node = document.getElementById(id)!;
  const bytes = bytesOf(node.textContent ?? "");
  node.remove();
  return bytes;
}

try {
  (window as unknown as { wgpModule: Uint8Array }).wgpModule = unpackLzma(packed("page-module"));
  const program = document.createElement("script");
  program.textContent = new TextDecoder().decode(unpackLzma(packed("page-program")));
  document.body.append(program);
} catch (error) {
  document.getElementById("explorer")!.textContent = `The page is not alive here: ${error}. The figures below are.`;
}
