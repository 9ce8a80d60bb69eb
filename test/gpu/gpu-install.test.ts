import { copyFile, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { listen } from "../fixtures/listen.ts";
import { stubLibrary } from "../triton/stub-library.ts";
import { pipelineProcess } from "../cli/run-pipeline.ts";
import { project } from "../cli/small-project.ts";

const anywhere = { root: tmpdir() };
const inX = ["run", "total", "-i", "x=[1,2,3,4]"];

const emptyCache = async (): Promise<string> => {
  const cache = await mkdtemp(join(tmpdir(), "tritype-gpu-"));
  onTestFinished(() => rm(cache, { recursive: true, force: true }));
  return cache;
};

/** A package index without packages. */
let emptyIndex: string;
beforeAll(async () => {
  const server = createServer((_, response) => response.writeHead(404).end());
  emptyIndex = `http://127.0.0.1:${await listen(server)}/simple`;
  return () => void server.close();
});

test("gpu install reports what it will use, and what is wrong with the index", async () => {
  const cache = await emptyCache();
  const env = { TRITYPE_CACHE: cache, PIP_INDEX_URL: emptyIndex, PIP_FIND_LINKS: "" };
  const { code, out, err } = await pipelineProcess(anywhere, ["gpu", "install"], { env });
  expect({ code, out }).toEqual({ code: 2, out: "" });
  const [first, second, third] = err.split("\n");
  expect(first?.replace(cache, "<cache>")).toMatch(
    /^installing onnxruntime-1\.30\.0 into <cache>\/gpu\/onnxruntime-1\.30\.0-[0-9a-f]{12}: 1591 MB to fetch, 2485 MB on disk$/,
  );
  expect(second).toBe("fetching onnxruntime-gpu 1.30.0 (247 MB), 1 of 8");
  expect(third).toBe("error[install/wheel-not-fetched]: onnxruntime-gpu 1.30.0 could not be fetched:");

  expect((await pipelineProcess(anywhere, ["gpu", "install", "--remove"], { env })).out).toBe(
    "the CUDA libraries were removed\n",
  );
  expect(await readdir(cache)).toEqual([]);
});

test("gpu install --remove does nothing if there are no libraries", async () => {
  const env = { TRITYPE_CACHE: await emptyCache() };
  expect(await pipelineProcess(anywhere, ["gpu", "install", "--remove"], { env })).toMatchObject({
    code: 0,
    out: "no CUDA libraries are installed\n",
  });
  expect((await pipelineProcess(anywhere, ["gpu", "install", "--remove", "--force"], { env })).err).toContain(
    "error[usage/invalid]: --remove and --force are mutually exclusive",
  );
});

test("a cache that cannot be written is refused", async () => {
  const file = join(await emptyCache(), "file");
  await writeFile(file, "");
  const { code, err } = await pipelineProcess(anywhere, ["gpu", "install"], { env: { TRITYPE_CACHE: file } });
  expect(code).toBe(2);
  expect(err).toContain(
    `error[file/not-writable]: cannot write to ${join(file, "gpu")}: there is a file where`,
  );
  expect(err).toContain("set TRITYPE_CACHE to a writable folder");
});

const binding = createRequire(import.meta.url).resolve("onnxruntime-node/package.json");
const onnxRuntime = join(dirname(binding), "bin/napi-v6/linux/x64/libonnxruntime.so.1");

/** A cache as `gpu install` creates it: ONNX Runtime itself, and stub libraries that can be loaded but do nothing. */
const cacheWithLibraries = async (): Promise<string> => {
  const cache = await emptyCache();
  const env = { TRITYPE_CACHE: cache, PIP_INDEX_URL: emptyIndex, PIP_FIND_LINKS: "" };
  const { err } = await pipelineProcess(anywhere, ["gpu", "install"], { env });
  const [, folder = ""] = /^installing \S+ into (\S+):/.exec(err) ?? [];
  await mkdir(folder);
  await copyFile(onnxRuntime, join(folder, "libonnxruntime.so.1"));
  for (const name of preloaded) await writeFile(join(folder, name), stubLibrary("nothing"));
  return cache;
};

const preloaded = [
  "libcudart.so.13",
  "libnvrtc.so.13",
  "libnvJitLink.so.13",
  "libcublasLt.so.13",
  "libcublas.so.13",
  "libcurand.so.10",
  "libcufft.so.12",
  "libcudnn.so.9",
];

test("with the libraries but without a driver, the CPU is used and a message says so, or the missing driver is an error", async () => {
  const env = { TRITYPE_CACHE: await cacheWithLibraries() };
  const root = project();
  // With a driver, ONNX Runtime is loaded and finds no provider among the stubs.
  const reason =
    "(NVIDIA's driver is missing: libcuda\\.so\\.1: cannot open shared object file: No such file or directory|.*Failed to load shared library)";

  const automatic = await pipelineProcess(root, [...inX, "--device", "auto"], { env });
  expect(automatic).toMatchObject({ code: 0, out: "sum FP32[1, 1]\n  20\n" });
  const notes = automatic.err.match(/^note .*/gm);
  expect(notes).toHaveLength(1);
  expect(notes?.[0]).toMatch(new RegExp(`^note models run on the CPU: CUDA cannot be used \\(${reason}\\)$`));

  const demanded = await pipelineProcess(root, [...inX, "--device", "cuda"], { env });
  expect(demanded.code).toBe(2);
  expect(demanded.err).toMatch(
    new RegExp(`^error\\[device/cuda-unusable\\]: CUDA cannot be used: ${reason}$`, "m"),
  );
  expect(demanded.err).toContain("install NVIDIA's driver, 580 or newer (CUDA 13.0)");
});
