import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { stubLibrary } from "../../../../../../test/triton/stub-library.ts";
import { cudaRelease } from "./cuda-release.ts";
import { libraryName } from "./installed-binding.ts";
import { loadLibraries } from "./load-libraries.ts";
import { probeCuda, takeLibraries } from "./probe-cuda.ts";

/** Loadable libraries with these names that do nothing. */
const libraries = async (names: readonly string[]): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), "tritype-libraries-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const name of names) await writeFile(join(folder, name), stubLibrary("nothing"));
  return folder;
};
/** A driver name that does not exist on any machine. */
const driver = "libcuda.so.none";
const absent = (file: string): string => `${file}: cannot open shared object file: No such file or directory`;

// This test must come first: a later one loads the real ONNX Runtime.
test("an ONNX Runtime that was already loaded from elsewhere is named", async () => {
  const [first, second] = [await libraries([libraryName]), await libraries([libraryName])];
  expect(takeLibraries(first)).toBeUndefined();
  expect(takeLibraries(first)).toBeUndefined();
  expect(takeLibraries(second)).toEqual({
    reason: `something in this process has already loaded ${join(first, libraryName)}`,
    help: "Start the runtime before anything else imports onnxruntime-node.",
  });
});

test("with all libraries present, only the driver is missing", async () => {
  const folder = await libraries(cudaRelease.preload);
  expect(await probeCuda(folder, driver)).toEqual({
    reason: `NVIDIA's driver is missing: ${absent(driver)}`,
    help: "Run with --device cpu, or install NVIDIA's driver, 580 or newer (CUDA 13.0).",
  });
});
test.each(cudaRelease.preload)("reports that %s is missing", async (missing) => {
  const folder = await libraries(cudaRelease.preload.filter((name) => name !== missing));
  expect(await probeCuda(folder, driver)).toEqual({
    reason: absent(join(folder, missing)),
    help: "Run `pipeline gpu install --force`, or --device cpu.",
  });
});
test("without a driver the message does not suggest installing the libraries", async () => {
  expect((await probeCuda(undefined, driver))?.reason).toBe(`NVIDIA's driver is missing: ${absent(driver)}`);
});
test("with a driver and no libraries, the message names the command", async () => {
  const folder = await libraries([driver]);
  expect((await probeCuda(undefined, join(folder, driver)))?.reason).toBe(
    "its libraries are not installed; run `pipeline gpu install`",
  );
});
test("a loaded library stays loaded and is found by name", async () => {
  const folder = await libraries(["first.so"]);
  expect(loadLibraries([join(folder, "first.so"), join(folder, "second.so")])).toBe(
    absent(join(folder, "second.so")),
  );
  expect(loadLibraries([join(folder, "first.so")])).toBeUndefined();
});
