import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type CompilerHost, type StepContext, type StepModel, tokenizerKind } from "@tritype/compiler";
import { type ManifestTwin } from "@tritype/manifest";
import { dtypes, invariant, type Signature, type StepDefinition } from "@tritype/core";
import { int32, int64, recordOf, type TokenizerOptions, tokenizer } from "@tritype/dsl";
import type { ModelVersion } from "@tritype/runtime";
import { defaultRelease } from "@tritype/triton";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Folders with a tokenizer.json, from the root. */
export const tokenizerFolders = {
  bert: "examples/sentence-embedding/assets/tokenizer",
  "byte-bpe": "test/tokenizer/assets/byte-bpe",
  unigram: "test/tokenizer/assets/unigram",
  "word-level": "test/tokenizer/assets/word-level",
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

export const writeTokenizer = (name: TokenizerName, options: Options): WrittenTokenizer => {
  const { outputs } = tokenizerStep(tokenizerFolders[name], options);
  const { files, config, twin } = emitTokenizer(name, options);
  invariant(twin !== undefined, "a tokenizer has a twin");
  const folder = mkdtempSync(join(tmpdir(), "tritype-tokenizer-"));
  const versionFolder = join(folder, "1");
  mkdirSync(versionFolder);
  for (const [path, file] of files)
    writeFileSync(join(versionFolder, path), file.kind === "text" ? file.text : file.bytes);
  return {
    model: {
      name: "tokenize",
      version: "1",
      folder,
      versionFolder,
      config: { ...config, name: "tokenize", max_batch_size: 64, output: configOutputs(outputs) },
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
