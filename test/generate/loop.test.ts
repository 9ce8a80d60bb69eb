import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { pythonWithNumpy } from "../environment/python.ts";

const python = fileURLToPath(new URL("../../packages/generation/python", import.meta.url));
const script = fileURLToPath(new URL("run_loop.py", import.meta.url));

test("if a step fails as a whole while the loop is closed, the loop ends, and a row that arrived in the meantime gets the reason", async () => {
  const printed = execFileSync(await pythonWithNumpy(), ["-B", script, python], { encoding: "utf8" });
  expect(JSON.parse(printed)).toEqual([["out of memory"], ["the model is being unloaded"], false]);
});
