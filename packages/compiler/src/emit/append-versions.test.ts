import { type Dim, invariant } from "@tritype/core";
import { bytes, defineEnsemble, fp32, onnx, tokenizer } from "@tritype/dsl";
import { buildModel } from "@tritype/onnx";
import { expect, test } from "vitest";
import { compileInMemory, emittedText } from "../compile.fixture.ts";
import type { Compilation } from "../compile.ts";

const model = (operator: string, size: Dim = 4): Uint8Array =>
  buildModel(
    {
      name: "m",
      inputs: [{ name: "x", type: fp32("batch", size) }],
      outputs: [{ name: "y", type: fp32("batch", size) }],
    },
    (builder) => ({ y: builder.node(operator, ["x"])[0] }),
  );

interface Written {
  readonly fields?: object;
  readonly size?: Dim;
  readonly keep?: number;
  /** The version in the call to the step. */
  readonly version?: number;
}

/** A step followed by tensor math, appended to the previous build. */
const build = (
  file: Uint8Array,
  previous: Compilation | undefined,
  { fields = {}, size = 4, keep = 1, version }: Written = {},
): Compilation => {
  const step = onnx({
    name: "m",
    file: "m.onnx",
    inputs: { x: fp32("batch", size) },
    outputs: { y: fp32("batch", size) },
    fuse: false,
    ...fields,
  });
  const called = version === undefined ? step : step.version(version);
  const ensemble = defineEnsemble({
    name: "e",
    maxBatchSize: 4,
    inputs: { x: fp32("batch", size) },
    run: ({ x }) => ({ z: called({ x }).y.mul(2) }),
  });
  return compileInMemory(
    [ensemble],
    { "m.onnx": file, "v1.onnx": model("Relu"), "v2.onnx": model("Abs") },
    { append: { previous: previous?.build, keep } },
  );
};

const versionsOf = ({ build: made }: Compilation, name = "m"): readonly number[] | undefined =>
  made?.manifest.models.find((one) => one.name === name)?.versions?.map(({ version }) => version);
const filesOf = ({ build: made }: Compilation): readonly string[] =>
  [...(made?.tree.keys() ?? [])].filter((path) => path.startsWith("model_repository/m/"));
const messages = ({ diagnostics }: Compilation): readonly string[] =>
  diagnostics.map(({ code, message }) => `${code}: ${message}`);

test("a model whose file changes gets a new version; everything else stays the same", () => {
  const first = build(model("Relu"), undefined);
  expect(versionsOf(first)).toEqual([1]);
  const second = build(model("Abs"), first);
  expect(versionsOf(second)).toEqual([1, 2]);
  expect(filesOf(second)).toEqual([
    "model_repository/m/1/model.onnx",
    "model_repository/m/2/model.onnx",
    "model_repository/m/config.pbtxt",
  ]);
  expect(versionsOf(second, "e")).toEqual([1]);
  expect(versionsOf(second, "e_z")).toEqual([1]);
  expect(second.build?.tree.get("model_repository/m/1/model.onnx")).toMatchObject(
    first.build?.tree.get("model_repository/m/1/model.onnx") ?? {},
  );
});

test("without changes the bytes stay the same", () => {
  const second = build(model("Abs"), build(model("Relu"), undefined));
  const again = build(model("Abs"), second);
  expect(emittedText(again, "manifest.json")).toBe(emittedText(second, "manifest.json"));
  expect([...(again.build?.tree.keys() ?? [])]).toEqual([...(second.build?.tree.keys() ?? [])]);
});

test("if only the configuration changes, it is replaced in place", () => {
  const first = build(model("Relu"), undefined);
  const second = build(model("Relu"), first, { fields: { instanceGroup: [{ kind: "cpu", count: 2 }] } });
  expect(versionsOf(second)).toEqual([1]);
});

test("content from an older version gets a new version number", () => {
  const second = build(model("Abs"), build(model("Relu"), undefined));
  expect(versionsOf(build(model("Relu"), second))).toEqual([2, 3]);
});

test("tensor math is versioned like any other model", () => {
  const scaled = (factor: number, previous: Compilation | undefined): Compilation =>
    compileInMemory(
      [
        defineEnsemble({
          name: "e",
          maxBatchSize: 4,
          inputs: { x: fp32("batch", 4) },
          run: ({ x }) => ({ z: x.mul(factor) }),
        }),
      ],
      {},
      { append: { previous: previous?.build, keep: 1 } },
    );
  expect(versionsOf(scaled(3, scaled(2, undefined)), "e_z")).toEqual([1, 2]);
});

const chain = (operators: readonly string[], written?: Written): Compilation => {
  let last: Compilation | undefined;
  for (const operator of operators) last = build(model(operator), last, written);
  invariant(last !== undefined, "no operators");
  return last;
};
const five = ["Relu", "Abs", "Neg", "Exp", "Tanh"];

