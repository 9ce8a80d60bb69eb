import { createHash } from "node:crypto";
import { inspect } from "node:util";
import { compile, functionKinds, type StepKind } from "@tritype/compiler";
import { type Diagnostic, encodeUtf8, PipelineError } from "@tritype/core";
import * as dsl from "@tritype/dsl";
import { checkBuild, judgeBuild } from "@tritype/project";
import { releases } from "@tritype/triton";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { doubleModel, torchscript } from "../fixtures/models.ts";
import { compileFixture, makeProject, type ProjectFixture } from "../fixtures/project.ts";
import { misspellings } from "./option-objects.ts";

const x = dsl.fp32("batch", "seq");
const release = releases.at(-1) ?? expect.fail("no releases");

/** The options that make a step complete. */
const other = dsl.onnx({ name: "other", file: "m.onnx", inputs: { x }, outputs: { y: x } });
const complete: Readonly<Record<string, object>> = {
  defineEnsemble: {
    inputs: { x },
    maxBatchSize: 8,
    run: ({ x: wire }: never) => ({ y: other({ x: wire }).y }),
  },
  step: { inputs: { x }, outputs: { y: x } },
  custom: { inputs: { x }, outputs: { y: x }, backend: "repeat" },
  detokenizer: { from: "t" },
  flow: { inputs: { x }, outputs: { y: x }, maxBatchSize: 8, uses: { other } },
  generate: { from: "t" },
  onnx: { inputs: { x }, outputs: { y: x }, file: "m.onnx" },
  openvino: { inputs: { x }, outputs: { y: x }, file: "m.xml" },
  python: { inputs: { x }, outputs: { y: x }, file: "m.py" },
  tensorrt: { inputs: { x }, outputs: { y: x }, file: "m.plan" },
  tokenizer: { from: "t", maxLength: 8 },
  torchscript: { inputs: { x }, outputs: { y: x }, file: "m.pt" },
};
/** Options that are replaced by others. */
const replaced: Readonly<Record<string, readonly string[]>> = {
  build: ["file"],
  versions: ["file", "from", "folder"],
};

const files: Readonly<Record<string, Uint8Array>> = {
  "m.onnx": doubleModel("seq"),
  x: doubleModel("seq"),
  "m.pt": torchscript("double"),
  "m.py": encodeUtf8("class TritonPythonModel: ...\n"),
  "m.xml": encodeUtf8("<net></net>"),
  "m.bin": new Uint8Array(4),
  "m.plan": new Uint8Array([0x66, 0x74, 0x72, 0x74, 0, 0, 0, 0]),
  "t/tokenizer.json": encodeUtf8(
    JSON.stringify({
      added_tokens: [{ id: 0, content: "[PAD]" }],
      model: { type: "WordLevel", vocab: { "[PAD]": 0, a: 1 }, unk_token: "a" },
    }),
  ),
};

/** Functions are neither translated nor bundled, because this test is only about their options. */
const kinds: readonly StepKind[] = functionKinds(() => ({ refusals: [], translated: undefined }), {
  settings: { engine: "node", node: 24 },
  bundle: () => ({ files: new Map(), packages: [], native: [], problems: [] }),
});

const keyOf = (path: readonly string[]): string => {
  const last = path.at(-1) ?? "";
  return last === "profiles" ? "cpu" : ["versions", "priorityQueuePolicy"].includes(last) ? "1" : "x";
};
const { defineConfig: ofConfig = [], ...ofModels } = Object.fromEntries(misspellings(keyOf));

/** A text followed by options with one property per line, and the line and column of the property at `path`. */
const sourceOf = (
  before: string,
  options: object,
  path: readonly string[],
): { readonly source: string; readonly line: number; readonly column: number } => {
  const lines = [before];
  let place = { line: 0, column: 0 };
  const print = (value: unknown, at: readonly string[]): void => {
    if (typeof value !== "object" || value === null) {
      lines[lines.length - 1] += typeof value === "function" ? "() => ({})" : JSON.stringify(value);
      return;
    }
    const isList = Array.isArray(value);
    lines[lines.length - 1] += isList ? "[" : "{";
    for (const [key, inner] of Object.entries(value)) {
      const inside = [...at, key];
      const indent = "  ".repeat(inside.length);
      lines.push(isList ? indent : `${indent}${key}: `);
      if (inside.join(".") === path.join(".")) place = { line: lines.length, column: indent.length + 1 };
      print(inner, inside);
      lines[lines.length - 1] += ",";
    }
    lines.push(`${"  ".repeat(at.length)}${isList ? "]" : "}"}`);
  };
  print(options, []);
  return { source: `${lines.join("\n")}${before.endsWith("(") ? ")" : ""};\n`, ...place };
};

/** The findings of the compiler and the rules for a step or ensemble with these options. */
const compiled = (constructor: string, options: object, source: string): readonly Diagnostic[] => {
  const make = (dsl as unknown as Readonly<Record<string, (options: object) => unknown>>)[constructor];
  const made = dsl.recordOf(make?.(options)) ?? expect.fail(`${constructor} makes no step`);
  const wired = ({ inputs }: dsl.StepRecord): dsl.Signature =>
    Object.fromEntries(Object.entries(inputs).map(([name, { dtype, dims }]) => [name, { dtype, dims }]));
  const step = make?.({ ...options, name: "own" }) as dsl.Step;
  const record = dsl.isCalledByClients(made)
    ? made
    : dsl.recordOf(
        dsl.defineEnsemble({
          name: "e",
          maxBatchSize: 8,
          inputs: wired(made),
          run: (wires) => step(wires) as never,
        }),
      );
  const all = new Map(Object.entries({ ...files, "pipeline.ts": encodeUtf8(source) }));
  const compilation = compile(record === undefined ? [] : [record], {
    host: {
      readFile: (path) => all.get(path),
      listFiles: () => undefined,
      sha256: (bytes) => createHash("sha256").update(bytes).digest("hex"),
    },
    siteOf: () => [{ file: "pipeline.ts", line: 1, column: 1 }],
    release,
    stepKinds: kinds,
    profiles: JSON.stringify(options).includes("profiles") ? { cpu: {} } : {},
  });
  if (compilation.build === undefined) return compilation.diagnostics;
  return [...compilation.diagnostics, ...checkBuild(compilation.emitted, { release }).authors];
};

