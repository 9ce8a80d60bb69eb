import type { Span } from "@tritype/core";
import { z } from "zod";
import { staysInside } from "./stays-inside.ts";
import { type ManifestTextModel, textModelSchema } from "./text-model.ts";

/** The version that this package writes; readers refuse newer ones. */
export const manifestFormatVersion = 1;

/** The replacement for a model in the local runtime, and the files that it was made for. */
export interface ManifestTwin {
  readonly kind: string;
  readonly options: Readonly<Record<string, unknown>>;
  /** Path relative to the model's folder → SHA-256; the twin only runs while all of them match the files on disk. */
  readonly files: Readonly<Record<string, string>>;
}

/** One model of the repository. */
export interface ManifestModel {
  readonly name: string;
  /** Step kind that produced it: onnx, tokenizer, tensor-math, ensemble, … */
  readonly kind: string;
  /** The position at which the user's code defines it. */
  readonly source?: Span | undefined;
  /** Only for a model with a single version; if there are several, each has its own twin. */
  readonly twin?: ManifestTwin | undefined;
  /** For a function step: the user's functions with their first lines, which the step's errors show. */
  readonly functions?: readonly ManifestFunction[] | undefined;
  /** For a function on Node: the npm packages that its files contain, sorted by name. */
  readonly packages?: readonly ManifestPackage[] | undefined;
  /** Models that its code calls (BLS) and that no configuration mentions; they come before it in `loadOrder`. */
  readonly calls?: readonly string[] | undefined;
  /** For a model that contains tensor math or other steps: the names of the separate models that it replaces. */
  readonly fused?: readonly string[] | undefined;
  /** For tensor math or a Python step: a clause that says why it is not part of an adjacent model. */
  readonly notFused?: string | undefined;
  /** The version folders, ascending. Absent in older builds, which only had version 1. */
  readonly versions?: readonly ManifestVersion[] | undefined;
}

/** A user's function and the position of its first line. */
export interface ManifestFunction {
  readonly name: string;
  /** The step that it belongs to; present if the model contains several steps. */
  readonly step?: string | undefined;
  readonly source: Span;
}

/** An npm package that is part of a model. */
export interface ManifestPackage {
  readonly name: string;
  readonly version: string;
  /** The SPDX expression of its license, or the name of its license file; absent if the package specifies neither. */
  readonly licence?: string | undefined;
}

/** One version folder of a model. */
export interface ManifestVersion {
  readonly version: number;
  /** SHA-256 over names and hashes of the files in the folder. */
  readonly hash: string;
  /** Present if the model has several versions. */
  readonly twin?: ManifestTwin | undefined;
  /** Files in the folder that the build does not write; its `prepare/prepare.sh` creates them on the serving machine. */
  readonly prepared?: readonly string[] | undefined;
}

export interface ManifestTensor {
  readonly dtype: string;
  readonly dims: readonly (number | string)[];
  /** Present for an input that a request may omit. */
  readonly optional?: true | undefined;
  /** Present for an input that does not allow every element of its dtype. */
  readonly accepts?: ManifestValues | undefined;
}

/** The allowed elements of an input, in JSON Schema terms: one of several strings, a string of a least length, a number within limits, or JSON. */
export interface ManifestValues {
  readonly enum?: readonly string[] | undefined;
  readonly minLength?: number | undefined;
  readonly minimum?: number | undefined;
  readonly exclusiveMinimum?: number | undefined;
  readonly maximum?: number | undefined;
  /** "application/json" for an input declared with `json<T>()`: its elements are JSON texts. */
  readonly contentMediaType?: "application/json" | undefined;
  /** JSON Schema of the content of each element; absent if the build does not know the type. */
  readonly contentSchema?: Readonly<Record<string, unknown>> | undefined;
}

/** An ensemble or an exported flow, which clients call: its contract with them, and its typed graph. */
export interface ManifestEnsemble {
  readonly name: string;
  readonly inputs: Readonly<Record<string, ManifestTensor>>;
  readonly outputs: Readonly<Record<string, ManifestTensor>>;
  /** SHA-256 of the names, dtypes and sizes of inputs and outputs; the names of dims are not included. */
  readonly contractHash: string;
  /** Present if it may send any number of answers to a request; Triton calls such a model decoupled. */
  readonly streams?: true | undefined;
  /** Present if it continues a text: it has an input for a prompt, and exactly one generate step produces its text. */
  readonly textModel?: ManifestTextModel | undefined;
  /** Present if one of its models has sequences: the dtype of their IDs. */
  readonly sequenceIds?: string | undefined;
  /** The graph of `@tritype/core`, for inspection. */
  readonly graph: unknown;
}

