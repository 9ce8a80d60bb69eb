import { bytes, defineEnsemble, fp32, int64, json, onnx, step, tokenizer } from "@tritype/dsl";
import { buildModel } from "@tritype/onnx";
import { tensorOf } from "@tritype/core";
import { expect, test } from "vitest";
import { compileInMemory } from "../compile.fixture.ts";
import { functionKinds } from "../function/function-kind.ts";
import { defaultFunctions } from "../node/function-settings.ts";

/** Looks up ids in a table with this many rows. */
const lookUp = (rows: number) => {
  const name = `table_${rows}`;
  const [ids, vectors] = [int64("batch", 3), fp32("batch", 3, 2)];
  const file = buildModel(
    { name, inputs: [{ name: "ids", type: ids }], outputs: [{ name: "vectors", type: vectors }] },
    (builder) => ({
      vectors: builder.node("Gather", [
        builder.constant(tensorOf("FP32", [rows, 2], Array.from({ length: rows * 2 }, Number))),
        "ids",
      ])[0],
    }),
  );
  const step = onnx({ name, file: `${name}.onnx`, inputs: { ids }, outputs: { vectors } });
  return { step, files: { [`${name}.onnx`]: file } };
};

const [two, seven] = [lookUp(2), lookUp(7)];
const files = {
  ...two.files,
  ...seven.files,
  "words/tokenizer.json": new TextEncoder().encode(
    JSON.stringify({
      version: "1.0",
      added_tokens: ["<pad>", "<unk>", "__en__", "__de__"].map((content, id) => ({ id, content })),
      model: { type: "WordLevel", vocab: { "<pad>": 0, "<unk>": 1 }, unk_token: "<unk>" },
    }),
  ),
};
const tokenize = tokenizer({
  name: "tokenize",
  from: "words",
  maxLength: 8,
  languages: { source: true, target: true, tokens: "__*__" },
});

/** The schema of the JSON inputs of a function whose name begins with this letter. */
const schemaOf = (letter = "") => ({ type: "object", properties: { [letter]: { type: "number" } } });
const translated = {
  imports: [],
  support: "",
  python: "def run(row):\n    return row\n",
  entry: "run",
  lines: [],
  javascript: "export const run = (row) => row;\n",
  javascriptLines: [],
  files: [],
};

const acceptedBy = (...ensembles: readonly unknown[]) => {
  const { build, diagnostics } = compileInMemory(ensembles, files, {
    siteOf: () => [{ file: "pipeline.ts", line: 1, column: 1 }],
    stepKinds: functionKinds(
      (_at, { step }) => ({ refusals: [], translated, jsonSchemas: { order: schemaOf(step[0]) } }),
      {
        settings: defaultFunctions,
        bundle: () => ({ files: new Map(), packages: [], native: [], problems: [] }),
      },
    ),
  });
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  return Object.fromEntries(
    (build?.manifest.ensembles ?? []).map(({ name, inputs }) => [
      name,
      Object.fromEntries(Object.entries(inputs).map(([input, { accepts }]) => [input, accepts])),
    ]),
  );
};

test("an input that several models use for lookups only accepts ids that fit the smallest table", () => {
  const look = defineEnsemble({
    name: "look",
    maxBatchSize: 4,
    inputs: { ids: int64("batch", 3), only: int64("batch", 3), shifted: int64("batch", 3) },
    run: ({ ids, only, shifted }) => ({
      two: two.step({ ids }).vectors,
      seven: seven.step({ ids }).vectors,
      one: seven.step({ ids: only }).vectors,
      moved: two.step({ ids: shifted.sub(1) }).vectors,
    }),
  });
  expect(acceptedBy(look)).toEqual({
    look: { ids: { minimum: 0, maximum: 1 }, only: { minimum: 0, maximum: 6 }, shifted: undefined },
  });
});

test("a tokenizer's languages are found through a nested ensemble", () => {
  const inner = defineEnsemble({
    name: "inner",
    maxBatchSize: 4,
    inputs: { text: bytes("batch", 1), source: bytes("batch", 1), target: bytes("batch", 1) },
    run: ({ text, source, target }) => {
      const ids = tokenize({ text, source_language: source, target_language: target });
      return { ids: ids.input_ids, first: ids.forced_bos_token_id };
    },
  });
  const outer = defineEnsemble({
    name: "outer",
    maxBatchSize: 4,
    inputs: { text: bytes("batch", 1), language: bytes("batch", 1) },
    run: ({ text, language }) => inner({ text, source: language, target: language }),
  });
  const languages = { enum: ["de", "en"] };
  expect(acceptedBy(outer, inner)).toEqual({
    inner: { text: undefined, source: languages, target: languages },
    outer: { text: undefined, language: languages },
  });
});

test("a JSON input has the schema of its type, in Python and on Node, unless two functions take different types", () => {
  const inputs = { order: json<{ n: number }>() };
  const outputs = { y: bytes("batch", 1) };
  const run = () => ({ y: "" });
  const first = step({ name: "python", inputs, outputs, run });
  const second = step({ name: "node", engine: "node", inputs, outputs, run });
  const ensemble = (name: string, ...called: (typeof first)[]) =>
    defineEnsemble({
      name,
      maxBatchSize: 4,
      inputs,
      run: ({ order }) => Object.fromEntries(called.map((one, i) => [`z${i}`, one({ order }).y])),
    });
  const both = [ensemble("a", first), ensemble("b", second), ensemble("c", first, second)];
  expect(acceptedBy(...both)).toEqual({
    a: { order: { contentMediaType: "application/json", contentSchema: schemaOf("p") } },
    b: { order: { contentMediaType: "application/json", contentSchema: schemaOf("n") } },
    c: { order: { contentMediaType: "application/json" } },
  });
});
