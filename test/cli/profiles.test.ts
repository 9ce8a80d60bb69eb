import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { ProjectFixture } from "../fixtures/project.ts";
import { pipelineSource, project } from "./small-project.ts";
import { pipeline } from "./run-pipeline.ts";
import { serveHere, x } from "./served-dev.ts";

const config = `import { defineConfig } from "tritype";
export default defineConfig({
  profiles: { gpu: {}, cpu: { instanceGroup: [{ kind: "cpu", count: 2 }] } },
});
`;

const instances = async (url: string, model: string): Promise<unknown> => {
  const answer = await fetch(`${url}/v2/models/${model}/config`);
  return ((await answer.json()) as { readonly instance_group: unknown }).instance_group;
};
const onCpu = [expect.objectContaining({ kind: "KIND_CPU", count: 2 })];

test("dev --profile serves that profile of every model, even after a change", async () => {
  const small = project({ "pipeline.config.ts": config });
  const server = await serveHere(small, ["--profile", "cpu"]);
  for (const model of ["double", "total_sum"]) expect(await instances(server.url, model)).toEqual(onCpu);
  expect(await server.infer("total", x([1, 4]))).toMatchObject({ status: 200 });
  small.write("pipeline.ts", pipelineSource.replace("y.sum(", "y.mul(2).sum("));
  await server.prints(/^reloaded total in .*\n/m);
  expect(await instances(server.url, "total_sum")).toEqual(onCpu);
});

test("dev --model-config-name serves that configuration of each model that has one, and reports the other models", async () => {
  const small = project({ "pipeline.config.ts": config });
  await pipeline(small, ["build"]);
  const text = readFileSync(small.path("build/model_repository/double/configs/cpu.pbtxt"), "utf8");
  small.write("other/double/config.pbtxt", text);
  small.write("other/double/1/model.onnx", readFileSync(small.path("models/double.onnx")));
  small.write("other/again/config.pbtxt", text.replace('name: "double"', 'name: "again"'));
  small.write("other/again/1/model.onnx", readFileSync(small.path("models/double.onnx")));
  small.write(
    "other/again/configs/one.pbtxt",
    text.replace('name: "double"', 'name: "again"').replace("count: 2", "count: 1"),
  );
  const server = await serveHere(small, ["other", "--no-watch", "--model-config-name", "one"]);
  expect(server.err()).toContain("note no configuration 'one' in double: config.pbtxt is served");
  expect(await instances(server.url, "again")).toEqual([expect.objectContaining({ count: 1 })]);
  expect(await instances(server.url, "double")).toEqual(onCpu);
});

test.each([
  [["dev", "--http-port", "0", "--profile", "cpo"], "did you mean `cpu`?"],
  [["dev", "--http-port", "0", "--profile", "staging"], "the models have cpu, gpu"],
  [["run", "--profile", "cpo", "-i", "x=[[1]]"], "did you mean `cpu`?"],
  [["run", "total", "--url", "http://127.0.0.1:9", "--profile", "cpu"], "leave out --profile"],
  [["verify", "--profile", "cpo"], "did you mean `cpu`?"],
  [["verify", "--triton-url", "http://127.0.0.1:9", "--profile", "cpu"], "leave out --profile"],
  [["bench", "--profile", "cpo"], "did you mean `cpu`?"],
  [["bench", "total", "--url", "http://127.0.0.1:9", "--profile", "cpu"], "leave out --profile"],
  [["dev", "--http-port", "0", "--profile", "cpo", "--model-control-mode", "explicit"], "no model of "],
  [["triton", "serve", "--profile", "cpo"], "did you mean `cpu`?"],
])("%s is refused", async (args, says) => {
  const small = project({ "pipeline.config.ts": config });
  const { code, err } = await pipeline(small, args);
  expect([code === 0, err]).toEqual([false, expect.stringContaining(says)]);
});

test("a field that Triton would refuse in one profile fails the build, with an error at the property", async () => {
  const small = project({
    "pipeline.config.ts": config.replace("count: 2", "count: 2, hostPolicy: 'numa'"),
    "pipeline.ts": pipelineSource.replace(
      "  file:",
      '  profiles: { gpu: { parameters: { intra_op_thread_count: "many" } } },\n  file:',
    ),
  });
  const { code, err } = await pipeline(small, ["build"]);
  expect(code).toBe(1);
  expect(err).toContain("error[backend/onnx-parameter]");
  expect(err).toMatch(/┌─ pipeline\.ts:\d+:36\n/);
  expect(err).toContain("= note: only with the profile `gpu`");
  expect(err).toContain("Triton would refuse the build; nothing was written");
});

test("bench --profile loads that profile", async () => {
  const slow = project({
    "pipeline.config.ts": config.replace("gpu: {}", "slow: {}"),
    "pipeline.ts": pipelineSource.replace(
      'name: "double",',
      'name: "double",\n  profiles: { slow: { dynamicBatching: { preferredBatchSize: [8], maxQueueDelay: "300ms" } } },',
    ),
  });
  const load = "bench --profile slow --clients 1 --protocol http --seconds 1 --warm 0 --json".split(" ");
  const { code, out } = await pipeline(slow, load);
  expect(code).toBe(0);
  const { options, cases } = JSON.parse(out) as {
    readonly options: object;
    readonly cases: readonly { readonly latency: { readonly p50: number } }[];
  };
  expect(options).toMatchObject({ profile: "slow" });
  expect(cases[0]?.latency.p50).toBeGreaterThan(250);
});

/** A profile in which every request is rejected, because it would wait for its batch longer than allowed. */
const hasty = (): ProjectFixture =>
  project({
    "pipeline.config.ts": config.replace("gpu: {}", "hasty: {}"),
    "pipeline.ts": pipelineSource.replace(
      'name: "double",',
      `name: "double",
  profiles: {
    hasty: {
      dynamicBatching: {
        preferredBatchSize: [8],
        maxQueueDelay: "200ms",
        defaultQueuePolicy: { timeoutAction: "reject", defaultTimeout: "1us" },
      },
    },
  },`,
    ),
  });

test("run --profile uses that profile", async () => {
  const small = hasty();
  const asked = ["run", "total", "--input", "x=[[1, 2, 3, 4]]"];
  expect(await pipeline(small, asked)).toMatchObject({ code: 0 });
  const { code, err } = await pipeline(small, [...asked, "--profile", "hasty"]);
  expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining("Request timeout expired") });
});

test("verify --profile compares that profile, including on a real Triton", async () => {
  const small = project({
    "pipeline.config.ts": config.replace("gpu: {}", 'gpu: { instanceGroup: [{ kind: "gpu" }] }'),
  });
  const verify = ["verify", "--no-python", "--profile"];
  const cpu = await pipeline(small, [...verify, "cpu"]);
  expect(cpu).toMatchObject({ code: 0, out: expect.stringContaining("triton grpc") });
  const gpu = await pipeline(small, [...verify, "gpu"]);
  expect(gpu.code).not.toBe(0);
  expect(gpu.err).toContain("GPU");
}, 120_000);
