import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { LoadedModel } from "../backend.ts";
import { writeOverrideFolder } from "./load-override.ts";

test("a model keeps its properties, and keeps its folder until it is closed", async () => {
  const folder = await writeOverrideFolder(new Map([["1/model.py", new Uint8Array()]]));
  const model: LoadedModel = {
    instances: 2,
    execute: () => Promise.resolve([]),
    callers: [{}],
    close: () => Promise.resolve(),
  };
  const { close, ...kept } = folder.keepFor(model);
  expect({ ...kept, close: model.close }).toEqual(model);
  folder.release();
  expect(existsSync(folder.path)).toBe(true);
  await close();
  expect(existsSync(folder.path)).toBe(false);
});

test("a process that exits without closing the model leaves no folder", () => {
  const parent = mkdtempSync(join(tmpdir(), "overrides-"));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  const built = new URL("../../dist/service/load-override.js", import.meta.url).href;
  const script = `import { writeOverrideFolder } from ${JSON.stringify(built)};
const { path } = await writeOverrideFolder(new Map([["1/model.py", new Uint8Array()]]));
process.stdout.write(path);`;
  const options = { env: { ...process.env, TMPDIR: parent }, encoding: "utf8" } as const;
  const path = execFileSync(process.execPath, ["--input-type=module", "-e", script], options);
  expect([path.includes(parent), readdirSync(parent)]).toEqual([true, []]);
});
