import { bytes, defineEnsemble, flow, fp32, onnx, type Step, step } from "@tritype/dsl";
import { buildModel } from "@tritype/onnx";
import { expect, test } from "vitest";
import { compileInMemory, emittedText } from "../compile.fixture.ts";
import type { Compilation } from "../compile.ts";
import { functionKinds } from "../function/function-kind.ts";
import type { CapturedWarmup } from "../warmup/captured-warmup.ts";
import { defaultFunctions } from "./function-settings.ts";

const x = fp32("batch", 4);
const files = {
  "m.onnx": buildModel(
    { name: "m", inputs: [{ name: "x", type: x }], outputs: [{ name: "y", type: x }] },
    (builder) => ({
      y: builder.node("Neg", ["x"])[0],
    }),
  ),
};
const inputs = { x };
const outputs = { y: x };
const model = (name: string, extra: object = {}): Step<typeof inputs, typeof outputs> =>
  onnx({ name, file: "m.onnx", inputs, outputs, ...extra });

/** An ensemble with one step. */
const serve = (called: Step<typeof inputs, typeof outputs>, name = "served", options: object = {}) =>
  defineEnsemble({ name, maxBatchSize: 4, inputs, ...options, run: ({ x }) => ({ z: called({ x }).y }) });

const compiled = (...exported: readonly unknown[]): Compilation => compiledWith(undefined, ...exported);
const compiledWith = (warmup: CapturedWarmup | undefined, ...exported: readonly unknown[]): Compilation =>
  compileInMemory(exported, files, {
    warmup,
    siteOf: () => [{ file: "pipeline.ts", line: 1, column: 1 }],
    stepKinds: functionKinds(() => ({ refusals: [], translated: undefined }), {
      settings: defaultFunctions,
      bundle: ({ step }) => ({
        files: new Map([
          ["run.mjs", `export const run = "${step}";\n`],
          ["run.mjs.map", "{}"],
        ]),
        packages: [],
        native: [],
        problems: [],
      }),
    }),
  });
const built = (...ensembles: readonly unknown[]) => {
  const compilation = compiled(...ensembles);
  expect(compilation.diagnostics).toEqual([]);
  return {
    compilation,
    manifest: compilation.build?.manifest,
    config: (name: string) => emittedText(compilation, `model_repository/${name}/config.pbtxt`),
    options: (name: string) =>
      JSON.parse(emittedText(compilation, `model_repository/${name}/1/function.json`)) as Record<
        string,
        unknown
      >,
  };
};
const tensor = { dtype: "FP32", dims: ["batch", 4] };

test("a model that only a flow calls is part of the build, loaded before it and described in both of its files", () => {
  const m = model("z_model");
  const f = flow({ name: "f", inputs, outputs, uses: { ask: m }, run: ({ x }, { ask }) => ask({ x }) });
  const { manifest, options } = built(serve(f));
  expect(manifest?.loadOrder).toEqual(["z_model", "f", "served"]);
  const calls = { ask: { model: "z_model", inputs: { x: tensor }, outputs: { y: tensor } } };
  expect(options("f")["calls"]).toEqual(calls);
  const described = manifest?.models.find(({ name }) => name === "f");
  expect(described?.calls).toEqual(["z_model"]);
  expect(described?.twin?.options).toEqual(options("f"));
  expect(described?.kind).toBe("flow");
});

test("a callee gets its batch size and its member fields from the ensembles that run the flow", () => {
  const [m, own] = [model("m"), model("own", { maxBatchSize: 16, dynamicBatching: {} })];
  const f = flow({ name: "f", inputs, outputs, uses: { m, own }, run: ({ x }, { m }) => m({ x }) });
  const members = { dynamicBatching: { maxQueueDelay: "3ms" } };
  const { config } = built(serve(f, "small"), serve(f, "large", { maxBatchSize: 8, members }));
  for (const name of ["f", "m"]) {
    expect(config(name)).toContain("max_batch_size: 8");
    expect(config(name)).toContain("max_queue_delay_microseconds: 3000");
  }
  expect(config("own")).toContain("max_batch_size: 16");
  expect(config("own")).not.toContain("max_queue_delay_microseconds");
});

test("a flow calls one version of a model", () => {
  const m = model("m", {
    file: undefined,
    versions: { 1: { file: "m.onnx" }, 2: { file: "m.onnx" } },
    versionPolicy: { all: {} },
  });
  const f = flow({
    name: "f",
    inputs,
    outputs,
    uses: { old: m.version(1), m },
    run: ({ x }, { old }) => old({ x }),
  });
  const { options, manifest } = built(serve(f));
  expect(options("f")["calls"]).toMatchObject({ old: { model: "m", version: 1 }, m: { model: "m" } });
  expect(manifest?.models.find(({ name }) => name === "f")?.calls).toEqual(["m"]);
});

