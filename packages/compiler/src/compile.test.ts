import { bytes, defineEnsemble, fp32, int64, onnx, python, type Tensor } from "@tritype/dsl";
import type { Site } from "@tritype/core";
import { buildModel } from "@tritype/onnx";
import { expect, test } from "vitest";
import { compileInMemory, emittedText } from "./compile.fixture.ts";
import type { Compilation } from "./compile.ts";
import { fileBytes } from "./tree.ts";

const identity = (name: string): Uint8Array =>
  buildModel(
    {
      name,
      inputs: [{ name: "x", type: fp32("batch", "n", 4) }],
      outputs: [{ name: "y", type: fp32("batch", "n", 4) }],
    },
    (builder) => ({ y: builder.node("Relu", ["x"])[0] }),
  );
const files = { "a.onnx": identity("a"), "b.onnx": identity("b") };
const model = (name: string, extra: object = {}) =>
  onnx({
    name,
    file: `${name}.onnx`,
    inputs: { x: fp32("batch", "n", 4) },
    outputs: { y: fp32("batch", "n", 4) },
    ...extra,
  });

test("the same definitions give the same bytes, regardless of the order of exports", () => {
  const make = () => {
    const a = model("a");
    const first = defineEnsemble({
      name: "first",
      maxBatchSize: 4,
      inputs: { x: fp32("batch", "n", 4) },
      run: ({ x }) => ({ z: a({ x }).y.mean("n") }),
    });
    const second = defineEnsemble({
      name: "second",
      maxBatchSize: 2,
      inputs: { x: fp32("batch", "n", 4) },
      run: ({ x }) => ({ z: first({ x }).z.add(1) }),
    });
    return [first, second];
  };
  const forwards = compileInMemory(make(), files);
  const backwards = compileInMemory(make().toReversed(), files);
  expect(forwards.diagnostics).toEqual([]);
  const written = ({ build }: Compilation) =>
    [...(build?.tree ?? [])].map(([path, file]) => [path, Buffer.from(fileBytes(file)).toString("latin1")]);
  expect(written(backwards)).toEqual(written(forwards));
});

test("a member's max_batch_size is its own, or the largest of the ensembles that call it", () => {
  const a = model("a");
  const b = model("b", { maxBatchSize: 32 });
  const ensemble = (name: string, maxBatchSize: number) =>
    defineEnsemble({
      name,
      maxBatchSize,
      inputs: { x: fp32("batch", "n", 4) },
      run: ({ x }) => ({ z: b({ x: a({ x }).y }).y }),
    });
  const compilation = compileInMemory([ensemble("small", 4), ensemble("large", 8)], files);
  const size = (name: string) =>
    /max_batch_size: (\d+)/.exec(emittedText(compilation, `model_repository/${name}/config.pbtxt`))?.[1];
  expect([size("small"), size("large"), size("a"), size("b")]).toEqual(["4", "8", "8", "32"]);
});

test("files that fields refer to are copied into every version's folder", () => {
  const listed = model("a", {
    file: undefined,
    versions: { 2: { file: "b.onnx" }, 1: { file: "a.onnx" } },
    ccModelFilenames: { "7.5": "b.onnx" },
  });
  const ensemble = defineEnsemble({
    name: "e",
    maxBatchSize: 4,
    inputs: { x: fp32("batch", "n", 4) },
    run: ({ x }) => listed({ x }),
  });
  const compilation = compileInMemory([ensemble], files);
  expect(compilation.diagnostics).toEqual([]);
  expect([...(compilation.build?.tree.keys() ?? [])].filter((path) => path.includes("/a/"))).toEqual([
    "model_repository/a/1/b.onnx",
    "model_repository/a/1/model.onnx",
    "model_repository/a/2/b.onnx",
    "model_repository/a/2/model.onnx",
    "model_repository/a/config.pbtxt",
  ]);
});

test("files are in an order that is safe for a polling server", () => {
  const a = model("z", { file: "a.onnx" });
  const ensemble = defineEnsemble({
    name: "e",
    maxBatchSize: 4,
    inputs: { x: fp32("batch", "n", 4) },
    run: ({ x }) => a({ x }),
  });
  const paths = [...(compileInMemory([ensemble], files).build?.tree.keys() ?? [])];
  expect(paths.at(-1)).toBe("manifest.json");
  expect(paths.filter((path) => path.startsWith("model_repository/"))).toEqual([
    "model_repository/z/1/model.onnx",
    "model_repository/z/config.pbtxt",
    "model_repository/e/1/.keep",
    "model_repository/e/config.pbtxt",
  ]);
});

