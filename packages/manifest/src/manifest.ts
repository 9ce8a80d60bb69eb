import type { Span } from "@tritype/core";
import { z } from "zod";

/** The version this package writes; readers refuse newer ones. */
export const manifestFormatVersion = 1;

/** A faster implementation of a model, and the files it was made for. */
export interface ManifestTwin {
  readonly kind: string;
  readonly options: Readonly<Record<string, unknown>>;
  /** Path relative to the model's folder → SHA-256; the twin runs only while all agree with the disk. */
  readonly files: Readonly<Record<string, string>>;
}

/** One model of the repository. */
export interface ManifestModel {
  readonly name: string;
  /** Step kind that made it: onnx, tokenizer, tensor-math, ensemble, … */
  readonly kind: string;
  /** Where the user's code defines it. */
  readonly source?: Span | undefined;
  readonly twin?: ManifestTwin | undefined;
}

export interface ManifestTensor {
  readonly dtype: string;
  readonly dims: readonly (number | string)[];
  /** Of an input that a request may leave out. */
  readonly optional?: true | undefined;
}

/** One ensemble: what its clients see, and its typed graph. */
export interface ManifestEnsemble {
  readonly name: string;
  readonly inputs: Readonly<Record<string, ManifestTensor>>;
  readonly outputs: Readonly<Record<string, ManifestTensor>>;
  /** SHA-256 of the names, dtypes and sizes of inputs and outputs; names of dims do not count. */
  readonly contractHash: string;
  /** The graph of `@tritype/core`, for inspection. */
  readonly graph: unknown;
}

/** Manifest v1: what a build made, beside the model repository. A public contract. */
export interface Manifest {
  readonly formatVersion: typeof manifestFormatVersion;
  /** Triton release the repository is made for, such as "24.10". */
  readonly target: string;
  readonly models: readonly ManifestModel[];
  readonly ensembles: readonly ManifestEnsemble[];
  /** Models before those that need them. */
  readonly loadOrder: readonly string[];
  /** Python packages the emitted code imports. */
  readonly requirements: readonly string[];
  /** Every file the build owns, relative to the build folder → SHA-256. Only these are ever deleted. */
  readonly files: Readonly<Record<string, string>>;
}

const text = (description: string): z.ZodString => z.string().describe(description);
const hash = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .describe("Lower-case hexadecimal SHA-256.");
const span = z.object({
  file: text('Path from the project\'s root, with "/".'),
  line: z.int().positive(),
  column: z.int().positive(),
});
const tensors = z.record(
  z.string(),
  z.object({
    dtype: text("KServe v2 datatype."),
    dims: z.array(z.union([z.int(), z.string()])).describe("Sizes, names, or -1 for unknown."),
    optional: z.literal(true).optional().describe("An input that a request may leave out."),
  }),
);
const twin = z
  .object({
    kind: text("Which implementation of the local runtime."),
    options: z.record(z.string(), z.json()),
    files: z.record(z.string(), hash).describe("Path relative to the model's folder to SHA-256."),
  })
  .describe("Runs in place of the emitted Python only while all of `files` agree with the disk.");
const model = z.object({
  name: z.string(),
  kind: text("Step kind that made it: onnx, tokenizer, tensor-math, ensemble, and so on."),
  source: span.optional().describe("Where the user's code defines it."),
  twin: twin.optional(),
});
const ensemble = z.object({
  name: z.string(),
  inputs: tensors,
  outputs: tensors,
  contractHash: hash.describe("SHA-256 of names, dtypes and sizes of inputs and outputs."),
  graph: z.unknown().describe("The typed graph, for inspection."),
});

/** The schema of manifest v1; `docs/manifest.schema.json` is printed from it. */
export const manifestSchema: z.ZodType<Manifest> = z.object({
  formatVersion: z.literal(manifestFormatVersion),
  target: text("Triton release the repository is made for, such as 24.10."),
  models: z.array(model),
  ensembles: z.array(ensemble),
  loadOrder: z.array(z.string()).describe("Models before those that need them."),
  requirements: z.array(z.string()).describe("Python packages the emitted code imports."),
  files: z
    .record(z.string(), hash)
    .describe(
      "Every file the build owns, relative to the build folder, to SHA-256. Only these are ever deleted.",
    ),
});

/** JSON Schema (2020-12) of manifest v1. */
export const manifestJsonSchema = (): object => z.toJSONSchema(manifestSchema, { unrepresentable: "any" });
