import { readFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import type { Manifest } from "@tritype/manifest";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { pythonWithNumpy } from "../environment/python.ts";
import { listen } from "../fixtures/listen.ts";
import { minusBatchMean, minusFirstRow } from "./row-models.ts";
import { freePort } from "./free-port.ts";
import { pipeline } from "./run-pipeline.ts";
import { serveHere } from "./served-dev.ts";
import { mixedSource, pipelineSource, project, tokenizerSource } from "./small-project.ts";

let env: Readonly<Record<string, string>>;
beforeAll(async () => {
  env = { TRITYPE_PYTHON: await pythonWithNumpy() };
});

interface JsonFinding {
  readonly model: string;
  readonly check: string;
  readonly request: number;
  readonly tensor: { readonly name: string; readonly ok: boolean; readonly problem?: string };
}

test("the native and the Python runtime agree, and rows stay independent", async () => {
  const mixed = project({ "pipeline.ts": mixedSource });
  const { code, out, err } = await pipeline(mixed, ["verify", "--no-triton"], { env });
  expect({ code, err }).toMatchObject({ code: 0 });
  const lines = out.trimEnd().split("\n");
  for (const check of ["local python", "row by row", "permuted"])
    for (const ensemble of ["ids", "mix", "total"])
      expect.soft(lines).toContainEqual(expect.stringMatching(new RegExp(`^${ensemble} .* ${check} .* ok$`)));
  for (const step of ["tokenize", "double", "mix_y", "total_sum"])
    expect.soft(lines).toContainEqual(expect.stringMatching(new RegExp(`^${step} .* row by row .* ok$`)));
  expect(lines.at(-1)).toMatch(/^all \d+ comparisons agree \(tolerance 0\.00001\)$/);
});

test.each([
  ["the batch's mean", minusBatchMean, { "row by row": false, permuted: true }],
  ["the first row", minusFirstRow, { "row by row": false, permuted: false }],
] as const)("a model that subtracts %s mixes rows, and the step is named", async (_, model, wanted) => {
  const mixer = project({
    "pipeline.ts": pipelineSource.replaceAll("double", "mixer"),
    "models/mixer.onnx": model(),
  });
  const args = ["verify", "--no-triton", "--no-python"];
  const shown = await pipeline(mixer, args, { env });
  expect(shown.code).toBe(1);
  expect(shown.out).toMatch(/^mixer +y +row by row .* DIFFERS {2}request 3$/m);
  expect(shown.out).toMatch(/^total_sum +\S+ +row by row .* ok$/m);
  const json = await pipeline(mixer, [...args, "--json"], { env });
  expect(json.code).toBe(1);
  const findings = JSON.parse(json.out) as readonly JsonFinding[];
  const of = findings.filter((finding) => finding.model === "mixer" && finding.tensor.name === "y");
  expect(Object.fromEntries(of.map(({ check, tensor }) => [check, tensor.ok]))).toEqual(wanted);
});

/** `ranked` ranks the rows of a request, in a model with a function for each row; `outer` contains it. */
const rankingSource = `${pipelineSource}
import { batchStep, step } from "tritype";

const x = fp32("batch", 1);
const negate = step({ name: "negate", inputs: { x }, outputs: { y: x }, run: ({ x }) => ({ y: -x }) });
const rank = batchStep({
  name: "rank",
  inputs: { x },
  outputs: { y: x },
  run: ({ x: { data, shape } }) => ({
    y: { data: Float32Array.from(data, (one) => data.filter((other) => other > one).length), shape },
  }),
});

export const ranked = defineEnsemble({
  name: "ranked",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", 4) },
  run: ({ x }) => ({ place: rank({ x: negate({ x: double({ x }).y.sum(-1, { keepDims: true }) }).y }).y }),
});

export const outer = defineEnsemble({
  name: "outer",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", 4) },
  run: ({ x }) => ({ place: ranked({ x: double({ x }).y }).place }),
});
`;

test.each([
  ["in a model of its own", rankingSource.replace('name: "negate",', 'name: "negate", fuse: false,')],
  ["in a model with other functions", rankingSource],
])("a batchStep %s may depend on the other rows; the other models' rows are compared", async (_, source) => {
  const ranking = project({ "pipeline.ts": source });
  const { code, out, err } = await pipeline(ranking, ["verify", "--no-triton"], { env });
  expect({ code, out, err }).toMatchObject({ code: 0 });
  const note = "note not compared row by row, because a batchStep computes all rows of a request together:";
  expect(err).toContain(`${note} \`ranked\`, \`rank\`\n`);
  expect(err).toContain(`${note} \`outer\`, \`ranked\`, \`rank\`\n`);
  expect(out).not.toMatch(/^(rank|ranked|outer) .* (row by row|permuted) /m);
  expect(out).toMatch(/^ranked +place +local python .* ok$/m);
  for (const model of ["double", "total"])
    expect(out).toMatch(new RegExp(`^${model} .* row by row .* ok$`, "m"));
});

test("members of nested ensembles are compared row by row, each once", async () => {
  const nested = project({
    "pipeline.ts": `${pipelineSource.replaceAll("double", "mixer").replace("export const total", "const total")}
export const outer = defineEnsemble({
  name: "outer",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", 4) },
  run: ({ x }) => ({ sum: total({ x }).sum }),
});
`,
    "models/mixer.onnx": minusFirstRow(),
  });
  const args = ["verify", "--no-triton", "--no-python", "--json"];
  const { out } = await pipeline(nested, args, { env });
  const compared = (JSON.parse(out) as readonly JsonFinding[]).map(
    ({ model, check, tensor: { name, ok } }) => `${model}.${name} ${check}: ${ok ? "same" : "differs"}`,
  );
  expect(compared.toSorted()).toEqual([
    "mixer.y permuted: differs",
    "mixer.y row by row: differs",
    "outer.sum permuted: differs",
    "outer.sum row by row: differs",
    "total.sum permuted: differs",
    "total.sum row by row: differs",
    "total_sum.sum permuted: same",
    "total_sum.sum row by row: same",
  ]);
});

test("a model is not mistaken for a batchStep because of the names of its tensors", async () => {
  const named = project({
    "pipeline.ts": `import { defineEnsemble, fp32, step } from "tritype";
const x = fp32("batch", 1);
const negate = step({ name: "negate", inputs: { per: x }, outputs: { y: x }, run: ({ per }) => ({ y: -per }) });
const add = step({ name: "add", inputs: { a: x, request: x }, outputs: { y: x }, run: ({ a, request }) => ({ y: a + request }) });
export const total = defineEnsemble({
  name: "total",
  maxBatchSize: 8,
  inputs: { x },
  run: ({ x }) => ({ y: add({ a: negate({ per: x }).y, request: x }).y }),
});
`,
  });
  const { out, err } = await pipeline(named, ["verify", "--no-triton"], { env });
  const { models } = JSON.parse(readFileSync(named.path("build/manifest.json"), "utf8")) as Manifest;
  expect(JSON.stringify(models)).toContain('"per":"request"');
  expect(err).not.toContain("batchStep");
  expect(out).toMatch(/^total +y +row by row .* ok$/m);
});

const fixture = (file: string): Uint8Array => readFileSync(new URL(`../${file}`, import.meta.url));
const exported = ["config.json", "decoder_model_merged.onnx", "encoder_model.onnx", "generation_config.json"];

/** Languages that only a tokenizer's file lists, and settings that a request may specify for its generated text. */
const translatingSource = `import { bytes, defineEnsemble, fp32, generate, int64, tokenizer } from "tritype";

const tokenize = tokenizer({
  name: "tokenize",
  from: "assets/pieces",
  maxLength: 16,
  languages: { source: true, target: true },
});
const write = generate({
  name: "write",
  from: "models/bart",
  search: { kind: "sample" },
  maxNewTokens: 4,
  perRequest: ["forced_bos_token_id", "max_new_tokens", "repetition_penalty", "temperature", "top_p"],
});

const inner = defineEnsemble({
  name: "inner",
  maxBatchSize: 8,
  inputs: { text: bytes("batch", 1), source: bytes("batch", 1), target: bytes("batch", 1) },
  run: ({ text, source, target }) => {
    const { input_ids, forced_bos_token_id } = tokenize({ text, source_language: source, target_language: target });
    return { input_ids, forced_bos_token_id };
  },
});

export const speak = defineEnsemble({
  name: "speak",
  maxBatchSize: 8,
  inputs: { text: bytes("batch", 1), from: bytes("batch", 1), to: bytes("batch", 1) },
  run: ({ text, from, to }) => inner({ text, source: from, target: to }),
});

export const go_on = defineEnsemble({
  name: "go_on",
  maxBatchSize: 8,
  inputs: {
    input_ids: int64("batch", "seq"),
    attention_mask: int64("batch", "seq"),
    first: int64("batch", 1),
    most: int64("batch", 1),
    share: fp32("batch", 1),
    scale: fp32("batch", 1),
  },
  run: ({ input_ids, attention_mask, first, most, share, scale }) => write({
    input_ids,
    attention_mask,
    forced_bos_token_id: first,
    max_new_tokens: most,
    repetition_penalty: scale,
    temperature: scale,
    top_p: share,
  }),
});
`;

test("generated requests contain what the steps accept: languages of a file, ids and limits of a generate step", async () => {
  const speaking = project({
    "pipeline.ts": translatingSource,
    "assets/pieces/tokenizer.json": fixture("tokenizer/assets/m2m100/tokenizer.json"),
    ...Object.fromEntries(
      exported.map((file) => [`models/bart/${file}`, fixture(`fixtures/generate/bart/${file}`)]),
    ),
  });
  const { code, out, err } = await pipeline(speaking, ["verify", "--no-triton", "--no-python"], { env });
  expect({ code, err }).toMatchObject({ code: 0 });
  for (const ensemble of ["speak", "go_on"])
    expect(out).toMatch(new RegExp(`^${ensemble} .* row by row .* ok$`, "m"));
});

/** A Python whose `tokenizers` does not lower-case; sitecustomize runs before the model. */
const otherTokenizers = `import tokenizers

class Tokenizer:
    @staticmethod
    def from_file(path):
        tokenizer = Original.from_file(path)
        tokenizer.normalizer = tokenizers.normalizers.Strip()
        return tokenizer

Original, tokenizers.Tokenizer = tokenizers.Tokenizer, Tokenizer
`;

test("a Python with a different answer is reported, with the request and the difference", async () => {
  const text = project({ "pipeline.ts": tokenizerSource, "patch/sitecustomize.py": otherTokenizers });
  text.write("samples.json", '[{ "text": "hello" }, { "text": ["Hello", "you"] }]');
  const { code, out } = await pipeline(text, ["verify", "--no-triton", "--samples", "samples.json"], {
    env: { ...env, PYTHONPATH: text.path("patch") },
  });
  expect(code).toBe(1);
  expect(out).toMatch(/^ids +input_ids +local python .* DIFFERS {2}request 2/m);
  expect(out).toMatch(/comparisons differ \(tolerance 0\.00001\)$/m);
});

/** Two steps that fail at different times in the two runs, and one that fails with different errors. */
const failingSource = `import { setTimeout } from "node:timers/promises";
import { flow, int32, step } from "tritype";

const x = int32("batch", 1);
const about = { engine: "node", maxBatchSize: 1, inputs: { x }, outputs: { x } } as const;
const isNative = () => process.ppid === Number(process.env["NATIVE_PID"]);
const one = step({
  ...about,
  name: "one",
  async run({ x }) {
    await setTimeout(isNative() ? 0 : 600);
    throw new RangeError(\`one has no \${x}\`);
  },
});
const other = step({
  ...about,
  name: "other",
  async run({ x }) {
    await setTimeout(300);
    throw new RangeError(\`other has no \${x}\`);
  },
});
const odd = step({
  ...about,
  name: "odd",
  run({ x }) {
    throw new RangeError(\`\${isNative() ? "native" : "python"} has no \${x}\`);
  },
});
const flowOf = { maxBatchSize: 4, inputs: { x }, outputs: { x } };
export const both = flow({
  ...flowOf,
  name: "both",
  uses: { one, other },
  async run({ x }, { one, other }) {
    const [a, b] = await Promise.all([one({ x }), other({ x })]);
    return { x: a.x + b.x };
  },
});
export const outer = flow({
  ...flowOf,
  name: "outer",
  uses: { both, other },
  run: ({ x }, { both }) => both({ x }),
});
export const third = flow({
  ...flowOf,
  name: "third",
  uses: { one, other, odd },
  async run({ x }, { one, other, odd }) {
    const [a] = await Promise.all([one({ x }), other({ x }), odd({ x })]);
    return a;
  },
});
`;

test("parallel calls of a flow may fail in a different order, if each of them fails in the same way", async () => {
  const failing = project({ "pipeline.ts": failingSource });
  failing.write("samples.json", '[{ "x": [7] }]');
  const { code, out } = await pipeline(failing, ["verify", "--no-triton", "--samples", "samples.json"], {
    env: { ...env, NATIVE_PID: String(process.pid) },
  });
  expect(out).toMatch(/^both +\(error\) +local python .* ok$/m);
  expect(out).toMatch(/^outer +\(error\) +local python .* ok$/m);
  expect(out).toMatch(
    /^third +\(error\) +local python .* DIFFERS {2}request 1: third: row 0: CallError: odd: /m,
  );
  expect(code).toBe(1);
});

test("a request that Python refuses and the twin answers counts as a difference", async () => {
  const failing = otherTokenizers.replace("return tokenizer\n", "return None\n");
  const text = project({ "pipeline.ts": tokenizerSource, "patch/sitecustomize.py": failing });
  const { code, out, err } = await pipeline(text, ["verify", "--no-triton"], {
    env: { ...env, PYTHONPATH: text.path("patch") },
  });
  expect(code).toBe(1);
  expect(out + err).toMatch(/NoneType/);
});

test("--tolerance is the allowed difference between numbers", async () => {
  const mixer = project({
    "pipeline.ts": pipelineSource.replaceAll("double", "mixer"),
    "models/mixer.onnx": minusFirstRow(),
  });
  const { code, out } = await pipeline(mixer, ["verify", "--no-triton", "--no-python", "--tolerance", "1e6"]);
  expect(code).toBe(0);
  expect(out).toMatch(/comparisons agree \(tolerance 1000000\)$/m);
});

test.each([
  ["missing", undefined, 2, "error[file/not-found]: --samples: the file"],
  ["not JSON", "[{", 1, "samples.json is not JSON"],
  ["not a list", '{ "x": [1, 2, 3, 4] }', 1, 'write a list of requests: [{ "x": … }]'],
  ["empty", "[]", 1, "samples.json contains no requests"],
  ["a list of something else", "[3]", 1, "samples.json, request 1: it is not an object of inputs"],
  ["wrong names", '[{ "x": [1, 2, 3, 4] }, { "y": 1 }]', 1, "request 2: `total` has no input `y`"],
  ["wrong shapes", '[{ "x": [1, 2] }]', 1, "request 1: input `x` of `total`, FP32[-1, 4]: got FP32[2]"],
])("an invalid samples file is refused: %s", async (_, content, exit, message) => {
  const small = project(content === undefined ? {} : { "samples.json": content });
  const args = ["verify", "--no-triton", "--no-python", "--samples", "samples.json"];
  const { code, out, err } = await pipeline(small, args);
  expect({ code, out }).toEqual({ code: exit, out: "" });
  expect(err).toContain(message);
});

test.each([
  ["missing", {}, "samples.json"],
  ["not JSON", { "samples.json": "[" }, "samples.json is not JSON"],
])(
  "a samples file that is %s is refused before the project is built",
  async (_, files: Record<string, string>, message) => {
    const broken = project({ ...files, "pipeline.ts": 'throw new Error("built");\n' });
    const { out, err } = await pipeline(broken, ["verify", "--samples", "samples.json"]);
    expect(out).toBe("");
    expect(err).toContain(message);
    expect(err).not.toContain("built");
  },
);

test("an ensemble that does not exist is reported", async () => {
  const { code, err } = await pipeline(project(), ["verify", "totl", "--no-triton"]);
  expect(code).toBe(2);
  expect(err).toContain("error[usage/invalid]: there is no ensemble `totl`");
  expect(err).toContain("did you mean `total`?");
});

test("--triton-url without a server is reported", async () => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const { code, err } = await pipeline(project(), ["verify", "--no-python", "--triton-url", url]);
  expect(code).toBe(2);
  expect(err).toContain("error[server/unreachable]: ");
  expect(err).toContain(url);
});