/** A warmup request captured from a sample of an ensemble or flow: one row of the tensors that reached one model. */
export interface ManifestWarmupRequest {
  readonly model: string;
  readonly ensemble: string;
  readonly sample: string;
  /** Default: the sample's. */
  readonly rows?: number | undefined;
  readonly inputs: Readonly<Record<string, ManifestWarmupTensor>>;
}
export interface ManifestWarmupTensor {
  readonly dtype: string;
  /** Without the batch. */
  readonly dims: readonly number[];
  /** Path relative to the model's folder; absent for a tensor without elements. */
  readonly file?: string | undefined;
}

/** The proof that padding does not change a row's answer, which `batchBy: "length"` needs. */
export interface ManifestPaddingProof {
  readonly ensemble: string;
  /** SHA-256 of the files without warmup and of the samples; the proof is valid while the hash stays the same. */
  readonly key: string;
  /** Number of distinct rows in the samples; each ran alone, padded, and batched with longer ones. */
  readonly rows: number;
  /** The length, in tokens, that they were padded to. */
  readonly paddedTo: number;
  /** Largest |a - b| / max(1, |b|) between a row alone and the same row with padding. */
  readonly maxDifference: number;
  readonly tolerance: number;
}

/** The proof that an ensemble's answers are within the limits of the configuration's `drift`. */
export interface ManifestDriftProof {
  readonly ensemble: string;
  /** SHA-256 of both variants' files, the dataset and the limits; the proof is valid while the hash stays the same. */
  readonly key: string;
  /** The reference's name in the configuration. */
  readonly reference: string;
  readonly dataset: string;
  readonly rows: number;
  /** Output name → the measured values, rounded to four digits. */
  readonly outputs: Readonly<Record<string, ManifestDriftFigures>>;
}
export interface ManifestDriftFigures {
  /** Share of equal elements. */
  readonly exact: number;
  /** For JSON: the share of elements that are equal except for fractional numbers. */
  readonly exactExceptNumbers?: number | undefined;
  readonly maxAbsolute?: number | undefined;
  readonly meanAbsolute?: number | undefined;
  readonly maxRelative?: number | undefined;
  /** The value of the worst row. */
  readonly cosine?: number | undefined;
  readonly top1?: number | undefined;
  /** Largest difference between a batch's rows alone and together. */
  readonly batchDependence?: number | undefined;
}

/** Manifest v1: the description of a build, next to the model repository. A public contract. */
export interface Manifest {
  readonly formatVersion: typeof manifestFormatVersion;
  /** Triton release that the repository is built for, such as "24.10". */
  readonly target: string;
  readonly models: readonly ManifestModel[];
  readonly ensembles: readonly ManifestEnsemble[];
  /** Each model comes before the models that need it. */
  readonly loadOrder: readonly string[];
  /** Backends that the server needs, except those in models' own folders. Absent in older builds. */
  readonly backends?: readonly string[] | undefined;
  /** Python packages that the emitted code imports. */
  readonly requirements: readonly string[];
  /** Absent if no ensemble has samples. */
  readonly warmup?:
    | {
        /** SHA-256 of the files without warmup and of the samples; the requests are valid while the hash stays the same. */
        readonly key: string;
        readonly requests: readonly ManifestWarmupRequest[];
      }
    | undefined;
  /** Absent if no ensemble has `batchBy`, or padding was not measured. */
  readonly padding?: readonly ManifestPaddingProof[] | undefined;
  /** Absent if the configuration has no `drift`, or drift was not measured. */
  readonly drift?: readonly ManifestDriftProof[] | undefined;
  /** Every file that the build owns, relative to the build folder → SHA-256. Only these are ever deleted. */
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
    optional: z.literal(true).optional().describe("An input that a request may omit."),
    accepts: z
      .object({
        enum: z.array(z.string()).optional(),
        minLength: z.int().nonnegative().optional(),
        minimum: z.number().optional(),
        exclusiveMinimum: z.number().optional(),
        maximum: z.number().optional(),
        contentMediaType: z.literal("application/json").optional(),
        contentSchema: z.record(z.string(), z.unknown()).optional(),
      })
      .optional()
      .describe("The allowed elements of an input, in JSON Schema terms; the models refuse others."),
  }),
);
const twin = z
  .object({
    kind: text("The local runtime's implementation."),
    options: z.record(z.string(), z.json()),
    files: z.record(z.string(), hash).describe("Maps each path in the model's folder to the file's SHA-256."),
  })
  .describe(
    "Replaces the emitted Python, or a missing backend, only while all of `files` match the files on disk.",
  );
