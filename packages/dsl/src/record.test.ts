import { PipelineError } from "@tritype/core";
import { expect, test } from "vitest";
import { bool, bytes, fp16, fp32, int64 } from "./dtype-name.ts";
import { defineEnsemble, type Ensemble } from "./ensemble.ts";
import { constant, l2Normalize, lookup, meanPool, where } from "./functions.ts";
import { onnx } from "./onnx.ts";
import { recordOf } from "./step.ts";
import { tokenizer } from "./tokenizer.ts";
import type { Tensor } from "./tensor.ts";
import type { TraceNode } from "./trace.ts";
import { when } from "./when.ts";

const nodesOf = (ensemble: Ensemble): readonly TraceNode[] => recordOf(ensemble)?.trace?.nodes ?? [];
/** `mul(0, 1) {…} → FP32[batch, 4]` */
const print = (ensemble: Ensemble): readonly string[] =>
  nodesOf(ensemble).map((node) => {
    const label =
      node.kind === "input"
        ? `input ${node.name}`
        : node.kind === "step"
          ? `step ${node.step.name}`
          : node.operator;
    const wires = Object.entries(node.inputs).map(
      ([name, wire]) => `${name}=${"notATensor" in wire ? wire.notATensor : `${wire.node}.${wire.output}`}`,
    );
    const types = Object.entries(node.outputs).map(
      ([name, { dtype, dims }]) => `${name}:${dtype}[${dims.join(",")}]`,
    );
    const attributes =
      node.kind === "operator" && Object.keys(node.attributes).length > 0
        ? ` ${JSON.stringify(node.attributes)}`
        : "";
    return `${label}(${wires.join(" ")})${attributes} → ${types.join(" ")}`;
  });

test("run is recorded once, in the order of its calls", () => {
  let calls = 0;
  const ensemble = defineEnsemble({
    name: "e",
    maxBatchSize: 4,
    inputs: { x: fp32("batch", 4) },
    run({ x }) {
      calls++;
      return { y: x.mul(2).sum(-1, { keepDims: true }) };
    },
  });
  expect(calls).toBe(1);
  expect(print(ensemble)).toEqual([
    "input x() → x:FP32[batch,4]",
    'constant() {"dtype":"FP32","dims":[],"values":[2]} → out:FP32[]',
    "mul(0=0.x 1=1.out) → out:FP32[batch,4]",
    'sum(0=2.out) {"axis":-1,"keepDims":true} → out:FP32[batch,1]',
  ]);
});

test("a constant repeats a single value of any dtype", () => {
  const ensemble = defineEnsemble({
    name: "e",
    inputs: { x: fp32(2) },
    run: ({ x }) => ({
      a: constant(fp32, 2, 2),
      b: constant(bool, true, 2),
      c: constant(int64, -1n),
      d: constant(bytes, "unsure", 1),
      x: x.neg(),
    }),
  });
  expect(print(ensemble).filter((line) => line.startsWith("constant"))).toEqual([
    'constant() {"dtype":"FP32","dims":[2],"values":[2,2]} → out:FP32[2]',
    'constant() {"dtype":"BOOL","dims":[2],"values":[true,true]} → out:BOOL[2]',
    'constant() {"dtype":"INT64","dims":[],"values":["-1"]} → out:INT64[]',
    'constant() {"dtype":"BYTES","dims":[1],"values":["unsure"]} → out:BYTES[1]',
  ]);
});

test("a step's handles have the sizes from that call", () => {
  const tokenize = tokenizer({ name: "tokenize", from: "t", maxLength: 8, padding: "maxLength" });
  const encoder = onnx({
    name: "encoder",
    file: "e.onnx",
    inputs: { ids: int64("batch", "tokens") },
    outputs: { hidden: fp32("batch", "tokens", 16) },
  });
  const ensemble = defineEnsemble({
    name: "e",
    maxBatchSize: 4,
    inputs: { text: bytes("batch", 1) },
    run: ({ text }) => encoder({ ids: tokenize({ text }).input_ids }),
  });
  expect(ensemble.outputs).toEqual({ hidden: { dtype: "FP32", dims: ["batch", 8, 16] } });
});

test("infinities, 64-bit integers and -0 survive JSON as text", () => {
  const ensemble = defineEnsemble({
    name: "e",
    inputs: { x: fp32(4), n: int64(4) },
    run: ({ x, n }) => ({ a: x.clip(-0, Infinity), b: n.add(9007199254740993n) }),
  });
  const attributes = nodesOf(ensemble).flatMap((node) => (node.kind === "operator" ? [node.attributes] : []));
  expect(JSON.parse(JSON.stringify(attributes))).toEqual([
    { min: "-0", max: "Infinity" },
    { dtype: "INT64", dims: [], values: ["9007199254740993"] },
    {},
  ]);
});