test("a Triton that does not answer ends the command after --timeout, over HTTP and over gRPC", async () => {
  const sockets: Socket[] = [];
  const silent = createServer((socket) => void sockets.push(socket));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    silent.close();
  });
  const address = `127.0.0.1:${await listen(silent)}`;
  const made = project();
  const against = async (http: string, grpc: string) => {
    const args = ["--no-python", "--triton-url", http, "--triton-grpc", grpc, "--timeout", "1"];
    const { code, err } = await pipeline(made, ["verify", ...args]);
    expect(code).toBe(2);
    return err;
  };
  expect(await against(`http://${address}`, address)).toContain(
    `error[server/silent]: http://${address}/v2/models/total/infer did not answer within 1000 ms\n`,
  );
  const { url } = await serveHere(made, ["--no-watch"]);
  expect(await against(url, address)).toContain(
    `error[server/silent]: ${address}/inference.GRPCInferenceService/ModelInfer did not answer within 1000 ms\n`,
  );
}, 60_000);

test("a real Triton over HTTP and gRPC agrees with both local runs", async () => {
  const mixed = project({ "pipeline.ts": mixedSource });
  const { code, out, err } = await pipeline(mixed, ["verify"], { env });
  expect({ code, out, err }).toMatchObject({ code: 0 });
  for (const check of ["local python", "triton http", "triton grpc"])
    for (const ensemble of ["ids", "mix", "total"])
      expect.soft(out).toMatch(new RegExp(`^${ensemble} .* ${check} .* ok$`, "m"));
}, 300_000);