test("flows call flows and ensembles, and an ensemble calls a flow that calls an ensemble", () => {
  const inner = flow({
    name: "inner",
    inputs,
    outputs,
    uses: { m: model("m") },
    run: ({ x }, { m }) => m({ x }),
  });
  const middle = defineEnsemble({
    name: "middle",
    maxBatchSize: 2,
    inputs,
    run: ({ x }) => ({ y: inner({ x: x.mul(2) }).y.add(1) }),
  });
  const outer = flow({
    name: "a_flow",
    inputs,
    outputs,
    uses: { middle, inner },
    run: ({ x }, { middle }) => middle({ x }),
  });
  const { manifest, config, options } = built(serve(outer, "a_served"));
  const order = manifest?.loadOrder ?? [];
  const before = (a: string, b: string): boolean => order.indexOf(a) < order.indexOf(b) && order.includes(a);
  expect(before("m", "inner")).toBe(true);
  expect(before("inner", "middle")).toBe(true);
  expect(before("middle", "a_flow")).toBe(true);
  expect(before("a_flow", "a_served")).toBe(true);
  expect(options("a_flow")["calls"]).toMatchObject({ middle: { model: "middle", outputs: { y: tensor } } });
  expect(config("middle")).toContain("max_batch_size: 2");
  expect(config("m")).toContain("max_batch_size: 4");
});

test("errors of a callee are reported, even if only a flow calls it", () => {
  const f = flow({
    name: "f",
    inputs,
    outputs,
    uses: { m: onnx({ name: "m", file: "missing.onnx", inputs, outputs }) },
    run: ({ x }, { m }) => m({ x }),
  });
  expect(compiled(serve(f)).diagnostics.map(({ code }) => code)).toEqual(["onnx/file-not-found"]);
});

test("two models with the same name are an error, wherever they are called", () => {
  const f = flow({ name: "f", inputs, outputs, uses: { m: model("m") }, run: ({ x }, { m }) => m({ x }) });
  const both = defineEnsemble({
    name: "both",
    maxBatchSize: 4,
    inputs,
    run: ({ x }) => ({ a: f({ x }).y, b: model("m")({ x }).y }),
  });
  expect(compiled(both).diagnostics.map(({ code }) => code)).toEqual(["model/duplicate-name"]);
});

test("a flow has no engine of its own, and its tensors have rows", () => {
  const wrong = (options: object) => {
    const f = flow({
      name: "f",
      inputs,
      outputs,
      uses: {},
      run: async ({ x }: never) => ({ y: x }),
      ...options,
    } as never);
    return compiled(serve(f as never)).diagnostics.map(({ code, message }) => `${code}: ${message}`);
  };
  expect(wrong({ engine: "python" })).toEqual([expect.stringContaining("model/unknown-option")]);
  expect(wrong({ timeLimit: "soon" })).toEqual([expect.stringContaining("function/time-limit")]);
  expect(wrong({ allow: { fsReads: [] } })).toEqual([expect.stringContaining("no option `allow.fsReads`")]);
});

/** A flow that calls one model. */
const flowOf = (m: ReturnType<typeof model>, options: object = {}) =>
  flow({ name: "f", inputs, outputs, uses: { m }, run: ({ x }, { m }) => m({ x }), ...options });

test("clients call an exported flow directly: it has a contract, and no ensemble around it", () => {
  const { manifest, config } = built(flowOf(model("m"), { maxBatchSize: 8 }));
  expect(manifest?.models.map(({ name, kind }) => [name, kind])).toEqual([
    ["f", "flow"],
    ["m", "onnx"],
  ]);
  const [described, ...others] = manifest?.ensembles ?? [];
  expect(others).toEqual([]);
  expect(described).toMatchObject({ name: "f", inputs: { x: tensor }, outputs: { y: tensor } });
  expect(described?.graph).toMatchObject({
    nodes: [
      { kind: "input", id: "x" },
      { kind: "step", id: "f", step: "f", inputs: { x: { node: "x", output: "x" } } },
    ],
    outputs: { y: { node: "f", output: "y" } },
  });
  expect(config("f")).toContain("max_batch_size: 8");
  expect(config("f")).toMatch(
    new RegExp(`key: "tritype_contract"\\s+value \\{ string_value: "${described?.contractHash}" \\}`),
  );
  expect(config("m")).toContain("max_batch_size: 8");
  expect(config("m")).not.toContain("tritype_contract");
});

