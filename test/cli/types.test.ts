import { existsSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { buildModel, decodeModel, encodeModel } from "@tritype/onnx";
import { expect, test } from "vitest";
import { encoderModel } from "../fixtures/models.ts";
import { diagnosticsOf, messageOf, programOf } from "../types/type-check.ts";
import { pipeline } from "./run-pipeline.ts";
import { project } from "./small-project.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const sha = /sha256 [0-9a-f]{4}…[0-9a-f]{4}/;

test("types prints the module for a model", async () => {
  const small = project({ "models/encoder.onnx": encoderModel({ segments: true }) });
  const { code, out, err } = await pipeline(small, ["types", "models/encoder.onnx"]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out.replace(sha, "sha256 <hash>")).toMatchInlineSnapshot(`
    "import { fp32, int64 } from "tritype";

    // Written by \`pipeline types\`. Do not edit.
    /** models/encoder.onnx · opset 17 · sha256 <hash> */
    export const encoder = {
      file: "models/encoder.onnx",
      inputs: {
        input_ids: int64("batch", "seq"),
        attention_mask: int64("batch", "seq"),
        token_type_ids: int64("batch", "seq")
      },
      outputs: {
        last_hidden_state: fp32("batch", "seq", 8)
      }
    } as const;
    "
  `);
});

test("the written module type-checks and builds", async () => {
  const small = project({ "models/encoder.onnx": encoderModel() });
  const written = await pipeline(small, ["types", "models/encoder.onnx", "-o", "generated/encoder.ts"]);
  expect(written).toMatchObject({ code: 0, out: "", err: "wrote generated/encoder.ts\n" });
  small.write(
    "pipeline.ts",
    `import { defineEnsemble, int64, onnx } from "tritype";
import { encoder } from "./generated/encoder.ts";
const step = onnx({ name: "encoder", ...encoder });
export const encode = defineEnsemble({
  name: "encode",
  maxBatchSize: 4,
  inputs: { input_ids: int64("batch", "seq"), attention_mask: int64("batch", "seq") },
  run: (inputs) => ({ hidden: step(inputs).last_hidden_state }),
});
`,
  );
  expect((await pipeline(small, ["build"])).code).toBe(0);
  const files = ["pipeline.ts", "generated/encoder.ts"].map((file) => relative(root, small.path(file)));
  const program = programOf(files);
  expect(files.flatMap((file) => diagnosticsOf(program, file)).map(messageOf)).toEqual([]);
});

test("without a project the file is named relative to the current folder", async () => {
  const small = project({ "elsewhere/models/encoder.onnx": encoderModel() });
  const { code, out } = await pipeline(small, ["types", "models/encoder.onnx"], {
    cwd: small.path("elsewhere"),
  });
  expect(code).toBe(0);
  expect(out).toContain('file: "models/encoder.onnx"');
});

test("--name, and a name derived from the file", async () => {
  const small = project({ "models/2-all MiniLM.v1.onnx": encoderModel() });
  const made = await pipeline(small, ["types", "models/2-all MiniLM.v1.onnx"]);
  expect(made.out).toContain("export const model2AllMiniLMV1 = {");
  const named = await pipeline(small, ["types", "models/2-all MiniLM.v1.onnx", "--name", "minilm"]);
  expect(named.out).toContain("export const minilm = {");
  const wrong = await pipeline(small, ["types", "models/2-all MiniLM.v1.onnx", "--name", "my model"]);
  expect(wrong.code).toBe(2);
  expect(wrong.err).toContain("error[usage/invalid]: --name is my model");
  small.write("models/class.onnx", encoderModel());
  expect((await pipeline(small, ["types", "models/class.onnx"])).out).toContain(
    "export const modelclass = {",
  );
  small.write("models/int64.onnx", encoderModel());
  expect((await pipeline(small, ["types", "models/int64.onnx"])).out).toContain(
    "export const int64Model = {",
  );
});

/** A model that passes its only input through. */
const identity = (name: string, dims: readonly (number | string)[]): Uint8Array =>
  buildModel(
    {
      name: "identity",
      inputs: [{ name, type: { dtype: "FP32", dims } }],
      outputs: [{ name: "out.put:0", type: { dtype: "FP32", dims } }],
    },
    (builder) => ({ "out.put:0": builder.node("Identity", [name])[0] ?? "" }),
  );

test.each([
  [["batch", 3], 'fp32("batch", 3)'],
  [["seq", "batch", 4], 'fp32("seq", -1, 4)'],
  [["batch_size", "batch"], 'fp32("batch", "batch")'],
  [["N", "sequence_length", 3], 'fp32("batch", "sequence_length", 3)'],
  [["unk__12", "unk__13"], 'fp32("batch", -1)'],
  [["dynamic_axes_1", "MatMulout_dim_2"], 'fp32("batch", -1)'],
  [["batch", "past_length + 1"], 'fp32("batch", -1)'],
  [["batch", "height", "batch"], 'fp32("batch", "height", "batch")'],
  [[1, "n"], 'fp32(1, "n")'],
] as const)("dims %j become %s", async (dims, text) => {
  const small = project({ "models/m.onnx": identity("x", dims) });
  const { out } = await pipeline(small, ["types", "models/m.onnx"]);
  expect(out).toContain(`x: ${text}`);
  expect(out).toContain(`"out.put:0": ${text}`);
});

test.each([
  [
    "a file that does not exist",
    "models/nope.onnx",
    2,
    "error[file/not-found]: models/nope.onnx does not exist",
  ],
  ["no ONNX model", "models/page.onnx", 2, "error[file/not-readable]"],
  ["a folder", "models", 2, "error[file/not-readable]: models cannot be read: it is a folder"],
])("%s is refused", async (_, file, exit, message) => {
  const small = project({ "models/page.onnx": "<!DOCTYPE html><title>Not Found</title>" });
  const { code, out, err } = await pipeline(small, ["types", file, "-o", "out.ts"]);
  expect({ code, out, err }).toMatchObject({ code: exit, out: "" });
  expect(err).toContain(message);
  expect(existsSync(small.path("out.ts"))).toBe(false);
});

test.each([
  ["complex numbers", 14, "complex64"],
  ["4-bit integers", 22, "int4"],
])("%s, which Triton does not support, are refused", async (_, elemType, onnxType) => {
  const { graph, ...model } = decodeModel(identity("x", ["batch", 2]));
  const input = [{ name: "x", type: { tensorType: { elemType, shape: { dim: [{ dimValue: 2 }] } } } }];
  const small = project({ "models/m.onnx": encodeModel({ ...model, graph: { ...graph, input } }) });
  const { code, out, err } = await pipeline(small, ["types", "models/m.onnx"]);
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(err).toContain(
    `error[signature/not-a-tensor]: \`x\` has ${onnxType}, which Triton does not support`,
  );
});

test("files written by types are overwritten; other files are kept", async () => {
  const small = project({ "models/m.onnx": identity("x", ["batch", 2]), "mine.ts": "export const m = 1;\n" });
  for (const _ of ["once", "again"])
    expect(await pipeline(small, ["types", "models/m.onnx", "-o", "m.ts"])).toMatchObject({ code: 0 });
  const { code, err } = await pipeline(small, ["types", "models/m.onnx", "-o", "mine.ts"]);
  expect(code).toBe(2);
  expect(err).toContain("error[signature/would-overwrite]: mine.ts already exists");
});

test("a file that cannot be written is reported", async () => {
  const small = project({ "models/m.onnx": identity("x", ["batch", 2]) });
  const { code, err } = await pipeline(small, ["types", "models/m.onnx", "-o", "pipeline.ts/m.ts"]);
  expect(code).toBe(2);
  expect(err).toContain("error[file/not-writable]: ");
  expect(readFileSync(small.path("pipeline.ts"), "utf8")).toContain("defineEnsemble");
});

test("a size that prevents batching of requests is reported on stderr", async () => {
  const argmax = buildModel(
    {
      name: "m",
      inputs: [{ name: "x", type: { dtype: "FP32", dims: ["rows", 4] } }],
      outputs: [
        { name: "label", type: { dtype: "INT64", dims: [1] } },
        { name: "best", type: { dtype: "INT64", dims: ["rows"] } },
      ],
    },
    (builder) => {
      const best = (): string => builder.node("ArgMax", ["x"], { axis: { int: 1 }, keepdims: { int: 0 } })[0];
      return { label: best(), best: best() };
    },
  );
  const small = project({ "label.onnx": argmax });
  for (const args of [["label.onnx"], ["label.onnx", "-o", "label.ts"]]) {
    const { code, out, err } = await pipeline(small, ["types", ...args]);
    expect(code).toBe(0);
    expect(out).not.toContain("note:");
    expect(err).toContain(
      "note: requests cannot run together: the file fixes the first size of `label` INT64[1], but leaves that of other tensors open",
    );
    expect(err).toContain("correct the file and run this command again:");
  }
});