const refusing = `import { defineEnsemble, fp32, python } from "tritype";
const two = python({ name: "two", file: "steps/two.py", inputs: { x: fp32("batch", 1) }, outputs: { y: fp32("batch", 1) } });
export const only = defineEnsemble({ name: "only", maxBatchSize: 8, inputs: two.inputs, run: (x) => two(x) });
`;
const refusingModel = `import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        return [self.answer(pb_utils.get_input_tensor_by_name(one, "x").as_numpy()) for one in requests]

    def answer(self, x):
        if x.max() != 2:
            return pb_utils.InferenceResponse(error=pb_utils.TritonError("not 2", pb_utils.TritonError.INVALID_ARG))
        return pb_utils.InferenceResponse([pb_utils.Tensor("y", x)])
`;

test("an error answered by a python step counts as an answer; one request must succeed", async () => {
  const only = project({
    "pipeline.ts": refusing,
    "steps/two.py": refusingModel,
    "s.json": '[{"x":[[2]]},{"x":[[1]]}]',
  });
  const verify = (...args: readonly string[]) => pipeline(only, ["verify", "--no-triton", ...args], { env });
  const given = await verify("--samples", "s.json");
  expect(given).toMatchObject({ code: 0 });
  expect(given.out).toMatch(/^only {2}\(error\) {2}local python .* ok$/m);
  const made = await verify();
  expect(made.code).toBe(1);
  expect(made.err).toContain(
    "error[model/no-answer]: none of the requests to `only` succeeded: in ensemble 'only', not 2",
  );
  expect(made.err).toContain("`warmup` samples that the ensemble can answer");
  const none = await verify("--no-generated");
  expect(none.code).toBe(2);
  expect(none.err).toContain("there is no request for `only`");
}, 60_000);