test("in the load order, models come before those that need them", () => {
  const a = model("a");
  const inner = defineEnsemble({
    name: "inner",
    maxBatchSize: 4,
    inputs: { x: fp32("batch", "n", 4) },
    run: ({ x }) => a({ x }),
  });
  const outer = defineEnsemble({
    name: "an_outer",
    maxBatchSize: 4,
    inputs: { x: fp32("batch", "n", 4) },
    run: ({ x }) => ({ z: inner({ x }).y.neg() }),
  });
  const order = compileInMemory([outer], files).build?.manifest.loadOrder ?? [];
  expect(order.toSorted()).toEqual(["a", "an_outer", "an_outer_z", "inner"]);
  expect(order.indexOf("a")).toBeLessThan(order.indexOf("inner"));
  expect(order.indexOf("inner")).toBeLessThan(order.indexOf("an_outer"));
});

test("the contract hash depends on tensor names, dtypes and sizes, but not on dim names", () => {
  const hash = (inputs: Parameters<typeof defineEnsemble>[0]["inputs"]) => {
    const ensemble = defineEnsemble({
      name: "e",
      inputs,
      run: (given) => ({ y: Object.values(given)[0]?.cast(fp32) as never }),
    });
    return compileInMemory([ensemble]).build?.manifest.ensembles[0]?.contractHash;
  };
  const base = hash({ x: int64("n", 4) });
  expect(hash({ x: int64("rows", 4) })).toBe(base);
  expect(hash({ x: int64("n", 5) })).not.toBe(base);
  expect(hash({ y_in: int64("n", 4) })).not.toBe(base);
});

test("an output with only the batch dim has dims [1] in the configuration, with an empty reshape", () => {
  const ensemble = defineEnsemble({
    name: "e",
    maxBatchSize: 4,
    inputs: { x: fp32("batch", 4) },
    run: ({ x }) => ({ best: x.argmax(-1) }),
  });
  const compilation = compileInMemory([ensemble]);
  expect(emittedText(compilation, "model_repository/e_best/config.pbtxt")).toContain(
    "dims: [ 1 ]\n    reshape { }",
  );
  expect(emittedText(compilation, "model_repository/e/config.pbtxt")).not.toContain("reshape");
  expect(compilation.build?.manifest.ensembles[0]?.outputs).toEqual({
    best: { dtype: "INT64", dims: ["batch", 1] },
  });
});

test("a size known only from the declaration is left out of an ONNX model's outputs", () => {
  const open = buildModel(
    {
      name: "open",
      inputs: [{ name: "x", type: fp32("batch", 4) }],
      outputs: [{ name: "y", type: fp32("batch", "size") }],
    },
    (builder) => ({ y: builder.node("Relu", ["x"])[0] }),
  );
  const step = onnx({
    name: "open",
    file: "open.onnx",
    inputs: { x: fp32("batch", 4) },
    outputs: { y: fp32("batch", 4) },
  });
  const ensemble = defineEnsemble({
    name: "e",
    maxBatchSize: 4,
    inputs: { x: fp32("batch", 4) },
    run: ({ x }) => step({ x }),
  });
  const compilation = compileInMemory([ensemble], { "open.onnx": open });
  expect(emittedText(compilation, "model_repository/open/config.pbtxt")).toMatch(
    /name: "y"\n\s+data_type: TYPE_FP32\n\s+dims: \[ -1 \]/,
  );
  expect(emittedText(compilation, "model_repository/e/config.pbtxt")).toMatch(
    /name: "y"\n\s+data_type: TYPE_FP32\n\s+dims: \[ 4 \]/,
  );
});

test("conflicting settings for members are refused unless the step has its own setting", () => {
  const compileWith = (extra: object) => {
    const a = model("a", extra);
    const ensemble = (name: string, count: number) =>
      defineEnsemble({
        name,
        maxBatchSize: 4,
        inputs: { x: fp32("batch", "n", 4) },
        run: ({ x }) => a({ x }),
        members: { instanceGroup: [{ kind: "cpu", count }] },
      });
    return compileInMemory([ensemble("one", 1), ensemble("two", 2)], files).diagnostics.map(
      ({ code }) => code,
    );
  };
  expect(compileWith({})).toEqual(["model/bad-field"]);
  expect(compileWith({ instanceGroup: [{ kind: "cpu", count: 3 }] })).toEqual([]);
});

