import { decodeModel, buildModel, type ModelHeader } from "@tritype/onnx";
import {
  type AnyHandles,
  concat,
  defineEnsemble,
  fp32,
  int64,
  lookup,
  onnx,
  python,
  type Tensor,
  when,
} from "@tritype/dsl";
import { expect, test } from "vitest";
import { compileInMemory, emittedText } from "../compile.fixture.ts";
import { fileBytes } from "../tree.ts";

const vector = fp32("batch", 4);
const port = (name: string) => ({ name, type: vector });
const row = (name: string) => ({ name, type: fp32(4) });

/** Computes `y` and `z` from `x`. */
const file = (header: Partial<ModelHeader> = {}): Uint8Array =>
  buildModel(
    { name: "main", inputs: [port("x")], outputs: [port("y"), port("z")], ...header },
    (builder) => ({ y: builder.node("Relu", ["x"])[0], z: builder.node("Neg", ["x"])[0] }),
  );
const files = {
  "model.onnx": file(),
  "opset-12.onnx": file({ opset: 12 }),
  "opset-18.onnx": file({ opset: 18 }),
  "ir-3.onnx": file({ irVersion: 3 }),
  "model.py": new Uint8Array(),
  "no-batches.onnx": file({ inputs: [row("x")], outputs: [row("y"), row("z")] }),
  "sample.bin": new Uint8Array(16),
};
const model = (extra: object = {}) =>
  onnx({
    name: "model",
    file: "model.onnx",
    inputs: { x: vector },
    outputs: { y: vector, z: vector },
    fuse: true,
    ...extra,
  });
const slow = python({ name: "slow", file: "model.py", inputs: { p: vector }, outputs: { q: vector } });

type Given = Readonly<Record<"a" | "b", Tensor<"FP32", readonly ["batch", 4]>>>;
const ensemble = <O extends AnyHandles>(run: (given: Given) => O, name = "e") =>
  defineEnsemble({ name, maxBatchSize: 8, inputs: { a: vector, b: vector }, run });

const compiled = (...ensembles: readonly unknown[]) => {
  const { build, diagnostics, ...rest } = compileInMemory(ensembles, files, { profiles: { gpu: {} } });
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  const models = build?.manifest.models ?? [];
  const config = emittedText({ build, diagnostics, ...rest }, "model_repository/model/config.pbtxt");
  const emitted = build?.tree.get("model_repository/model/1/model.onnx");
  const outline = emitted && decodeModel(fileBytes(emitted));
  return {
    domains: outline?.opsetImport?.map(({ domain }) => domain),
    tensors: [...config.matchAll(/^ {4}name: "(.*)"/gm)].map(([, name]) => name),
    members: models.map(({ name }) => name),
    fused: models.find(({ name }) => name === "model")?.fused ?? [],
    notFused: Object.fromEntries(
      models.flatMap(({ name, notFused }) => (notFused ? [[name, notFused]] : [])),
    ),
    nodes: outline?.graph?.node?.map(({ name }) => name),
    warnings: diagnostics.map(({ code, message }) => `${code}: ${message}`),
  };
};

test("math after a model is fused into it", () => {
  const step = model();
  const run = ({ a, b }: Given) => ({ out: step({ x: slow({ p: a.add(b) }).q }).y.mul(2) });
  expect(compiled(ensemble(run))).toEqual({
    domains: [""],
    tensors: ["x", "out"],
    members: ["e", "e_to_slow", "model", "slow"],
    fused: ["e_out"],
    notFused: {},
    nodes: ["relu", "neg", "after/mul"],
    warnings: [],
  });
});

test("math before and after a model is fused, even if both parts read another input", () => {
  const step = model();
  const run = ({ a, b }: Given) => {
    const { y, z } = step({ x: a.mul(b).add(1) });
    return { y: y.sub(b), z };
  };
  expect(compiled(ensemble(run))).toMatchObject({
    tensors: ["a", "b", "z", "e_y"],
    members: ["e", "model"],
    fused: ["e_to_model", "e_y"],
    nodes: ["before/mul", "before/add", "relu", "neg", "after/sub"],
  });
});

