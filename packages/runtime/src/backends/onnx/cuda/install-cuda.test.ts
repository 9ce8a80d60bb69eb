import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { librariesFolder } from "@tritype/wheels";
import { expect, onTestFinished, test } from "vitest";
import { refusal } from "../../../fixtures/served.ts";
import { cudaRelease } from "./cuda-release.ts";
import { installCuda, installedCuda, removeCuda } from "./install-cuda.ts";

const emptyCache = async (): Promise<string> => {
  const cache = await mkdtemp(join(tmpdir(), "tritype-cuda-"));
  onTestFinished(() => rm(cache, { recursive: true, force: true }));
  return cache;
};
const options = { cache: "/nowhere", notice: () => {} };

test.each(["darwin-arm64", "win32-x64", "linux-arm64"])(
  "%s is rejected, and the error says what to do",
  async (system) => {
    const refused = installCuda(options, system).catch((error: unknown) => error);
    expect(await refused).toMatchObject({
      code: "device/unavailable",
      message: `the local runtime only supports CUDA on Linux x86-64, and this is ${system}`,
      help: "run models on the CPU (--device cpu), or serve the repository with a Triton on a machine with a GPU",
    });
  },
);

test("the libraries of a different onnxruntime-node are rejected and count as missing", async () => {
  const release = { ...cudaRelease, onnxruntime: "1.29.0" };
  expect(await refusal(installCuda({ ...options, release }, "linux-x64"))).toMatch(
    /^device\/unavailable: the CUDA libraries are for onnxruntime-node 1\.29\.0, but \d+\.\d+\.\d+ is installed/,
  );
  const cache = await emptyCache();
  await mkdir(librariesFolder(join(cache, "gpu"), release), { recursive: true });
  expect(installedCuda(cache, release)).toBeUndefined();
});

test("an installation is found, and removed as a whole", async () => {
  const cache = await emptyCache();
  expect(installedCuda(cache)).toBeUndefined();
  expect(await removeCuda(cache)).toBe(false);
  const folder = librariesFolder(join(cache, "gpu"), cudaRelease);
  await mkdir(`${folder}.part`, { recursive: true });
  expect(installedCuda(cache)).toBeUndefined();
  await mkdir(folder);
  expect(installedCuda(cache)).toBe(folder);
  expect(await removeCuda(cache)).toBe(true);
  expect(installedCuda(cache)).toBeUndefined();
});
