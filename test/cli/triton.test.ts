import { readdirSync, readFileSync, rmSync } from "node:fs";
import { expect, test } from "vitest";
import { freePort } from "./free-port.ts";
import { pipeline, type Running, startPipeline } from "./run-pipeline.ts";
import { project } from "./small-project.ts";

const limit = 300_000;

const portOptions = (http: number, grpc: number, metrics: number): readonly string[] =>
  ["--http-port", http, "--grpc-port", grpc, "--metrics-port", metrics].map(String);

const serve = async (
  files = project(),
  ...repository: readonly string[]
): Promise<Running & { readonly http: number }> => {
  const http = await freePort();
  const ports = portOptions(http, await freePort(), await freePort());
  const server = startPipeline(files, ["triton", "serve", ...repository, ...ports]);
  await server.says(/stop with Ctrl-C/);
  return { ...server, http };
};

test(
  "triton install reports what is installed",
  async () => {
    const { code, out } = await pipeline(project(), ["triton", "install"]);
    expect(code).toBe(0);
    expect(out).toMatch(/^Triton 2\.51\.0 \(24\.10\) is installed: \S+tritonserver\n$/);
  },
  limit,
);

test(
  "triton serve builds and serves with a real Triton until Ctrl-C; a second one reports the port that is in use",
  async () => {
    const server = await serve();
    expect(server.err()).toContain(`HTTP http://127.0.0.1:${server.http}, gRPC 127.0.0.1:`);
    const response = await fetch(`http://127.0.0.1:${server.http}/v2/models/total/infer`, {
      method: "POST",
      body: JSON.stringify({ inputs: [{ name: "x", datatype: "FP32", shape: [1, 4], data: [1, 2, 3, 4] }] }),
    });
    expect(await response.json()).toMatchObject({ outputs: [{ name: "sum", data: [20] }] });

    const ports = portOptions(server.http, await freePort(), await freePort());
    const { code, err } = await pipeline(project(), ["triton", "serve", ...ports]);
    expect(code).toBe(2);
    expect(err).toContain("error[triton/port-in-use]: ");
    expect(err).toContain(String(server.http));

    server.child.kill("SIGINT");
    expect(await server.ended).toMatchObject({ code: 0, out: "" });
  },
  limit,
);

/** A function that prints two lines for each row. */
const printing = `import { bytes, defineEnsemble, step } from "tritype";

const clean = step({
  name: "clean",
  engine: "node",
  inputs: { text: bytes("batch", 1) },
  outputs: { out: bytes("batch", 1) },
  run({ text }) {
    console.log('got "%s"', text);
    process.stderr.write("a warning\\n");
    return { out: text.trim() };
  },
});

export const cleaned = defineEnsemble({
  name: "cleaned",
  maxBatchSize: 8,
  inputs: { text: bytes("batch", 1) },
  run: ({ text }) => clean({ text }),
});
`;

test(
  "triton serve shows what functions on Node print, and exits with 2 when Triton exits unexpectedly",
  async () => {
    const server = await serve(project({ "pipeline.ts": printing }));
    await fetch(`http://127.0.0.1:${server.http}/v2/models/cleaned/infer`, {
      method: "POST",
      body: JSON.stringify({ inputs: [{ name: "text", datatype: "BYTES", shape: [1, 1], data: [" a"] }] }),
    });
    // Two streams: either line may be first.
    await server.says(/^note \[clean_0_0\] got " a"$/m);
    await server.says(/^note \[clean_0_0\] a warning$/m);

    const triton = tritonsOf(server.child.pid ?? 0);
    expect(triton).toHaveLength(1);
    process.kill(triton[0] ?? 0, "SIGKILL");
    const { code, err } = await server.ended;
    expect(code).toBe(2);
    expect(err).toMatch(
      /error\[triton\/ended\]: Triton exited by itself \(.*SIGKILL.*\); its last lines:\n {2}\S/,
    );
  },
  limit,
);

/** A model that completes its configuration in its code, as a hand-written model may do. */
const completing = `import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    @staticmethod
    def auto_complete_config(config):
        config.add_input({"name": "x", "data_type": "TYPE_FP32", "dims": [2]})
        config.add_output({"name": "y", "data_type": "TYPE_FP32", "dims": [2]})
        config.set_max_batch_size(0)
        return config

    def execute(self, requests):
        values = [pb_utils.get_input_tensor_by_name(request, "x").as_numpy() for request in requests]
        return [pb_utils.InferenceResponse([pb_utils.Tensor("y", value + np.float32(1))]) for value in values]
`;

test(
  "triton serve lets Triton complete the configurations of a repository that was written by hand",
  async () => {
    const files = project({
      "models/plus/1/model.py": completing,
      "models/plus/config.pbtxt": 'backend: "python"\n',
    });
    rmSync(files.path("models/double.onnx"));
    const server = await serve(files, "models");
    expect(server.err()).not.toContain("problem");
    const response = await fetch(`http://127.0.0.1:${server.http}/v2/models/plus/infer`, {
      method: "POST",
      body: JSON.stringify({ inputs: [{ name: "x", datatype: "FP32", shape: [2], data: [1, 2] }] }),
    });
    expect(await response.json()).toMatchObject({ outputs: [{ name: "y", data: [2, 3] }] });
    server.child.kill("SIGINT");
    await server.ended;
  },
  limit,
);

/** The Triton processes that a process has started. */
const tritonsOf = (pid: number): readonly number[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((child) => parentOf(child) === pid && read(child, "cmdline").includes("tritonserver"));

const parentOf = (pid: number): number => Number(/\nPPid:\t(\d+)/.exec(read(pid, "status"))?.[1]);

const read = (pid: number, file: string): string => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
};
