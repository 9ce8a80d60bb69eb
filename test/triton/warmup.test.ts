import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { compileProject, findProject, writeBuild } from "@tritype/project";
import { decodeUtf8 } from "@tritype/core";
import { type Runtime, startRuntime } from "@tritype/runtime";
import { serveHttp } from "@tritype/server";
import { parseModelConfig } from "@tritype/triton";
import { serveTriton, type TritonServer, type WheelInstallation } from "@tritype/tritonserver";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  configText,
  fp32,
  identityModel,
  onnxFiles,
} from "../../packages/runtime/src/fixtures/onnx-models.ts";
import { type Files, writeFiles } from "../../packages/runtime/src/fixtures/temporary-repository.ts";
import { stringBytes } from "../../packages/check/src/warmup-rules/string-bytes.fixture.ts";
import type { Version } from "./counts.ts";
import { endCrashed } from "./end-crashed.ts";
import { installJudge, installTime, killTriton, type TemporaryFolder, temporaryFolder } from "./judge.ts";
import { sendRaw } from "./raw-request.ts";

const example = fileURLToPath(new URL("../../examples/sentence-embedding", import.meta.url));

const python = `
import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        return [self.answer(request) for request in requests]

    def answer(self, request):
        x = pb_utils.get_input_tensor_by_name(request, "X").as_numpy()
        if not x.any():
            return pb_utils.InferenceResponse(error=pb_utils.TritonError("zeros are not welcome"))
        return pb_utils.InferenceResponse([pb_utils.Tensor("Y", x)])
`;
const row = { inputs: [fp32("X", 2)], outputs: [fp32("Y", 2)] };

const pythonFiles = (name: string, warmup: string, instances = 1): Files => ({
  [`${name}/config.pbtxt`]: `backend: "python"\n${configText(name, { ...row, maxBatchSize: 4, extra: `instance_group { kind: KIND_CPU count: ${instances} } model_warmup [ ${warmup} ]` })}`,
  [`${name}/1/model.py`]: python,
});

const sample = (name: string, input: string, more = "batch_size: 1"): string =>
  `{ name: "${name}" ${more} inputs { key: "X" value { ${input} } } }`;
const floats = "data_type: TYPE_FP32 dims: [ 2 ]";
const ones = new Uint8Array(new Float32Array([1, 2]).buffer);

const oneInstance = "instance_group { kind: KIND_CPU count: 1 }";

/** Models that both servers load. */
const right: Files = {
  ...onnxFiles("batched", identityModel("FP32", "batch", 2), {
    ...row,
    maxBatchSize: 8,
    extra: `${oneInstance} model_warmup [ ${sample("zeros", `${floats} zero_data: true`, "batch_size: 8")}, ${sample("noise", `${floats} random_data: true`, "batch_size: 1 count: 3")}, ${sample("never", floats, "")} ]`,
  }),
  ...onnxFiles("plain", identityModel("FP32", "n"), {
    inputs: [fp32("X", -1)],
    outputs: [fp32("Y", -1)],
    extra: `${oneInstance} model_warmup [ ${sample("file", `data_type: TYPE_FP32 dims: [ 2 ] input_data_file: "ones"`)} ]`,
  }),
  "plain/warmup/ones": ones,
  ...onnxFiles("default_instances", identityModel("FP32", "batch", 2), {
    ...row,
    maxBatchSize: 8,
    extra: `model_warmup [ ${sample("zeros", `${floats} zero_data: true`, "batch_size: 2 count: 3")} ]`,
  }),
  ...onnxFiles("texts", identityModel("BYTES", "batch", "n"), {
    maxBatchSize: 4,
    inputs: [{ name: "X", dtype: "BYTES", dims: [-1] }],
    outputs: [{ name: "Y", dtype: "BYTES", dims: [-1] }],
    extra: `${oneInstance} model_warmup [ ${sample("words", `data_type: TYPE_STRING dims: [ 3 ] input_data_file: "deep/words"`, "batch_size: 4")} ]`,
  }),
  "texts/warmup/deep/words": stringBytes("naïve", "", "日本"),
  ...pythonFiles("python", sample("file", `${floats} input_data_file: "ones"`, "batch_size: 4"), 2),
  "python/warmup/ones": ones,
};

/**
 * Models that both servers refuse for the same reason. A batch above the maximum is not included, because it can crash
 * Triton.
 */