test("if text passes through tensor math, the math's model stays on the CPU", () => {
  const ensemble = defineEnsemble({
    name: "e",
    maxBatchSize: 4,
    inputs: { text: bytes("batch", 1), x: fp32("batch", 1) },
    run: ({ text, x }) => ({ same: text, y: x.add(1) }),
  });
  const compilation = compileInMemory([ensemble]);
  expect(emittedText(compilation, "model_repository/e_same/config.pbtxt")).toContain("KIND_CPU");
});

test("the place of tensor math is its expression in the ensemble's own function, not in a helper", () => {
  const double = (x: Tensor<"FP32", ["batch", 1]>) => x.mul(2);
  const frames = (stack = ""): Site =>
    stack.split("\n").flatMap((text) => {
      const [, line, column] = /compile\.test\.ts:(\d+):(\d+)/.exec(text) ?? [];
      return line === undefined ? [] : [{ file: "test", line: Number(line), column: Number(column) }];
    });
  const at = frames(new Error("here").stack)[0]?.line ?? 0;
  const ensemble = defineEnsemble({
    name: "e",
    maxBatchSize: 4,
    inputs: { x: fp32("batch", 1) },
    run({ x }) {
      const sum = double(x);
      return { sum, same: x };
    },
  });
  const { build } = compileInMemory([ensemble], {}, { siteOf: ({ stack }) => frames(stack) });
  expect(build?.manifest.models.map(({ name, source }) => [name, (source?.line ?? 0) - at])).toEqual([
    ["e", 1],
    ["e_sum", 6],
  ]);
});

test("the configuration explains why the first step is not a producer", () => {
  const a = model("a");
  const ensemble = defineEnsemble({
    name: "e",
    maxBatchSize: 4,
    inputs: { p: fp32("batch", "n", 4), q: fp32("batch", "n", 4) },
    run({ p, q }) {
      const [left, right] = [a({ x: p }).y, a({ x: q }).y];
      return { sum: left.mean("n").add(right.mean("n")), tower: model("b")({ x: p }).y };
    },
  });
  const text = emittedText(compileInMemory([ensemble], files), "model_repository/e/config.pbtxt");
  expect(text).toMatch(/^# The first step needs every input/);
  expect(text).toContain('value: "a_p_y"');
});

test("tensor math between steps is named after the step it feeds, or after its operator if two feed the same step", () => {
  const names = (run: (x: ReturnType<ReturnType<typeof model>>["y"]) => object): readonly string[] => {
    const a = model("a", { fuse: false });
    const ensemble = defineEnsemble({
      name: "e",
      maxBatchSize: 4,
      inputs: { x: fp32("batch", "n", 4) },
      run: ({ x }) => run(a({ x }).y) as never,
    });
    const { build, diagnostics } = compileInMemory([ensemble], files);
    expect(diagnostics).toEqual([]);
    return (build?.manifest.models ?? []).map(({ name }) => name).filter((name) => name.startsWith("e_"));
  };
  const b = model("b", { fuse: false });
  expect(names((y) => ({ z: b({ x: y.mul(2) }).y }))).toEqual(["e_to_b"]);
  expect(names((y) => ({ z: b({ x: b({ x: y.mul(2) }).y.add(1) }).y }))).toEqual(["e_add", "e_mul"]);
});

test("among steps that start together, those that refuse requests come last, even in nested ensembles", () => {
  const [inputs, outputs] = [{ x: fp32("batch", "n", 4) }, { y: fp32("batch", "n", 4) }];
  const own = python({ name: "a_own", file: "own.py", inputs, outputs });
  const nested = defineEnsemble({ name: "a_nested", maxBatchSize: 4, inputs, run: ({ x }) => own({ x }) });
  const ensemble = defineEnsemble({
    name: "e",
    maxBatchSize: 4,
    inputs,
    run: ({ x }) => ({
      nested: nested({ x }).y,
      relu: model("b")({ x }).y,
      own: own({ x: model("a")({ x }).y }).y,
    }),
  });
  const compilation = compileInMemory([ensemble], {
    ...files,
    "own.py": new TextEncoder().encode("class TritonPythonModel:\n    def execute(self, requests): ...\n"),
  });
  const text = emittedText(compilation, "model_repository/e/config.pbtxt");
  expect([...text.matchAll(/model_name: "(\w+)"/g)].map(([, name]) => name)).toEqual([
    "a",
    "a_own",
    "b",
    "a_nested",
  ]);
});