test("ensembles with sequences are not compared", async () => {
  const counting = `import { defineEnsemble, fp32, python } from "tritype";
const count = python({
  name: "count",
  file: "steps/count.py",
  inputs: { x: fp32("batch", 1) },
  outputs: { y: fp32("batch", 1) },
  sequenceBatching: {},
});
export const counted = defineEnsemble({
  name: "counted",
  maxBatchSize: 4,
  inputs: { x: fp32("batch", 1) },
  run: ({ x }) => count({ x }),
});
`;
  const made = project({
    "pipeline.ts": counting,
    "more.ts": pipelineSource,
    "pipeline.config.ts": 'export default { entries: ["pipeline.ts", "more.ts"] };\n',
    "steps/count.py": refusingModel,
  });
  const verify = (...args: readonly string[]) => pipeline(made, ["verify", "--no-triton", ...args], { env });
  const note = "`counted` has sequences, which are not compared";
  expect(await verify()).toMatchObject({
    code: 0,
    err: expect.stringContaining(note),
    out: expect.stringMatching(/^total .* ok$/m),
  });
  expect(await verify("counted")).toMatchObject({
    code: 1,
    err: expect.stringContaining(note),
    out: "nothing was compared\n",
  });
});

test("requests may omit an optional input: as warmup samples, in a samples file, and step by step", async () => {
  const optional = project({
    "pipeline.ts": `import { defineEnsemble, fp32, optional, step } from "tritype";
const scale = step({
  name: "scale",
  inputs: { x: fp32("batch", 2), by: optional(fp32("batch", 1)) },
  outputs: { y: fp32("batch", 2) },
  run: ({ x, by }) => ({ y: x.map((v) => v * (by ?? 10)) }),
});
export const scaled = defineEnsemble({
  name: "scaled",
  maxBatchSize: 4,
  inputs: { x: fp32("batch", 2), by: optional(fp32("batch", 1)) },
  run: ({ x, by }) => ({ z: scale({ x, by }).y.add(1) }),
  warmup: [{ name: "without", inputs: { x: [[1, 2]] } }],
});
`,
    "samples.json": '[{ "x": [[1, 2]] }, { "x": [[1, 2]], "by": [[3]] }]',
  });
  for (const more of [
    ["--samples", "samples.json"],
    ["--steps", "--no-generated"],
  ]) {
    const { code, out, err } = await pipeline(optional, ["verify", "--no-triton", ...more], { env });
    expect({ code, err, out }).toMatchObject({ code: 0, out: expect.stringMatching(/comparisons agree/) });
  }
});
