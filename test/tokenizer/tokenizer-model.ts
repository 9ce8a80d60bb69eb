import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  type CompilerHost,
  detokenizerKind,
  type StepContext,
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

/** Folders with a tokenizer.json, from the root. */
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
const context: StepContext = { host, maxBatchSize: 64, batched: true, release: defaultRelease };

/** What the DSL makes of the options, as if written in line 8 of pipeline.ts. */
export const tokenizerStep = (from: string, { ids, ...options }: Options): StepDefinition => {
  const made = tokenizer({ name: "tokenize", from, ids: ids === "INT32" ? int32 : int64, ...options });
  const record = recordOf(made);
  invariant(record !== undefined, "tokenizer() makes a step");
  return { ...record, site: [{ file: "pipeline.ts", line: 8, column: 18 }] };
};

/** The step after its check, which must find nothing. */
export const emitTokenizer = (name: TokenizerName, options: Options): StepModel => {
  const step = tokenizerStep(tokenizerFolders[name], options);
  const problems = tokenizerKind.check?.(step, context) ?? [];
  invariant(problems.length === 0, problems.map((it) => it.message).join("; "));
  return tokenizerKind.emit(step, context);
};

/** An emitted tokenizer on disk. */
export interface WrittenTokenizer {
  readonly model: ModelVersion;
  readonly outputs: readonly string[];
  readonly twin: ManifestTwin;
  remove(): void;
}

export const writeTokenizer = (name: TokenizerName, options: Options): WrittenTokenizer =>
  writeModel(
    "tokenize",
    tokenizerStep(tokenizerFolders[name], options).outputs,
    emitTokenizer(name, options),
  );

export type DetokenizerChoices = Omit<DetokenizerOptions, "name" | "from" | "ids">;

/** What a detokenizer becomes; its check may only warn. */
export const emitDetokenizer = (name: TokenizerName, options: DetokenizerChoices): StepModel =>
  emitFrom(tokenizerFolders[name], options, context).emitted;

/** @param from A tokenizer of these tests, or a file's text. */
export const writeDetokenizer = (
  from: TokenizerName | { readonly text: string },
  options: DetokenizerChoices = {},
): WrittenTokenizer => {
  const { outputs, emitted } =
    typeof from === "string"
      ? emitFrom(tokenizerFolders[from], options, context)
      : emitFrom("given", options, {
          ...context,
          host: {
            ...host,
            readFile: (path) => (path === "given/tokenizer.json" ? encodeUtf8(from.text) : undefined),
          },
        });
  return writeModel("detokenize", outputs, emitted);
};

const emitFrom = (
  from: string,
  options: DetokenizerChoices,
  given: StepContext,
): { readonly outputs: Signature; readonly emitted: StepModel } => {
  const record = recordOf(detokenizer({ name: "detokenize", from, ...options }));
  invariant(record !== undefined, "detokenizer() makes a step");
  const step = { ...record, site: [{ file: "pipeline.ts", line: 8, column: 18 }] };
  const problems = detokenizerKind.check?.(step, given) ?? [];
  invariant(!hasErrors(problems), problems.map((it) => it.message).join("; "));
  return { outputs: step.outputs, emitted: detokenizerKind.emit(step, given) };
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