test("a tensor that is returned and read stays the model's own output", () => {
  const step = model();
  const run = ({ a, b }: Given) => {
    const { y } = step({ x: a });
    return { y, out: y.mul(b) };
  };
  expect(compiled(ensemble(run))).toMatchObject({
    tensors: ["x", "b", "y", "out"],
    members: ["e", "model"],
    nodes: ["relu", "neg", "after/mul"],
  });
});

test("math before the model is fused, even if its result is also read after the model and returned", () => {
  const step = model();
  const run = ({ a, b }: Given) => {
    const before = a.add(b);
    const { y } = step({ x: before });
    return { out: y.add(before), before };
  };
  expect(compiled(ensemble(run))).toMatchObject({
    tensors: ["a", "b", "before", "out"],
    members: ["e", "model"],
    nodes: ["before/add", "before/identity", "relu", "neg", "after/add"],
  });
});

test("ensembles with the same math around a model share it", () => {
  const step = model();
  const run = ({ a, b }: Given) => ({ out: step({ x: a }).y.mul(2), other: b.add(1) });
  const { members, fused, notFused } = compiled(ensemble(run), ensemble(run, "f"));
  expect({ members, fused, notFused }).toEqual({
    members: ["e", "e_other", "f", "f_other", "model"],
    fused: ["e_out", "f_out"],
    notFused: {},
  });
});

test("math between two models is fused into the first one", () => {
  const step = model();
  const next = onnx({ name: "next", file: "model.onnx", inputs: { x: vector }, outputs: { y: vector } });
  const run = ({ a, b }: Given) => ({ out: next({ x: step({ x: a }).y.mul(b) }).y });
  expect(compiled(ensemble(run))).toMatchObject({ tensors: ["x", "b", "mul"], fused: ["e_to_next"] });
});

test("math between two models is fused into the one that has `fuse: true`", () => {
  const step = model();
  const first = onnx({ name: "first", file: "model.onnx", inputs: { x: vector }, outputs: { y: vector } });
  const run = ({ a, b }: Given) => ({ out: step({ x: first({ x: a }).y.mul(b) }).y });
  expect(compiled(ensemble(run))).toMatchObject({ tensors: ["e_y", "b", "y"], fused: ["e_to_model"] });
});

test("the file's own opset decides how reductions are written", () => {
  const step = model({ file: "opset-18.onnx" });
  const run = ({ a, b }: Given) => ({ out: step({ x: a }).y.mul(b).mean(1) });
  expect(compiled(ensemble(run)).nodes).toEqual(["relu", "neg", "after/mul", "after/reduce_mean"]);
});

test("splitting into equal parts has a different meaning at opset 18", () => {
  const step = model({ file: "opset-18.onnx" });
  const run = ({ a, b }: Given) => ({ out: step({ x: a }).z.mul(b).split(-1, 2)[0] });
  expect(compiled(ensemble(run)).notFused).toEqual({
    e_out: "its operators need opset 17 or earlier, the model's file has 18",
  });
});

test("a branch is not fused if it needs an operator set that the file does not import", () => {
  const type = fp32(4);
  const step = onnx({
    name: "model",
    file: "no-batches.onnx",
    inputs: { x: type },
    outputs: { y: type },
    fuse: true,
  });
  const one = defineEnsemble({
    name: "one",
    inputs: { a: type },
    run({ a }) {
      const { y } = step({ x: a });
      const best = y.argmax(-1);
      const table = { keys: [1n], values: [10n], otherwise: 0n };
      return { out: when(y.max(-1).gt(0), best.labelEncode(int64, table), best).unsqueeze(0) };
    },
  });
  expect(compiled(one)).toMatchObject({ fused: ["one_out"], domains: ["", "ai.onnx.ml"] });
});