const declared: ReadonlySet<string> = new Set(["inputs", "outputs", "uses", "run"]);

/** Whether a finding at a position suggests the right name. */
const asksFor = (
  found: readonly Diagnostic[],
  meant: string,
  { line, column }: { readonly line: number; readonly column: number },
): boolean => {
  const guess = new RegExp(`did you mean \`?([\\w.]+\\.)?${meant}\\b`);
  return found.some(
    ({ labels, help = "", message }) =>
      labels.some(({ span }) => span.line === line && span.column === column) &&
      guess.test(`${message} ${help}`),
  );
};

/** Options together with those that the constructor needs. */
const withRequired = (constructor: string, path: readonly string[], options: object): object => {
  const own = Object.entries(complete[constructor] ?? {});
  const kept = own.filter(([name]) => !replaced[path[0] ?? ""]?.includes(name));
  const tensors = own.filter(([name]) => declared.has(name));
  return Object.fromEntries([...kept, ...Object.entries(options), ...tensors]);
};

test.each(Object.entries(ofModels))(
  "%s: each misspelt name is reported where it is written, with a suggestion",
  (constructor, all) => {
    const missed = all.filter(({ path, meant, options }) => {
      const full = withRequired(constructor, path, options);
      const { source, ...place } = sourceOf(`${constructor}(`, full, path);
      return !asksFor(compiled(constructor, full, source), meant, place);
    });
    expect(missed.map(({ path }) => path.join("."))).toEqual([]);
  },
);

const wrongValues: readonly unknown[] = [
  null,
  undefined,
  "int32",
  "",
  7,
  -1.5,
  true,
  [],
  ["a"],
  [null],
  {},
  { a: null },
  () => 1,
];

/** Values for the place with this number: an eighth of them, in turn; `TRITYPE_TYPES=long` tries all of them everywhere. */
const valuesFor = (place: number): readonly unknown[] =>
  process.env["TRITYPE_TYPES"] === "long"
    ? wrongValues
    : wrongValues.filter((_, index) => (index + place) % 8 === 0);

/** The options with a different value at a path, or `undefined` if the path leads through something else. */
const replacedAt = (value: unknown, [key = "", ...rest]: readonly string[], wrong: unknown): unknown => {
  const copy = Array.isArray(value) ? [...(value as readonly unknown[])] : { ...(value as object) };
  const open = copy as Record<string, unknown>;
  open[key] = rest.length === 0 ? wrong : replacedAt(open[key], rest, wrong);
  return copy;
};

test.each(Object.entries(ofModels))(
  "%s: a value of another type in any place gives findings, never an exception of JavaScript",
  (constructor, all) => {
    /** Replacing a whole object gives the same options for each name inside it. */
    const tried = new Set<string>();
    const failures = all.flatMap(({ path, meant, options }) => {
      const full = { name: "own", ...withRequired(constructor, path, options) };
      const places = path.map((_, at) => [
        ...path.slice(0, at),
        at === path.length - 1 ? meant : (path[at] ?? ""),
      ]);
      return places.flatMap((place) => {
        const shown = inspect(replacedAt(full, place, undefined), { depth: null });
        if (tried.has(shown)) return [];
        tried.add(shown);
        return valuesFor(tried.size).flatMap((wrong) => {
          try {
            compiled(constructor, replacedAt(full, place, wrong) as object, "");
            return [];
          } catch (error) {
            return error instanceof PipelineError
              ? []
              : [`${place.join(".")}: ${JSON.stringify(wrong) ?? typeof wrong}: ${String(error)}`];
          }
        });
      });
    });
    expect([...new Set(failures)]).toEqual([]);
  },
);

describe("pipeline.config.ts", () => {
  let project: ProjectFixture;
  beforeAll(() => {
    project = makeProject({
      "m.onnx": doubleModel(),
      "pipeline.ts": `import { defineEnsemble, fp32, onnx } from "tritype";
const double = onnx({ name: "double", file: "m.onnx", inputs: { x: fp32("batch", 4) }, outputs: { y: fp32("batch", 4) } });
export const e = defineEnsemble({ name: "e", maxBatchSize: 8, inputs: { x: fp32("batch", 4) }, run: ({ x }) => double({ x }) });
`,
    });
  });
  afterAll(() => project.remove());

  test("each misspelt name is reported where it is written, with a suggestion", async () => {
    const missed: string[] = [];
    for (const { path, meant, options } of ofConfig) {
      const { source, ...place } = sourceOf("export default ", options, path);
      project.write("pipeline.config.ts", source);
      const found = await compileFixture(project).then(
        (compiled) => judgeBuild(compiled).diagnostics,
        (error: unknown) => (error as { readonly diagnostics: readonly Diagnostic[] }).diagnostics,
      );
      if (!asksFor(found, meant, place)) missed.push(path.join("."));
    }
    expect(missed).toEqual([]);
  });
});