const model = z.object({
  name: z.string(),
  kind: text("Step kind that produced it: onnx, tokenizer, tensor-math, ensemble, and so on."),
  source: span.optional().describe("The position at which the user's code defines it."),
  twin: twin.optional(),
  functions: z
    .array(z.object({ name: z.string(), step: z.string().optional(), source: span }))
    .optional()
    .describe("The user's functions in the model with their first lines; its errors name them."),
  packages: z
    .array(
      z.object({
        name: z.string(),
        version: z.string(),
        licence: text("SPDX expression, or the name of a licence file.").optional(),
      }),
    )
    .optional()
    .describe("The npm packages that are bundled into the files of a function on Node."),
  calls: z
    .array(z.string())
    .optional()
    .describe("Models that its code calls (BLS): if you load models one by one, load these as well."),
  fused: z
    .array(z.string())
    .optional()
    .describe("Tensor math or Python steps fused into this model: the names of the models that it replaces."),
  notFused: text("Why this model was not fused into an adjacent model.").optional(),
  versions: z
    .array(
      z.object({
        version: z.int().nonnegative(),
        hash: hash.describe("SHA-256 over names and hashes of the files in the folder."),
        twin: twin.optional(),
        prepared: z
          .array(z.string())
          .optional()
          .describe("Files in the folder that prepare/prepare.sh creates on the serving machine."),
      }),
    )
    .optional()
    .describe("The version folders, ascending; if several have twins, each has its own."),
});
const ensemble = z.object({
  name: z.string(),
  inputs: tensors,
  outputs: tensors,
  contractHash: hash.describe("SHA-256 of names, dtypes and sizes of inputs and outputs."),
  streams: z
    .literal(true)
    .optional()
    .describe("It may send any number of answers to a request: Triton calls such a model decoupled."),
  textModel: textModelSchema.optional(),
  sequenceIds: z
    .string()
    .optional()
    .describe("Datatype of its sequence IDs, if one of its models has sequences."),
  graph: z.unknown().describe("The typed graph, for inspection."),
});

const warmupRequest = z.object({
  model: z.string(),
  ensemble: z.string(),
  sample: z.string(),
  rows: z
    .int()
    .positive()
    .describe("How many equal rows the model gets. Default: those of the sample.")
    .optional(),
  inputs: z.record(
    z.string(),
    z.object({
      dtype: text("KServe v2 datatype."),
      dims: z.array(z.int().nonnegative()).describe("Sizes without the batch."),
      file: text("Path relative to the model's folder.").optional(),
    }),
  ),
});
const warmup = z
  .object({
    key: hash.describe("SHA-256 of the files without warmup and of the samples."),
    requests: z
      .array(warmupRequest)
      .describe("The tensors that reached the models when the samples ran through the graph."),
  })
  .describe("Warmup captured from the ensembles' samples; valid while the key stays the same.");

const paddingProof = z.object({
  ensemble: z.string(),
  key: hash.describe("SHA-256 of the files without warmup and of the samples."),
  rows: z
    .int()
    .positive()
    .describe("Number of distinct rows in the samples: each alone, padded, and batched with longer ones."),
  paddedTo: z.int().nonnegative().describe("The length, in tokens, that they were padded to."),
  maxDifference: z.number().nonnegative().describe("Largest |a - b| / max(1, |b|)."),
  tolerance: z.number().nonnegative(),
});

const figure = z.number().optional();
const driftProof = z.object({
  ensemble: z.string(),
  key: hash.describe("SHA-256 of both variants' files, the dataset and the limits."),
  reference: text("The reference's name in the configuration."),
  dataset: z.string(),
  rows: z.int().nonnegative(),
  outputs: z.record(
    z.string(),
    z.object({
      exact: z.number().describe("Share of equal elements."),
      exactExceptNumbers: z
        .number()
        .optional()
        .describe("For JSON: the share of elements that are equal except for fractional numbers."),
      maxAbsolute: figure,
      meanAbsolute: figure,
      maxRelative: figure,
      cosine: figure.describe("The value of the worst row."),
      top1: figure,
      batchDependence: figure.describe("Largest difference between a batch's rows alone and together."),
    }),
  ),
});

/** The schema of manifest v1; `docs/manifest.schema.json` is printed from it. */
export const manifestSchema: z.ZodType<Manifest> = z.object({
  formatVersion: z.literal(manifestFormatVersion),
  target: text("The Triton release for which the repository is built, such as 24.10."),
  models: z.array(model),
  ensembles: z.array(ensemble).describe("The models that clients call: ensembles and exported flows."),
  loadOrder: z.array(z.string()).describe("Each model comes before the models that need it."),
  backends: z
    .array(z.string())
    .optional()
    .describe("Backends that the server needs, except those in models' own folders."),
  requirements: z.array(z.string()).describe("Python packages the emitted code imports."),
  warmup: warmup.optional(),
  padding: z
    .array(paddingProof)
    .optional()
    .describe(
      "Proof that padding does not change the answers of ensembles with batchBy; valid while the key stays the same.",
    ),
  drift: z
    .array(driftProof)
    .optional()
    .describe(
      "Proofs that ensembles are within the configured limits; each is valid while its key stays the same.",
    ),
  files: z
    .record(z.string().refine(staysInside), hash)
    .describe(
      "Every file that the build owns, path relative to the build folder → SHA-256. Only these are ever deleted.",
    ),
});

/** JSON Schema (2020-12) of manifest v1. */
export const manifestJsonSchema = (): object => z.toJSONSchema(manifestSchema, { unrepresentable: "any" });
