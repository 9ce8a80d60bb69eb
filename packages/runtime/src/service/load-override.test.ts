import { existsSync } from "node:fs";
import { expect, test } from "vitest";
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
  await folder.release();
  expect(existsSync(folder.path)).toBe(true);
  await close();
  expect(existsSync(folder.path)).toBe(false);
});