test.each([
  ["keep 0", { keep: 0 }, [5]],
  ["keep 2", { keep: 2 }, [3, 4, 5]],
  [
    "the versions that the policy names",
    { fields: { versionPolicy: { specific: { versions: [1, 3, 5] } } } },
    [1, 3, 4, 5],
  ],
  [
    "as many as the policy serves",
    { fields: { versionPolicy: { latest: { numVersions: 4 } } } },
    [2, 3, 4, 5],
  ],
  ["`all` serves the versions that are kept", { fields: { versionPolicy: { all: {} } } }, [4, 5]],
  ["the version that is called", { version: 1, fields: { versionPolicy: { all: {} } } }, [1, 4, 5]],
])("keeps the expected old versions: %s", (_, written, versions) => {
  const last = chain(five, written);
  expect(messages(last).filter((message) => !message.startsWith("version/not-there"))).toEqual([]);
  expect(versionsOf(last)).toEqual(versions);
});

test("a new signature is refused if an old version is kept, and accepted otherwise", () => {
  const first = build(model("Relu", 4), undefined);
  expect(messages(build(model("Relu", 8), first, { size: 8 }))).toEqual([
    "version/signature-changed: `e_z` cannot be appended to the versions in the build folder: `y` is FP32[batch, 8], but FP32[batch, 4] in the old versions",
    "version/signature-changed: `m` cannot be appended to the versions in the build folder: `x` is FP32[batch, 8], but FP32[batch, 4] in the old versions",
  ]);
  expect(versionsOf(build(model("Relu", 8), first, { size: 8, keep: 0 }))).toEqual([2]);
});

test("a manually edited file of an old version is not kept", () => {
  const first = build(model("Relu"), undefined);
  const path = "model_repository/m/1/model.onnx";
  const changed = (file: Uint8Array | undefined): Compilation["build"] => {
    invariant(first.build !== undefined, "no build");
    const tree = new Map(first.build.tree);
    if (file === undefined) tree.delete(path);
    else tree.set(path, { kind: "bytes", bytes: file });
    return { ...first.build, tree };
  };
  const next = (file: Uint8Array | undefined): Compilation =>
    build(model("Abs"), { ...first, build: changed(file) });
  expect(messages(next(new Uint8Array(3)))).toEqual([
    "version/kept-file-changed: version 1 of `m` in the build folder was modified: `1/model.onnx` has changed",
  ]);
  // Although the version's whole folder was deleted, its number is not reused.
  expect(messages(next(undefined))).toEqual([]);
  expect(versionsOf(next(undefined))).toEqual([2]);
});

test("versions listed by the author are built as listed", () => {
  const versions = { 1: { file: "v1.onnx" }, 2: { file: "v2.onnx" } };
  const second = build(model("Tanh"), chain(five), { fields: { file: undefined, versions } });
  expect(messages(second)).toEqual([]);
  expect(versionsOf(second)).toEqual([1, 2]);
  expect(versionsOf(build(model("Tanh"), second))).toEqual([2, 3]);
});

test("each version of a tokenizer keeps its own twin", () => {
  const text = (vocabulary: Readonly<Record<string, number>>): Uint8Array =>
    new TextEncoder().encode(
      JSON.stringify({
        version: "1.0",
        added_tokens: [],
        model: { type: "WordLevel", vocab: vocabulary, unk_token: "[UNK]" },
        pre_tokenizer: { type: "Whitespace" },
      }),
    );
  const built = (file: Uint8Array, pad: string, previous: Compilation | undefined): Compilation =>
    compileInMemory(
      [
        defineEnsemble({
          name: "ids",
          maxBatchSize: 4,
          inputs: { text: bytes("batch", 1) },
          run: (inputs) => tokenizer({ name: "tokenize", from: "t", maxLength: 8 })(inputs),
        }),
      ],
      {
        "t/tokenizer.json": file,
        "t/tokenizer_config.json": new TextEncoder().encode(JSON.stringify({ pad_token: pad })),
      },
      { append: { previous: previous?.build, keep: 1 } },
    );
  const first = built(text({ "[UNK]": 0, "[PAD]": 1 }), "[PAD]", undefined);
  const second = built(text({ "[UNK]": 0, "[NUL]": 1, "[END]": 2 }), "[END]", first);
  expect(messages(second)).toEqual([]);
  const described = second.build?.manifest.models.find(({ name }) => name === "tokenize");
  expect(described?.twin).toBeUndefined();
  expect(
    described?.versions?.map(({ twin }) => [twin?.options["pad"], Object.keys(twin?.files ?? {})]),
  ).toEqual([
    [expect.objectContaining({ id: 1 }), ["1/model.py", "1/tokenizer.json", "config.pbtxt"]],
    [expect.objectContaining({ id: 2 }), ["2/model.py", "2/tokenizer.json", "config.pbtxt"]],
  ]);
});
