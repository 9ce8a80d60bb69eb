import { readFileSync } from "node:fs";
import { join } from "node:path";
import { startRuntime } from "@tritype/runtime";
import { serveGrpc, serveHttp } from "@tritype/server";
import { expect, onTestFinished, test } from "vitest";
import { writeFiles } from "../../packages/runtime/src/fixtures/temporary-repository.ts";
import { identityModel, onnxFiles } from "../../packages/runtime/src/fixtures/onnx-models.ts";
import { pipeline } from "../cli/run-pipeline.ts";
import { project } from "../cli/small-project.ts";
import { installTime, temporaryFolder } from "./judge.ts";
import { installPerfAnalyzer } from "./perf-analyzer.ts";

test(
  "pipeline bench sends load to a real Triton over both protocols, and reads its statistics",
  async () => {
    const ended = await pipeline(project(), [
      "bench",
      "--triton",
      "--clients",
      "2",
      "--seconds",
      "0.5",
      "--warm",
      "0.2",
      "--json",
    ]);
    expect(ended).toMatchObject({ code: 0 });
    const { cases, server } = JSON.parse(ended.out) as {
      readonly server: { readonly kind: string; readonly name: string };
      readonly cases: readonly {
        readonly protocol: string;
        readonly models: readonly { readonly model: string }[];
        readonly time: {
          readonly requestUs: number;
          readonly steps: readonly { readonly model: string; readonly computeInferUs: number }[];
          readonly betweenUs: number;
          readonly outsideUs: number;
        };
      }[];
    };
    expect(server).toMatchObject({ kind: "triton", name: "triton" });
    expect(cases.map(({ protocol }) => protocol)).toEqual(["http", "grpc"]);
    for (const { models } of cases) expect(models.map(({ model }) => model)).toContain("double");
    for (const { time } of cases) {
      expect(time.steps.map(({ model }) => model)).toContain("double");
      for (const { computeInferUs } of time.steps) expect(computeInferUs).toBeGreaterThan(0);
      expect(time.outsideUs).toBeGreaterThan(0);
      expect(time.betweenUs + time.outsideUs).toBeLessThan(time.requestUs);
    }
  },
  installTime,
);

test(
  "the official perf_analyzer accepts the requests that pipeline bench writes",
  async () => {
    const { run } = await installPerfAnalyzer();
    const folder = await temporaryFolder();
    onTestFinished(folder.remove);
    const repository = join(folder.path, "model_repository");
    const ports = (dtype: "BYTES" | "INT64") => ({
      maxBatchSize: 8,
      inputs: [{ name: "X", dtype, dims: [1] }],
      outputs: [{ name: "Y", dtype, dims: [1] }],
    });
    writeFiles(repository, {
      ...onnxFiles("words", identityModel("BYTES", "batch", 1), ports("BYTES")),
      ...onnxFiles("numbers", identityModel("INT64", "batch", 1), ports("INT64")),
    });
    const runtime = await startRuntime({ repository, device: "cpu", python: "twin", notice: () => {} });
    onTestFinished(() => runtime.close());
    const http = await serveHttp(runtime, { port: 0 });
    onTestFinished(() => http.close());
    const grpc = await serveGrpc(runtime, { port: 0 });
    onTestFinished(() => grpc.close());
    const requests = {
      words: '{"X": [["ü \\"quoted\\" 👩‍🚀"], ["two"]]}\n{"X": [[""]]}\n',
      numbers: '{"X": [[9007199254740993]]}\n{"X": [[1], [2], [3]]}\n',
    };
    for (const [model, lines] of Object.entries(requests)) {
      writeFiles(folder.path, { "r.jsonl": lines });
      const ended = await pipeline({ root: folder.path }, [
        ...`bench ${model} --url ${http.url} --clients 1 --seconds 0.2 --warm 0 --json`.split(" "),
        ...`--requests r.jsonl --perf-analyzer-input input.json`.split(" "),
      ]);
      expect(ended).toMatchObject({ code: 0 });
      for (const server of [
        ["-i", "http", "-u", `127.0.0.1:${http.port}`],
        ["-i", "grpc", "-u", grpc.address],
      ]) {
        const input = ["--input-data", join(folder.path, "input.json")];
        const short = ["--request-count", "50", "--stability-percentage", "999"];
        const printed = await run("-m", model, "-b", "2", ...server, ...input, ...short);
        expect(printed).toMatch(/Throughput: [\d.]+ infer\/sec/);
      }
    }
    const written = JSON.parse(readFileSync(join(folder.path, "input.json"), "utf8")) as {
      readonly data: readonly { readonly X: { readonly content: { readonly b64: string } } }[];
    };
    expect(Buffer.from(written.data[0]?.X.content.b64 ?? "", "base64").readBigInt64LE()).toBe(
      9007199254740993n,
    );
  },
  installTime,
);
