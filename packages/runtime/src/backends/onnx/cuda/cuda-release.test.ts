import { expect, test } from "vitest";
import { cudaRelease } from "./cuda-release.ts";
import { installedBinding } from "./installed-binding.ts";

const { wheels, preload, onnxruntime, name } = cudaRelease;

test("the libraries match the installed onnxruntime-node", () => {
  expect(onnxruntime).toBe(installedBinding().version);
  expect(name).toBe(`onnxruntime-${onnxruntime}`);
  expect(wheels[0]).toMatchObject({ project: "onnxruntime-gpu", version: onnxruntime });
});
test("every wheel is pinned", () => {
  for (const { sha256 } of wheels) expect(sha256).toMatch(/^[0-9a-f]{64}$/);
});
test("the libraries that are loaded before the provider come from the wheels", () => {
  const libraries = wheels.flatMap((wheel) => wheel.libraries);
  expect(preload.filter((library) => !libraries.includes(library))).toEqual([]);
});