const wrong: Readonly<Record<string, Files>> = Object.fromEntries(
  Object.entries({
    zeros: sample("w", `${floats} zero_data: true`, "batch_size: 3"),
    dtype: sample("w", "data_type: TYPE_INT32 dims: [ 2 ] zero_data: true"),
    no_dtype: sample("w", "dims: [ 2 ] zero_data: true"),
    batch_axis: sample("w", "data_type: TYPE_FP32 dims: [ 1, 2 ] zero_data: true"),
    open: sample("w", "data_type: TYPE_FP32 dims: [ -1 ] zero_data: true"),
    no_data: sample("w", floats),
    no_file: sample("w", `${floats} input_data_file: "none"`),
    short: sample("w", `data_type: TYPE_FP32 dims: [ 2 ] input_data_file: "half"`),
    misspelt: `{ name: "w" batch_size: 1 inputs { key: "x" value { ${floats} random_data: true } } }`,
    no_inputs: `{ name: "w" batch_size: 1 }`,
  }).map(([name, warmup]) => [
    name,
    { ...pythonFiles(name, warmup), [`${name}/warmup/half`]: new Uint8Array(4) },
  ]),
);

let installation: WheelInstallation;
beforeAll(async () => {
  installation = await installJudge();
}, installTime);

/** Both servers and everything that they report. */
interface Served {
  readonly folder: TemporaryFolder;
  readonly triton: TritonServer;
  readonly local: Runtime;
  readonly stop: () => Promise<void>;
}
/**
 * Starts a server and loads one model after the other. Release 24.10 may crash if the backend answers several rows of a
 * warmup with errors, as for `zeros`, so that model comes first. Triton's index shows which models it refuses.
 */
const serveSurely = async (repository: string, attempts = 12): Promise<TritonServer> => {
  const extraArguments = ["--log-verbose=1", "--model-load-thread-count=1", "--model-control-mode=explicit"];
  const onLine = endCrashed(repository);
  const triton = await serveTriton(installation, { repository, extraArguments, onLine });
  const models = await readdir(repository);
  try {
    for (const model of models.toSorted((a, b) => Number(b === "zeros") - Number(a === "zeros"))) {
      const answer = await fetch(`${triton.httpUrl}/v2/repository/models/${model}/load`, { method: "POST" });
      await answer.text();
    }
    return triton;
  } catch (error) {
    await killTriton(triton);
    if (attempts > 1) return serveSurely(repository, attempts - 1);
    throw error;
  }
};

const serve = async (write: (repository: string) => Promise<void> | void): Promise<Served> => {
  const folder = await temporaryFolder();
  await write(folder.path);
  const repository = join(folder.path, "model_repository");
  const triton = await serveSurely(repository);
  const local = await startRuntime({
    repository,
    device: "cpu",
    python: "twin",
    pythonCommand: installation.python,
    notice: () => {},
  });
  const stop = async (): Promise<void> => {
    await Promise.all([killTriton(triton), local.close(true)]);
    await folder.remove();
  };
  return { folder, triton, local, stop };
};

/** `model: sample` for every run in the log, without duplicates. */
const runsIn = (log: string): ReadonlySet<string> =>
  new Set(
    [...log.matchAll(/model '([^']+)' instance \S+ is running warmup sample '([^']*)'/g)].map(
      ([, model, name]) => `${model}: ${name}`,
    ),
  );

/** `model: sample` for every sample in the configurations. */
const samplesOf = async (repository: string): Promise<readonly string[]> => {
  const models = await readdir(repository);
  const texts = await Promise.all(
    models.map(async (model) => {
      const parsed = parseModelConfig(await readFile(join(repository, model, "config.pbtxt"), "utf8"));
      if ("problem" in parsed) throw new Error(parsed.problem.message);
      return (parsed.config.model_warmup ?? []).map(({ name }) => `${model}: ${name}`);
    }),
  );
  return texts.flat();
};

/**
 * The reasons by model, without the leading status. Messages that Triton repeats for each request or instance appear once.
 */
