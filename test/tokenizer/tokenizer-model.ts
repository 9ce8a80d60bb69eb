import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  type CompilerHost,
  detokenizerKind,
  type StepContext,
  type StepKind,
  type StepModel,
  tokenizerKind,
  fileBytes,
} from "@tritype/compiler";
import { type ManifestTwin } from "@tritype/manifest";
import { dtypes, encodeUtf8, hasErrors, invariant, type Signature, type StepDefinition } from "@tritype/core";
import {
  type DetokenizerOptions,
  detokenizer,
  int32,
  int64,
  recordOf,
  type TokenizerOptions,
  tokenizer,
} from "@tritype/dsl";
import type { ModelVersion } from "@tritype/runtime";
import { defaultRelease } from "@tritype/triton";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Folders with a tokenizer.json, relative to the root. */
export const tokenizerFolders = {
  bert: "examples/sentence-embedding/assets/tokenizer",
  "byte-bpe": "test/tokenizer/assets/byte-bpe",
  unigram: "test/tokenizer/assets/unigram",
  "word-level": "test/tokenizer/assets/word-level",
  wordpiece: "test/tokenizer/assets/wordpiece",
  llama: "test/tokenizer/assets/llama",
  gpt: "test/tokenizer/assets/gpt",
  m2m100: "test/tokenizer/assets/m2m100",
  nllb: "test/tokenizer/assets/nllb",
  mbart: "test/tokenizer/assets/mbart",
} as const;
export type TokenizerName = keyof typeof tokenizerFolders;

export type Options = Omit<TokenizerOptions, "name" | "from" | "ids"> & { readonly ids?: "INT32" | "INT64" };

const host: CompilerHost = {
  readFile: (path) => {
    try {
      return readFileSync(join(root, path));
    } catch {
      return undefined;
    }
  },
  listFiles: () => undefined,
  sha256: (bytes) => createHash("sha256").update(bytes).digest("hex"),
};
const context: StepContext = {
  host,
  maxBatchSize: 64,
  batched: true,
  release: defaultRelease,
};

/** The options as read by the DSL, as if they were written on line 8 of pipeline.ts. */
export const tokenizerStep = (from: string, { ids, ...options }: Options): StepDefinition => {
  const made = tokenizer({ name: "tokenize", from, ids: ids === "INT32" ? int32 : int64, ...options });
  const record = recordOf(made);
  invariant(record !== undefined, "tokenizer() makes a step");
  const { name, kind, inputs, outputs, options: given } = record;
  return {
    name,
    kind,
    inputs,
    outputs,
    options: given,
    site: [{ file: "pipeline.ts", line: 8, column: 18 }],
  };
};

export const emitTokenizer = (name: TokenizerName, options: Options): StepModel =>
  emitStep(tokenizerKind, tokenizerStep(tokenizerFolders[name], options), name);

/** An emitted tokenizer on disk. */
export interface WrittenTokenizer {
  readonly model: ModelVersion;
  readonly outputs: readonly string[];
  readonly twin: ManifestTwin;
  remove(): void;
}

/** @param from A tokenizer of these tests, or a file's text. */
export const writeTokenizer = (from: TokenizerName | GivenFile, options: Options): WrittenTokenizer => {
  const step = tokenizerStep(folderOf(from), options);
  return writeModel("tokenize", step.outputs, emitStep(tokenizerKind, step, from));
};

export type DetokenizerChoices = Omit<DetokenizerOptions, "name" | "from" | "ids">;

/** The emitted form of a detokenizer. */
export const emitDetokenizer = (name: TokenizerName, options: DetokenizerChoices): StepModel =>
  emitStep(detokenizerKind, detokenizerStep(name, options), name);

/** @param from A tokenizer of these tests, or a file's text. */
export const writeDetokenizer = (
  from: TokenizerName | GivenFile,
  options: DetokenizerChoices = {},
): WrittenTokenizer => {
  const step = detokenizerStep(from, options);
  return writeModel("detokenize", step.outputs, emitStep(detokenizerKind, step, from));
};

const detokenizerStep = (from: TokenizerName | GivenFile, options: DetokenizerChoices): StepDefinition => {
  const record = recordOf(detokenizer({ name: "detokenize", from: folderOf(from), ...options }));
  invariant(record !== undefined, "detokenizer() makes a step");
  const { name, kind, inputs, outputs, options: given } = record;
  return {
    name,
    kind,
    inputs,
    outputs,
    options: given,
    site: [{ file: "pipeline.ts", line: 8, column: 18 }],
  };
};

/** The text of a tokenizer.json. */
interface GivenFile {
  readonly text: string;
}

const folderOf = (from: TokenizerName | GivenFile): string =>
  typeof from === "string" ? tokenizerFolders[from] : "given";

/** The emitted form of a step; its check may only report warnings. */
const emitStep = (kind: StepKind, step: StepDefinition, from: TokenizerName | GivenFile): StepModel => {
  const given: StepContext =
    typeof from === "string"
      ? context
      : {
          ...context,
          host: {
            ...host,
            readFile: (path) => (path === "given/tokenizer.json" ? encodeUtf8(from.text) : undefined),
          },
        };
  const { diagnostics, value: read } = kind.read(step, given);
  invariant(
    read !== undefined && !hasErrors(diagnostics),
    diagnostics.map(({ message }) => message).join("; "),
  );
  return read.model({ holdErrors: false, namesOf: () => undefined });
};

const writeModel = (
  name: string,
  outputs: Signature,
  { files, config, twin }: StepModel,
): WrittenTokenizer => {
  invariant(twin !== undefined, `${name} has a twin`);
  const folder = mkdtempSync(join(tmpdir(), "tritype-tokenizer-"));
  const versionFolder = join(folder, "1");
  mkdirSync(versionFolder);
  for (const [path, file] of files) writeFileSync(join(versionFolder, path), fileBytes(file));
  return {
    model: {
      name,
      version: "1",
      folder,
      versionFolder,
      config: { ...config, name, max_batch_size: 64, output: configOutputs(outputs) },
    },
    outputs: Object.keys(outputs),
    twin: { kind: twin.kind, options: twin.options, files: {} },
    remove: () => rmSync(folder, { recursive: true }),
  };
};

const configOutputs = (outputs: Signature): NonNullable<ModelVersion["config"]["output"]> =>
  Object.entries(outputs).map(([name, { dtype, dims }]) => ({
    name,
    data_type: dtypes[dtype].configName as "TYPE_INT64",
    dims: dims.slice(1).map((dim) => (typeof dim === "number" ? dim : -1)),
  }));
