import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type CompilerHost, fileBytes, generateKind, type StepContext } from "@tritype/compiler";
import { dtypes, invariant, type StepDefinition, type TensorData, tensorOf, valuesOf } from "@tritype/core";
import { generate, type GenerateOptions, recordOf } from "@tritype/dsl";
import type { ManifestTwin } from "@tritype/manifest";
import { loadTwin, type LoadedModel, type ModelResult, type ModelVersion } from "@tritype/runtime";
import { defaultRelease } from "@tritype/triton";
import { pythonWithNumpy } from "../environment/python.ts";

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));
const root = path("../../");

/** The tiny models with random weights that optimum exported. */
export const exportsFolder = "test/fixtures/generate";

/** @param files Path from the root → the content that replaces the file; undefined if the file is missing. */
export const hostOf = (
  files: Readonly<Record<string, string | Uint8Array | undefined>> = {},
): CompilerHost => ({
  readFile: (file) => {
    if (Object.hasOwn(files, file)) {
      const given = files[file];
      return typeof given === "string" ? Buffer.from(given) : given;
    }
    const found = join(root, file);
    return existsSync(found) ? readFileSync(found) : undefined;
  },
  listFiles: () => undefined,
  sha256: (bytes) => createHash("sha256").update(bytes).digest("hex"),
});

export type Options = Omit<GenerateOptions, "name">;

