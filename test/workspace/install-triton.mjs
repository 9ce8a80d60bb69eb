import { join } from "node:path";
import { root } from "./workspace.mjs";

/**
 * Downloads the Triton that the tests start, so that their time limits are not spent on it. If it cannot run here, this
 * prints the reason, and the tests that need it fail.
 */
export async function installTriton() {
  const { installTriton } = await import("../../packages/tritonserver/dist/index.js");
  const notice = (line) => console.log(line);
  const cache = process.env["TRITYPE_CACHE"] ?? join(root, ".cache");
  await installTriton({ cache, notice }).catch((error) => {
    console.error(`${error.message}\n${error.help ?? ""}`);
  });
}

if (process.argv[1] === import.meta.filename) await installTriton();