test("an exported flow that an ensemble and a flow both call becomes one model, with the largest batch size of its callers", () => {
  const f = flowOf(model("m"));
  const outer = flow({
    name: "outer",
    maxBatchSize: 16,
    inputs,
    outputs,
    uses: { f },
    run: ({ x }, { f }) => f({ x }),
  });
  const { manifest, config } = built(serve(f), f, outer);
  expect(manifest?.loadOrder).toEqual(["m", "f", "outer", "served"]);
  expect(manifest?.ensembles.map(({ name }) => name)).toEqual(["f", "outer", "served"]);
  for (const name of ["f", "m"]) expect(config(name)).toContain("max_batch_size: 16");
  expect(config("f")).toContain("tritype_contract");
  expect(built(serve(f)).config("f")).not.toContain("tritype_contract");
});

test("the error for a flow without rows advises putting the batch first, not using batchStep", () => {
  const f = flow({
    name: "f",
    inputs: { x: fp32("n", 4) },
    outputs: { y: fp32("n", 4) },
    uses: { m: model("m") },
    run: ({ x }) => ({ y: x }) as never,
  });
  const [found] = compiled(f).diagnostics.filter(({ code }) => code === "function/not-batched");
  expect(found?.message).toBe(
    "`x` of flow `f` is FP32[n, 4]: `flow` runs once per row, so every tensor needs rows",
  );
  expect(found?.help).toMatch(/^put "batch" first: a row may have/);
});

test("an exported flow without a maximum batch size is an error, unless something calls it", () => {
  const f = flowOf(model("m"));
  const { diagnostics } = compiled(f);
  expect(diagnostics.map(({ code, message }) => [code, message])).toEqual([
    ["batch/no-max-batch-size", "flow `f` is batched but has no `maxBatchSize`"],
  ]);
  expect(diagnostics[0]?.labels).toMatchObject([
    { span: { file: "pipeline.ts", line: 1 }, text: "defined here" },
  ]);
});

test("a flow's samples are requests to the flow itself; a callee with a smaller batch size gets fewer rows at once", () => {
  const warmup = [{ name: "two", inputs: { x: [[1, 2, 3, 4]] }, batchSize: 8 }];
  const f = flowOf(model("m", { maxBatchSize: 2 }), { maxBatchSize: 8, warmup });
  const samples = compiled(f).build?.samples;
  expect(samples).toMatchObject([{ ensemble: "f", name: "two", batchSize: 8 }]);
  expect(compiled(serve(f, "served", { maxBatchSize: 8 })).build?.samples).toEqual(samples);
  const captured = { dtype: "FP32", dims: [4], bytes: new Uint8Array(16) } as const;
  const warm = compiledWith(
    {
      key: "0".repeat(64),
      requests: [{ model: "m", ensemble: "f", sample: "two", inputs: { x: captured } }],
    },
    f,
  );
  expect(emittedText(warm, "model_repository/m/config.pbtxt")).toMatch(/name: "two"\s+batch_size: 2/);
  expect(warm.build?.manifest.warmup?.requests).toMatchObject([{ model: "m", ensemble: "f", sample: "two" }]);
  expect(emittedText(warm, "model_repository/f/config.pbtxt")).not.toContain("model_warmup");
});

test.each([
  [[{ inputs: {} }], "sample/missing-input"],
  [[{ inputs: { x: [[1, 2, 3, 4]] }, batchSize: 9 }], "sample/batch-size"],
  ["short", "sample/invalid"],
])("an invalid sample for a flow, %j, is an error", (warmup, code) => {
  const { diagnostics } = compiled(flowOf(model("m"), { maxBatchSize: 8, warmup }));
  expect(diagnostics.map((one) => one.code)).toEqual([code]);
});

test("a function without callees lists none in its files", () => {
  const s = step({
    name: "s",
    engine: "node",
    inputs: { text: bytes("batch", 1) },
    outputs: { t: bytes("batch", 1) },
    run: ({ text }) => ({ t: text }),
  });
  const e = defineEnsemble({
    name: "e",
    maxBatchSize: 4,
    inputs: { text: bytes("batch", 1) },
    run: ({ text }) => s({ text }),
  });
  const { options, manifest } = built(e);
  expect(options("s")).not.toHaveProperty("calls");
  expect(manifest?.models.find(({ name }) => name === "s")).not.toHaveProperty("calls");
});