test("composite operators are recorded as basic operators, and keep the dtype", () => {
  const ensemble = defineEnsemble({
    name: "e",
    inputs: { hidden: fp16("batch", "seq", 8), mask: int64("batch", "seq") },
    run: ({ hidden, mask }) => ({ embedding: l2Normalize(meanPool(hidden, mask)) }),
  });
  expect(ensemble.outputs).toEqual({ embedding: { dtype: "FP16", dims: ["batch", 8] } });
});

test("where accepts numbers, and lookup accepts labels", () => {
  const ensemble = defineEnsemble({
    name: "e",
    inputs: { x: fp32(4) },
    run: ({ x }) => ({ label: lookup(where(x.gt(0), x, 0).argmax(0, { keepDims: true }), ["a", "b"]) }),
  });
  expect(ensemble.outputs).toEqual({ label: { dtype: "BYTES", dims: [1] } });
});

test("split returns a list even if its arguments are invalid", () => {
  const ensemble = defineEnsemble({
    name: "e",
    inputs: { x: fp32(4) },
    run: ({ x }) => {
      const [a, b] = x.split(0, [1, 3]);
      const [c, d] = x.split(0, [2, 3]);
      return { a, b, c, d };
    },
  });
  expect(Object.values(ensemble.outputs).map(({ dims }) => dims)).toEqual([[1], [3], [4], [4]]);
});

test("operator options have defaults, and tables survive JSON", () => {
  const ensemble = defineEnsemble({
    name: "e",
    inputs: { x: fp32(4), scale: fp32(4), n: int64(4) },
    run: ({ x, scale, n }) => ({
      a: x.gelu(),
      b: x.layerNorm(0, { bias: scale }),
      c: x.pad(0, 0, 1),
      d: n.labelEncode(fp32, { keys: [1, 2n ** 60n], values: [Number.NaN, 2], otherwise: -0 }),
    }),
  });
  const attributes = nodesOf(ensemble).flatMap((node) => (node.kind === "operator" ? [node.attributes] : []));
  expect(JSON.parse(JSON.stringify(attributes))).toEqual([
    { approximation: "none" },
    { axis: 0, epsilon: 1e-5, scale: false, bias: true },
    { axis: 0, before: 0, after: 1, mode: "constant" },
    { to: "FP32", keys: [1, "1152921504606846976"], values: ["NaN", 2], otherwise: "-0" },
  ]);
});

test("a constant's dtype may be named by a string, and any other value is recorded for the compiler to report", () => {
  const untyped = constant as (...args: readonly unknown[]) => Tensor<"FP32", []>;
  const ensemble = defineEnsemble({
    name: "e",
    inputs: { x: fp32(2) },
    run: ({ x }) => ({ a: x.mul(untyped("FP32", 2)), b: x.mul(untyped("fp32", 2)), c: x.mul(untyped()) }),
  });
  const attributes = nodesOf(ensemble).flatMap((node) =>
    node.kind === "operator" && node.operator === "constant" ? [node.attributes["dtype"]] : [],
  );
  expect(attributes).toEqual(["FP32", "fp32", "undefined"]);
});

test("a value that is not a tensor is recorded for the compiler to report", () => {
  const step = onnx({ name: "s", file: "s.onnx", inputs: { x: fp32(4) }, outputs: { y: fp32(4) } });
  const untyped = step as unknown as (wires: unknown) => Record<string, never>;
  const ensemble = defineEnsemble({
    name: "e",
    inputs: { x: fp32(4) },
    run: () => untyped({ x: "hello", z: null }),
  });
  expect(print(ensemble)[1]).toBe("step s(x=a string z=null) → y:FP32[4]");
});

test("a step or operator outside run throws and says where to use it", () => {
  const step = onnx({ name: "s", file: "s.onnx", inputs: { x: fp32(4) }, outputs: { y: fp32(4) } });
  expect(() => (step as unknown as (wires: object) => unknown)({})).toThrow(PipelineError);
  expect(() => (step as unknown as (wires: object) => unknown)({})).toThrow("called outside `run`");
});

test("a tensor has no value, so coercing it throws", () => {
  const coerce = (use: (x: never) => unknown) => () =>
    defineEnsemble({ name: "e", inputs: { x: fp32(4) }, run: ({ x }) => (use(x as never), { y: x }) });
  expect(coerce((x) => x > 1)).toThrow("a tensor has no value while the pipeline is being recorded");
  expect(coerce((x) => String(x))).toThrow(PipelineError);
});

test.each(["length", "shape", "data"])("a tensor has no `%s`, so reading it throws", (name) => {
  const read = () =>
    defineEnsemble({ name: "e", inputs: { x: fp32(4) }, run: ({ x }) => (x[name as never], { y: x.neg() }) });
  expect(read).toThrow("a tensor has no value while the pipeline is being recorded");
});

