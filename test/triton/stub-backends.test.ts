import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { cacheFolder, installTriton, serveTriton } from "@tritype/tritonserver";
import { withStubBackends } from "./stub-backends.ts";

const repository = await mkdtemp(join(tmpdir(), "tritype-stubs-"));
afterAll(async () => await rm(repository, { recursive: true, force: true }));

const write = async (name: string, config: string): Promise<void> => {
  await mkdir(join(repository, name, "1"), { recursive: true });
  await writeFile(join(repository, name, "config.pbtxt"), config);
};

test("a stub loads every model that the core accepts, without an engine", async () => {
  const triton = await installTriton({ cache: cacheFolder(), notice: () => {} });
  if (triton.kind !== "wheel") throw new Error("This test needs Triton's wheel");
  const stubbed = await withStubBackends(triton, ["tensorrt", "onnxruntime"]);
  expect(await withStubBackends(triton, ["tensorrt", "onnxruntime"])).toEqual(stubbed);
  const io =
    'input { name: "I" data_type: TYPE_FP32 dims: 2 } output { name: "O" data_type: TYPE_FP32 dims: 2 }';
  await write("engine", `backend: "tensorrt" ${io}`);
  await write("graph", `backend: "onnxruntime" ${io}`);
  await write("negative", `backend: "tensorrt" max_batch_size: -1 ${io}`);
  await write("other", `backend: "pytorch" ${io}`);
  const server = await serveTriton(stubbed, { repository });
  const ready = async (name: string): Promise<boolean> =>
    (await fetch(`${server.httpUrl}/v2/models/${name}/ready`)).ok;
  const names = ["engine", "graph", "negative", "other"];
  expect(await Promise.all(names.map(ready))).toEqual([true, true, false, false]);
  expect(server.problems().join("\n")).toContain("'max_batch_size' must be non-negative value for negative");
  expect(server.problems().join("\n")).toContain("unable to find backend library for backend 'pytorch'");
  await server.stop();
}, 300_000);
