import { encodeUtf8, hasErrors, type Span } from "@tritype/core";
import { defineEnsemble, fp32, makeStep, recordOf } from "@tritype/dsl";
import { buildModel } from "@tritype/onnx";
import { defaultRelease } from "@tritype/triton";
import { expect, test } from "vitest";
import { builtInKinds, compile } from "../compile.ts";
import { memoryHost } from "../compile.fixture.ts";
import { ensembleForms } from "./check-option-names.ts";
import { functionKinds } from "../function/function-kind.ts";
import { defaultFunctions } from "../node/function-settings.ts";
import { authorFields } from "../emit/field-places.ts";

const type = fp32("batch", 4);
const model = buildModel(
  { name: "m", inputs: [{ name: "x", type }], outputs: [{ name: "y", type }] },
  (builder) => ({ y: builder.node("Neg", ["x"])[0] }),
);
const tokenizerJson = {
  added_tokens: [{ id: 0, content: "[PAD]" }],
  model: { type: "WordLevel", vocab: { "[PAD]": 0, a: 1 }, unk_token: "a" },
};
const kinds = [
  ...builtInKinds,
  ...functionKinds(
    () => ({
      refusals: [
        { code: "function/any", at: { file: "pipeline.ts", line: 1, column: 1 }, what: "x", instead: "y" },
      ],
      translated: undefined,
    }),
    {
      settings: defaultFunctions,
      bundle: () => ({ files: new Map(), packages: [], native: [], problems: [] }),
    },
  ),
];

/** The options that each kind needs in addition to the one under test. */
const needed: Readonly<Record<string, object>> = {
  tokenizer: { from: "t", maxLength: 8 },
  detokenizer: { from: "t" },
  generate: { from: "t" },
  onnx: { file: "m.onnx" },
  custom: { backend: "mine" },
  python: { file: "m.py" },
};

/** The codes of findings at the option, and whether the step has any error. */
const said = (
  kind: string,
  option: string,
  value: unknown,
): {
  readonly there: readonly string[];
  readonly help: readonly (string | undefined)[];
  readonly failed: boolean;
} => {
  const isEnsemble = kind === "ensemble";
  const options = { ...needed[kind], [option]: value };
  const step = makeStep({
    kind: isEnsemble ? "custom" : kind,
    name: "s",
    inputs: { x: type },
    outputs: { y: type },
    options: isEnsemble ? { backend: "mine" } : options,
    ...(kind === "flow" ? { callees: {} } : {}),
    calledAs: makeStep,
  });
  const ensemble = defineEnsemble({
    name: "e",
    maxBatchSize: 8,
    ...(isEnsemble ? options : {}),
    inputs: { x: type },
    run: ({ x }) => ({ z: step({ x }).y }),
  });
  const record = recordOf(ensemble);
  const source = `kind({\n${Object.keys(options)
    .map((name) => `  ${name}: 1,\n`)
    .join("")}});\n`;
  const host = memoryHost({
    "pipeline.ts": encodeUtf8(source),
    "m.onnx": model,
    "m.py": encodeUtf8("class TritonPythonModel: ...\n"),
    "t/tokenizer.json": encodeUtf8(JSON.stringify(tokenizerJson)),
  });
  const { diagnostics } = compile(record === undefined ? [] : [record], {
    host,
    siteOf: () => [{ file: "pipeline.ts", line: 1, column: 1 }],
    release: defaultRelease,
    stepKinds: kinds.slice(builtInKinds.length),
  });
  const line = 2 + Object.keys(options).indexOf(option);
  const isThere = ({ span }: { readonly span: Span }): boolean => span.line === line && span.column === 3;
  const there = diagnostics.filter(({ labels }) => labels.some(isThere));
  return {
    there: there.map(({ code }) => code),
    help: there.map(({ help }) => help),
    failed: hasErrors(diagnostics),
  };
};

/** Options that constructors handle: they set `per`, and throw if `run` is not a function. */
const ofConstructor = ["per", "run"];
const own = kinds.flatMap(({ kind, options = [] }) =>
  (Array.isArray(options) ? (options as readonly string[]) : Object.keys(options))
    .filter((option) => !ofConstructor.includes(option))
    .map((option) => [kind, option] as const),
);
const shared = [
  ...authorFields,
  "modelWarmup",
  "maxBatchSize",
  "profiles",
  "raw",
  "inputFields",
  "outputFields",
];
const every = [
  ...own,
  ...shared.map((option) => ["onnx", option] as const),
  ...Object.keys(ensembleForms).map((option) => ["ensemble", option] as const),
];

test.each(every)("%s: a misspelt `%s` is reported where it is written", (kind, option) => {
  const { there, help } = said(kind, `${option}x`, 1);
  expect(there).toEqual(["model/unknown-option"]);
  expect(help).toEqual([`did you mean \`${option}\`?`]);
});

test.each(every)("%s: a number as `%s` is reported where it is written", (kind, option) => {
  const { there, failed } = said(kind, option, -1.5);
  expect(failed).toBe(true);
  expect(there).not.toEqual([]);
});

const versioned = kinds.flatMap(({ kind, options = {} }) => ("versions" in options ? [kind] : []));
const ofVersion: Readonly<Record<string, string>> = {
  detokenizer: "from",
  python: "folder",
  tensorrt: "build",
  tokenizer: "from",
};
const wrongForm = (kind: string): string =>
  kind.endsWith("tokenizer") ? "tokenizer/invalid-option" : "model/bad-field";

test.each(versioned)("%s: a version's invalid option is reported where `versions` is written", (kind) => {
  const option = ofVersion[kind] ?? "file";
  expect(said(kind, "versions", { 1: { [option]: 3 } }).there).toEqual([wrongForm(kind)]);
  expect(said(kind, "versions", { 1: "v1" }).there).toEqual([wrongForm(kind)]);
});