const doubled = ({ a, b }: Given, step: ReturnType<typeof model>) => ({
  out: step({ x: a }).y.mul(b),
});
const tensorrt = { executionAccelerators: { gpuExecutionAccelerator: [{ name: "tensorrt" }] } };
test.each<[string, object]>([
  ["`model` has `fuse: false`", { fuse: false }],
  [
    "`model` has accelerators, which may round the math differently: set `fuse: true` if that is fine",
    { fuse: undefined, optimization: tensorrt },
  ],
  [
    "`model` has accelerators, which may round the math differently: set `fuse: true` if that is fine",
    { fuse: undefined, profiles: { gpu: { optimization: tensorrt } } },
  ],
  ["`versions` lists files for it", { file: undefined, versions: { 1: { file: "model.onnx" } } }],
  ["`model` has `raw`", { raw: "" }],
  ["`model` has `outputFields`", { outputFields: { y: { labelFilename: "sample.bin" } } }],
  ["`model` has `modelWarmup`", { modelWarmup: [{ name: "s", inputs: { x: [[1, 2, 3, 4]] } }] }],
  ["its operators need opset 13 or later, the model's file has 12", { file: "opset-12.onnx" }],
  ["the model's file is older than ONNX 1.4 (IR version 4)", { file: "ir-3.onnx" }],
])("not fused: %s", (why, extra) => {
  const step = model(extra);
  const { fused, notFused } = compiled(ensemble((given) => doubled(given, step)));
  expect({ fused, notFused }).toEqual({ fused: [], notFused: { e_out: why } });
});

const around: readonly [string, (given: Given, step: ReturnType<typeof model>) => AnyHandles, object][] = [
  [
    "another member reads the model's output",
    ({ a, b }, step) => {
      const { y } = step({ x: a });
      return { out: y.mul(b), other: slow({ p: y }).q };
    },
    { e_out: "`slow` also reads a result of `model`" },
  ],
  [
    "the math waits for another member",
    ({ a, b }, step) => ({ out: step({ x: a }).y.mul(slow({ p: b }).q) }),
    { e_out: "it also reads `q`, for which `model` does not wait" },
  ],
  [
    "another member reads the math",
    ({ a, b }, step) => {
      const sum = a.add(b);
      return { out: step({ x: sum }).y, other: slow({ p: sum }).q };
    },
    { e_to_model_slow: "`slow` also reads its result" },
  ],
  [
    "text",
    ({ a, b }, step) => ({
      out: lookup(step({ x: a.add(b) }).y.argmax(-1), ["no", "yes", "maybe", "never"]),
    }),
    { e_out: "it processes text, which ONNX Runtime only does on CPUs" },
  ],
  [
    "two calls in one ensemble",
    ({ a, b }, step) => ({ out: concat([step({ x: a }).y, step({ x: b }).y], 1) }),
    { e_out: "it also reads `model_a_y`, for which `model` does not wait" },
  ],
];
test.each(around)("stays a separate model: %s", (_, run, wanted) => {
  const step = model();
  expect(compiled(ensemble((given) => run(given, step))).notFused).toEqual(wanted);
});

test("a model that two ensembles call must be followed by the same math in both", () => {
  const step = model();
  const calls = [2, 3].map((factor) => ({ a, b }: Given) => ({ out: step({ x: a }).y.mul(factor).add(b) }));
  const why = "not all calls to `model` have the same math around them";
  expect(compiled(...calls.map((run, at) => ensemble(run, `e${at}`))).notFused).toEqual({
    e0_out: why,
    e1_out: why,
  });
});

test("without a first step that depends on every input, nothing is fused", () => {
  const step = model();
  const next = onnx({ name: "next", file: "model.onnx", inputs: { x: vector }, outputs: { y: vector } });
  const run = ({ a, b }: Given) => ({ out: step({ x: a }).y.mul(2), other: next({ x: b }).y });
  const { members, notFused } = compiled(ensemble(run));
  expect(members).toEqual(["e", "e_out", "model", "next"]);
  expect(notFused).toEqual({
    e_out: "Triton needs a first step that depends on every input of the ensemble",
  });
});

test("the error for a `fuse: true` without effect gives the reason", () => {
  const none = model({ fuse: true });
  const both = python({
    name: "both",
    file: "model.py",
    inputs: { p: vector, r: vector },
    outputs: { q: vector },
  });
  const run = ({ a, b }: Given) => ({ out: none({ x: both({ p: a, r: b }).q }).y });
  expect(compiled(ensemble(run)).warnings).toEqual([
    "model/not-fused: `model` has `fuse: true`, but nothing can be fused into its model: there is no tensor math next to the calls to it",
  ]);
  const old = model({ fuse: true, file: "opset-12.onnx" });
  expect(compiled(ensemble((given) => doubled(given, old))).warnings).toEqual([
    "model/not-fused: `model` has `fuse: true`, but nothing can be fused into its model: its operators need opset 13 or later, the model's file has 12",
  ]);
});