const stepOf = (options: Options): StepDefinition => {
  const record = recordOf(generate({ name: "generate", ...options } as never));
  invariant(record !== undefined, "generate() makes a step");
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

const contextOf = (host: CompilerHost): StepContext => ({
  host,
  maxBatchSize: 64,
  batched: true,
  release: defaultRelease,
});

/** The compiler's diagnostics for a generate step. */
export const problemsOf = (options: Options, host: CompilerHost = hostOf()): readonly string[] =>
  generateKind
    .read(stepOf(options), contextOf(host))
    .diagnostics.map(({ code, message }) => `${code}: ${message}`);

/** An emitted generate step on disk. */
export interface WrittenModel {
  readonly model: ModelVersion;
  readonly outputs: readonly string[];
  readonly twin: ManifestTwin;
  remove(): void;
}

export const writeModel = (options: Options, host: CompilerHost = hostOf()): WrittenModel => {
  const step = stepOf(options);
  const { diagnostics, value: read } = generateKind.read(step, contextOf(host));
  invariant(
    read !== undefined && diagnostics.length === 0,
    diagnostics.map(({ message }) => message).join("; "),
  );
  const { files, config, twin } = read.model({ holdErrors: false, namesOf: () => undefined });
  invariant(twin !== undefined, "a generate step has a twin");
  const folder = mkdtempSync(join(tmpdir(), "tritype-generate-"));
  const versionFolder = join(folder, "1");
  mkdirSync(versionFolder);
  for (const [name, file] of files) writeFileSync(join(versionFolder, name), fileBytes(file));
  const output = Object.entries(step.outputs).map(([name, { dtype, dims }]) => ({
    name,
    data_type: dtypes[dtype].configName as "TYPE_INT64",
    dims: dims.slice(1).map((dim) => (typeof dim === "number" ? dim : -1)),
  }));
  return {
    model: {
      name: "generate",
      version: "1",
      folder,
      versionFolder,
      config: { ...config, name: "generate", output },
    },
    outputs: Object.keys(step.outputs),
    twin: { kind: twin.kind, options: twin.options, files: {} },
    remove: () => rmSync(folder, { recursive: true }),
  };
};

/** Rows of one request, with their settings. */
export interface Rows {
  readonly prompts: readonly (readonly (number | bigint)[])[];
  /** Name of a setting → a number for each row. */
  readonly said?: Readonly<Record<string, readonly (number | bigint)[]>>;
  /** An input that the request omits. */
  readonly lacks?: string;
}

const fractional = new Set(["repetition_penalty", "temperature", "top_p"]);

/** The tensors of a request, padded to its longest row. */
export const tensorsOf = ({ prompts, said = {}, lacks }: Rows): ReadonlyMap<string, TensorData> => {
  const width = Math.max(0, ...prompts.map(({ length }) => length));
  const shape = [prompts.length, width];
  const rest = (prompt: readonly unknown[]): readonly number[] =>
    Array<number>(width - prompt.length).fill(0);
  const all = new Map<string, TensorData>([
    [
      "input_ids",
      tensorOf(
        "INT64",
        shape,
        prompts.flatMap((prompt) => [...prompt, ...rest(prompt)]),
      ),
    ],
    [
      "attention_mask",
      tensorOf(
        "INT64",
        shape,
        prompts.flatMap((prompt) => [...prompt.map(() => 1), ...rest(prompt)]),
      ),
    ],
    ...Object.entries(said).map(
      ([name, values]) =>
        [name, tensorOf(fractional.has(name) ? "FP32" : "INT64", [values.length, 1], [...values])] as const,
    ),
  ]);
  if (lacks !== undefined) all.delete(lacks);
  return all;
};

export interface DescribedTensor {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly values: readonly number[];
}
/** An answer in the form in which both sides report it. */
export type Answer =
  | Readonly<Record<string, DescribedTensor>>
  | { readonly code: string; readonly message: string };

/** The twin's answers; the requests of each list share one `execute`. */
export const nativeAnswers = async (
  { twin, model, outputs }: WrittenModel,
  ...lists: readonly (readonly Rows[])[]
): Promise<readonly (readonly Answer[])[]> => {
  const loaded = await loadTwin(twin, model);
  invariant(loaded !== undefined, "the runtime has a generate twin");
  const answers: (readonly Answer[])[] = [];
  try {
    for (const requests of lists) answers.push(await execute(loaded, requests, outputs));
  } finally {
    await loaded.close();
  }
  return answers;
};

const execute = async (
  loaded: LoadedModel,
  requests: readonly Rows[],
  outputs: readonly string[],
): Promise<readonly Answer[]> =>
  (
    await loaded.execute(
      requests.map((rows) => ({ id: "", inputs: tensorsOf(rows), outputs, parameters: {} })),
    )
  ).map(describeResult);

const codes: Readonly<Record<string, string>> = {
  "request/invalid": "INVALID_ARG",
  "request/cancelled": "CANCELLED",
  "model/failed": "INTERNAL",
};

export const describeResult = (result: ModelResult): Answer =>
  "error" in result
    ? { code: codes[result.error.code] ?? result.error.code, message: result.error.message }
    : Object.fromEntries([...result.outputs].map(([name, tensor]) => [name, describe(tensor)]));

const describe = (tensor: TensorData): DescribedTensor => ({
  dtype: tensor.dtype === "FP32" ? "FLOAT32" : tensor.dtype,
  shape: tensor.shape,
  values: valuesOf(tensor).map(Number),
});

/** The answers of the emitted model.py in CPython; the requests of each job share one `execute`. */
export const pythonAnswers = async (
  jobs: readonly {
    readonly written: WrittenModel;
    readonly requests: readonly (Rows & { readonly patience?: number })[];
  }[],
): Promise<readonly (readonly Answer[])[]> => {
  const child = spawn(
    await pythonWithNumpy(),
    ["-B", path("run_generate.py"), path("../../packages/runtime/python")],
    {
      stdio: ["pipe", "pipe", "inherit"],
    },
  );
  for (const { written, requests } of jobs)
    child.stdin.write(
      `${JSON.stringify({
        folder: written.model.versionFolder,
        config: written.model.config,
        outputs: written.outputs,
        requests: requests.map(({ patience, ...rows }) => ({
          ...(patience === undefined ? {} : { patience }),
          inputs: Object.fromEntries(
            [...tensorsOf(rows)].map(([name, tensor]) => [
              name,
              { dtype: tensor.dtype, shape: tensor.shape, values: valuesOf(tensor).map(Number) },
            ]),
          ),
        })),
      })}\n`,
    );
  child.stdin.end();
  const chunks: Buffer[] = [];
  for await (const chunk of child.stdout) chunks.push(chunk as Buffer);
  const lines = Buffer.concat(chunks).toString().split("\n").filter(Boolean);
  if (lines.length !== jobs.length) throw new Error(`python answered ${lines.length} of ${jobs.length} jobs`);
  return lines.map((line) => JSON.parse(line) as Answer[]);
};
