import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { buildModel } from "@tritype/onnx";
import { expect, test } from "vitest";
import { pipeline, startPipeline } from "../cli/run-pipeline.ts";
import { addProject } from "./add-project.ts";
import { startHub } from "./hub-server.ts";

/** 2 MB: a table that is added to its input. */
const model = buildModel(
  {
    name: "table",
    inputs: [{ name: "x", type: { dtype: "FP32", dims: ["batch", 500_000] } }],
    outputs: [{ name: "y", type: { dtype: "FP32", dims: ["batch", 500_000] } }],
  },
  (builder) => ({
    y:
      builder.node("Add", [
        "x",
        builder.constant({
          dtype: "FP32",
          shape: [500_000],
          data: new Uint8Array(Float32Array.from({ length: 500_000 }, (_, i) => i).buffer),
        }),
      ])[0] ?? "",
  }),
);

test("a killed download is resumed where it stopped", async () => {
  const server = await startHub({ "a/table": { files: { "model.onnx": model } } });
  const project = addProject(server);
  server.fault = ({ host }) => (host === "cdn" ? { kind: "stall", after: 1_500_000 } : undefined);
  const running = startPipeline(project, ["add", "hf:a/table"], { env: project.env });
  await running.says(/downloading model\.onnx \(2 MB\)/);
  const blobs = join(project.cache, "models--a--table", "blobs");
  await expect
    .poll(() => readdirSync(blobs).map((name) => readFileSync(join(blobs, name)).length), { timeout: 10_000 })
    .toEqual([1_500_000]);
  running.child.kill("SIGKILL");
  await running.ended;
  server.fault = () => undefined;
  server.seen.length = 0;
  const { code, err } = await pipeline(project, ["add", "hf:a/table"], { env: project.env });
  expect(code, err).toBe(0);
  expect(err).toContain("downloading model.onnx (2 MB, 1.5 MB already here)\n");
  expect(server.seen.flatMap(({ range }) => range ?? [])).toEqual(["bytes=1500000-", "bytes=1500000-"]);
  expect(readFileSync(project.path("assets/table/model.onnx")).equals(model)).toBe(true);
});