const reasons = async ({ triton }: Served): Promise<Readonly<Record<string, string>>> => {
  const answer = await fetch(`${triton.httpUrl}/v2/repository/index`, { method: "POST" });
  const index = (await answer.json()) as readonly { name: string; reason?: string; state: string }[];
  return Object.fromEntries(
    index.map(({ name, reason = "", state }) => [name, state === "READY" ? "READY" : plain(reason)]),
  );
};
const plain = (reason: string): string => {
  const text = reason.replace(/^[A-Z][a-z ]+: /, "").replaceAll(/_0_\d'/g, "_0'");
  const [, head, list = ""] = /^(failed to run warmup sample '[^']*': )(.*)$/s.exec(text) ?? [];
  if (head === undefined) return text;
  const errors = new Set(list.split(";").map((one) => one.trim()));
  errors.delete("");
  return `${head}${[...errors].map((error) => `${error};`).join(" ")}`;
};

describe("any repository", () => {
  let served: Served;
  beforeAll(async () => {
    served = await serve((folder) => {
      const all = Object.assign({}, right, ...Object.values(wrong)) as Files;
      writeFiles(join(folder, "model_repository"), all);
    });
  }, installTime);
  afterAll(() => served?.stop());

  test("models that Triton warms up are ready in both", async () => {
    const names = new Set(Object.keys(right).map((path) => path.split("/", 1)[0]));
    for (const name of names) {
      const answer = await fetch(`${served.triton.httpUrl}/v2/models/${name}/ready`);
      expect([name, answer.status, served.local.modelReady(name ?? "")]).toEqual([name, 200, true]);
    }
  });

  test("warmup requests count in the statistics", async () => {
    const http = await serveHttp(served.local, { port: 0 });
    const counts = async (url: string) => {
      const { body } = await sendRaw(url, { path: "/v2/models/stats" });
      const { model_stats } = JSON.parse(body.toString()) as { readonly model_stats: readonly Version[] };
      return model_stats.map(({ name, inference_count, execution_count, inference_stats, batch_stats }) => [
        name,
        inference_count,
        execution_count,
        Object.entries(inference_stats).map(([what, { count }]) => `${what}: ${count}`),
        batch_stats.map(({ batch_size, compute_infer }) => [batch_size, compute_infer?.count]),
      ]);
    };
    try {
      expect(await counts(http.url)).toEqual(await counts(served.triton.httpUrl));
    } finally {
      await http.close();
    }
  });

  test("the log mentions each sample, except the one without a batch size", () => {
    const runs = [...runsIn(served.triton.log())].filter((run) => /^(batched|plain|texts|python):/.test(run));
    expect(runs.toSorted()).toEqual([
      "batched: noise",
      "batched: zeros",
      "plain: file",
      "python: file",
      "texts: words",
    ]);
  });

  test.each(Object.keys(wrong))("%s: both give the same reason", async (name) => {
    const all = await reasons(served);
    const own = served.local.models().find((model) => model.name === name);
    expect(all[name]).not.toBe("READY");
    expect(own).toMatchObject({ state: "UNAVAILABLE", reason: all[name] });
  });
});

describe("the example's build", () => {
  let served: Served;
  beforeAll(async () => {
    served = await serve(async (folder) => {
      const { compilation } = await compileProject(findProject(example));
      expect(compilation.diagnostics).toEqual([]);
      writeBuild(folder, compilation.build?.tree ?? new Map());
    });
  }, installTime);
  afterAll(() => served?.stop());

  test("every model is ready, and the log mentions each sample", async () => {
    await served.triton.waitReady();
    const samples = await samplesOf(join(served.folder.path, "model_repository"));
    const expected = {
      embed_embedding: ["long", "short", "typical"],
      encoder: ["long", "passage", "query", "short", "typical"],
      tokenize: ["long", "short", "typical"],
      tokenize_passage: ["passage"],
      tokenize_query: ["query"],
      vector_embedding: ["passage", "query"],
    };
    expect(samples.toSorted()).toEqual(
      Object.entries(expected).flatMap(([model, names]) => names.map((name) => `${model}: ${name}`)),
    );
    expect([...runsIn(served.triton.log())].toSorted()).toEqual(samples.toSorted());
    expect(new Set(served.local.models().map(({ state }) => state))).toEqual(new Set(["READY"]));
  });

  test("warmup files contain one row, with strings preceded by their length", async () => {
    const file = (path: string) => readFile(join(served.folder.path, "model_repository", path));
    expect((await file("encoder/warmup/short_input_ids")).length).toBe(16 * 8);
    expect((await file("embed_embedding/warmup/short_last_hidden_state")).length).toBe(16 * 128 * 4);
    const text = await file("tokenize/warmup/short_text");
    expect([text.readUInt32LE(0), decodeUtf8(text.subarray(4))]).toEqual([12, "a short text"]);
  });
});