test("iterating over a tensor throws", () => {
  const spread = () =>
    defineEnsemble({
      name: "e",
      inputs: { x: fp32(4) },
      run: ({ x }) => ({ y: Array.from(x as never)[0] as never }),
    });
  expect(spread).toThrow("a tensor has no value while the pipeline is being recorded");
});

test.each([
  ["a list", (x: unknown) => [x]],
  ["a tensor", (x: unknown) => x],
])("%s that `run` returns has no names, so it is not an output", (_, results) => {
  const ensemble = defineEnsemble({
    name: "e",
    inputs: { x: fp32(4) },
    run: ({ x }) => results(x.neg()) as never,
  });
  expect(ensemble.outputs).toEqual({});
});

test("an error in run closes the trace", () => {
  expect(() =>
    defineEnsemble({
      name: "e",
      inputs: { x: fp32(4) },
      run: () => {
        throw new Error("mine");
      },
    }),
  ).toThrow("mine");
  expect(() =>
    (onnx({ name: "s", file: "s", inputs: {}, outputs: {} }) as unknown as (wires: object) => unknown)({}),
  ).toThrow("outside `run`");
});

test("the call site is the user's line, not one in this library", () => {
  const ensemble = defineEnsemble({
    name: "e",
    inputs: { x: fp32(4) },
    run: ({ x }) => ({ y: l2Normalize(x.mul(3)) }),
  });
  for (const node of nodesOf(ensemble)) expect(node.site.stack).toContain("record.test.ts");
});

test("the branches of `when` are recorded once, and `when` chooses between their results", () => {
  const ensemble = defineEnsemble({
    name: "e",
    maxBatchSize: 4,
    inputs: { x: fp32("batch", 4), ids: int64("batch"), sure: bool("batch", 1) },
    run({ x, ids, sure }) {
      const y = when(sure, () => x.neg(), x);
      return { y, ...when(sure, { z: y, ids }, () => ({ ids, z: x })) };
    },
  });
  expect(print(ensemble)).toEqual([
    "input x() → x:FP32[batch,4]",
    "input ids() → ids:INT64[batch]",
    "input sure() → sure:BOOL[batch,1]",
    "neg(0=0.x) → out:FP32[batch,4]",
    "when(0=2.sure 1=3.out 2=0.x) → out:FP32[batch,4]",
    'when(0=2.sure 1=4.out 2=1.ids 3=0.x 4=1.ids) {"names":["z","ids"]} → z:FP32[batch,4] ids:INT64[batch]',
  ]);
});

test("a step that is called in a branch of `when` is marked with that side, and a step outside is not", () => {
  const model = onnx({
    name: "m",
    file: "m.onnx",
    inputs: { x: fp32("batch", 4) },
    outputs: { y: fp32("batch", 4) },
  });
  const ensemble = defineEnsemble({
    name: "e",
    maxBatchSize: 4,
    inputs: { x: fp32("batch", 4), sure: bool("batch") },
    run({ x, sure }) {
      const before = model({ x }).y;
      expect(() =>
        when(
          sure,
          (): typeof x => {
            throw new RangeError("from the side");
          },
          x,
        ),
      ).toThrow("from the side");
      const y = when(sure, () => model({ x: before }).y, x);
      return { y: model({ x: y }).y };
    },
  });
  const steps = nodesOf(ensemble).filter((node) => node.kind === "step");
  expect(steps.map(({ branch }) => branch !== undefined)).toEqual([false, true, false]);
});

test.each<readonly [what: string, whenTrue: unknown, whenFalse: unknown, problem: string]>([
  ["a number", "x", 0, "`when` needs a tensor for `whenFalse`, got a number"],
  ["nothing", () => undefined, "x", "`when` needs a tensor for `whenTrue`, got nothing"],
  ["a promise", async () => {}, async () => {}, "`when` needs a tensor for `whenTrue`, got an object"],
  [
    "an object without one of the other side's tensors",
    { y: "x" },
    {},
    "`when` needs a tensor for `y`, got nothing",
  ],
  [
    "an object that contains something else",
    { y: "x" },
    { y: 1 },
    "`when` needs a tensor for `y`, got a number",
  ],
])("%s is not a side of `when`", (_, whenTrue, whenFalse, problem) => {
  const choose: (...args: readonly never[]) => never = when;
  const record = (): unknown =>
    defineEnsemble({
      name: "e",
      inputs: { x: fp32(4), sure: bool(1) },
      run({ x, sure }) {
        const sides = [whenTrue, whenFalse].map((side) =>
          side === "x" ? x : isXAsY(side) ? { y: x } : side,
        );
        return { y: choose(sure as never, sides[0] as never, sides[1] as never) };
      },
    });
  expect(record).toThrow(problem);
});
const isXAsY = (side: unknown): boolean =>
  typeof side === "object" && side !== null && "y" in side && side.y === "x";
