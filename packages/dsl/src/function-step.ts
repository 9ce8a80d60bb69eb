import type { Signature } from "@tritype/core";
import { checkOptions } from "./check-options.ts";
import type { Duration } from "./model-fields/duration.ts";
import type { DynamicBatching } from "./model-fields/dynamic-batching.ts";
import type { ModelFields } from "./model-fields/model-fields.ts";
import type { ModelWarmup } from "./model-fields/model-warmup.ts";
import type { BatchInput, BatchOutput, RowInput, RowOutput } from "./run-values.ts";
import { makeStep, type Step } from "./step.ts";
import { dslError } from "./errors.ts";

/** The program that runs a function in Triton: Python, after translation, or Node. */
export type FunctionEngine = "python" | "node";

/** Permissions of a function on Node, in addition to reading the files of its own model. Default: none. */
export interface NodePermissions {
  /** Files and folders that the function may read: absolute paths on the server, with `*` at the end for everything below a folder. */
  readonly fsRead?: readonly string[];
  /** Files and folders that the function may write. */
  readonly fsWrite?: readonly string[];
  /** Whether the function may start processes, which are not restricted. */
  readonly childProcess?: boolean;
  /** Whether the function may load native addons, to which these restrictions do not apply, and read `node_modules` above its folder. Packages with native addons need it. */
  readonly addons?: boolean;
}

/** A step whose model is your own function. */
export interface FunctionOptions<I extends Signature, O extends Signature, Run, Engine = FunctionEngine>
  extends ModelFields {
  /** Name of the model in the repository: letters, digits, `_`, `-` and `.`. */
  readonly name: string;
  /** Dtype and dims of every input, by name: the keys of the argument of `run`. */
  readonly inputs: I;
  /** Dtype and dims of every output, by name: the keys of the result of `run`. */
  readonly outputs: O;
  /**
   * The function. For the engine `"python"` it is translated to Python and behaves exactly as in JavaScript, so it must be pure: no
   * I/O, no clock, no randomness, no `await`. Everything that it uses from your modules is translated too. The engine `"node"` runs it
   * unchanged. An error that it throws only makes its own request fail.
   */
  readonly run: Run;
  /**
   * The program that runs it in Triton: `"python"`, after translation, or `"node"`, unchanged and with everything that it imports. On Node
   * it may be `async`. Default: the project's `functions.engine`, otherwise `"python"`.
   */
  readonly engine?: Engine;
  /** Permissions on the server. Only for the engine `"node"`. Default: the function may read its own files. */
  readonly allow?: NodePermissions;
  /** Time limit of `run` for the rows of one request; a request that exceeds it fails. Default `"10s"`. */
  readonly timeLimit?: Duration;
  /**
   * Whether the Python of the steps right before and after this one runs in this step's model, if nothing else needs the tensors between
   * them. This saves a request for each of these steps. They must be functions, tokenizers or detokenizers without settings of their own.
   * Not for the engine `"node"`. `false` also keeps this step out of their models. Default true.
   */
  readonly fuse?: boolean;
  /** Largest batch that Triton may form. Default: the ensemble's value. */
  readonly maxBatchSize?: number;
  /** Merges requests into batches; null turns this off. Default: the ensemble's `members`, otherwise as soon as an instance is free. */
  readonly dynamicBatching?: DynamicBatching | null;
  /** Requests that Triton sends to this model before it is ready; as on an `onnx` step. Default none. */
  readonly modelWarmup?: readonly ModelWarmup<NoInfer<I>>[];
}

/**
 * A TypeScript function for one row as a step: Triton serves it as Python, or on Node with `engine: "node"`; the local runtime runs it
 * directly. `run` gets a scalar for [batch] and [batch, 1], a flat array for [batch, n], and `{ data, shape }` for more dims. An element is a
 * `bigint` for INT64 and UINT64, a `string` for BYTES, a `boolean` for BOOL, a `number` for other dtypes, and a `T` for `json<T>()`. All
 * tensors are batched.
 */
export const step = <
  const I extends Signature,
  const O extends Signature,
  R extends Returned<E, { readonly [K in keyof O]: RowOutput<O[K]> }>,
  E extends FunctionEngine = "python",
>(
  options: FunctionOptions<
    I,
    O,
    (row: { readonly [K in keyof I]: RowInput<NoInfer<I>[K]> }) => Declared<R, O>,
    E
  >,
): Step<I, O> => functionStep("step", "row", options, step);

/**
 * A TypeScript function for all rows of a request as a step: `run` gets and returns `{ data, shape }` for every tensor, row by row, with
 * the batch as the first dim. In all other respects it is like `step`. `run` never sees rows of other requests, regardless of how Triton
 * batches them.
 */
export const batchStep = <
  const I extends Signature,
  const O extends Signature,
  R extends Returned<E, { readonly [K in keyof O]: BatchOutput<O[K]> }>,
  E extends FunctionEngine = "python",
>(
  options: FunctionOptions<
    I,
    O,
    (batch: { readonly [K in keyof I]: BatchInput<NoInfer<I>[K]> }) => Declared<R, O>,
    E
  >,
): Step<I, O> => functionStep("batchStep", "request", options, batchStep);

/** The error for a name that the step does not declare. */
interface UndeclaredOutput<Name, Outputs> {
  readonly "~error": [Name, Outputs];
}

/** The result of `run`: a function on Node may also return a promise. */
type Returned<E, R> = E extends "node" ? R | Promise<R> : R;

/** `R` itself if all of its outputs are declared. */
type Declared<R, O extends Signature> =
  R extends Promise<infer A> ? Promise<DeclaredOnly<A, O>> : DeclaredOnly<R, O>;
/** `R` itself (the type to which the function's promise resolves) if all of its outputs are declared. */
export type DeclaredOutputs<R, O extends Signature> = DeclaredOnly<R, O>;
type DeclaredOnly<R, O extends Signature> = keyof R extends keyof O
  ? R
  : {
      readonly [K in keyof R | keyof O]: K extends keyof O ? R[K & keyof R] : UndeclaredOutput<K, keyof O>;
    };

const functionStep = <I extends Signature, O extends Signature>(
  constructor: "step" | "batchStep",
  per: "row" | "request",
  options: FunctionOptions<I, O, unknown>,
  calledAs: (...args: never[]) => unknown,
): Step<I, O> => {
  checkOptions(constructor, options, ["inputs", "outputs", "run"]);
  const { name, inputs, outputs, ...rest } = options;
  if (typeof rest.run !== "function")
    throw dslError("step/no-run", { constructor, name }, { option: ["run"] });
  return makeStep({ kind: "function", name, inputs, outputs, options: { ...rest, per }, calledAs });
};
