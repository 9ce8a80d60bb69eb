import type { Signature } from "@tritype/core";
import { checkOptions } from "./check-options.ts";
import type { Duration } from "./model-fields/duration.ts";
import type { DynamicBatching } from "./model-fields/dynamic-batching.ts";
import type { ModelFields } from "./model-fields/model-fields.ts";
import type { ModelWarmup } from "./model-fields/model-warmup.ts";
import type { BatchInput, BatchOutput, RowInput, RowOutput } from "./run-values.ts";
import { makeStep, type Step } from "./step.ts";
import { dslError } from "./errors.ts";

/** A step whose model is your own function. */
export interface FunctionOptions<I extends Signature, O extends Signature, Run> extends ModelFields {
  /** Name of the model in the repository: letters, digits, `_`, `-` and `.`. */
  readonly name: string;
  /** Dtype and dims of every input, by name: the keys of the argument of `run`. */
  readonly inputs: I;
  /** Dtype and dims of every output, by name: the keys of the result of `run`. */
  readonly outputs: O;
  /**
   * The function. It is translated to Python with JavaScript's meaning, so it must be pure: no I/O, no clock, no randomness, no
   * `await`. Everything that it uses from your modules is translated too. An error that it throws is the answer to its own
   * request only.
   */
  readonly run: Run;
  /** Time limit of `run` for the rows of one request; a request that exceeds it fails. Default `"10s"`. */
  readonly timeLimit?: Duration;
  /** Largest batch that Triton may form. Default: the ensemble's. */
  readonly maxBatchSize?: number;
  /** Merges requests into batches. Default: the ensemble's `members`, else as soon as an instance is free. */
  readonly dynamicBatching?: DynamicBatching;
  /** Requests that Triton sends to this model before it is ready; as on a step of `onnx`. Default none. */
  readonly modelWarmup?: readonly ModelWarmup<NoInfer<I>>[];
}

/**
 * A TypeScript function of one row as a step: Triton serves it as Python; the local runtime runs it directly. `run` gets a scalar
 * for [batch] and [batch, 1], a flat array for [batch, n], `{ data, shape }` for more dims: `bigint` for INT64 and UINT64,
 * `string` for BYTES, `boolean` for BOOL, `number` for the rest, a `T` for `json<T>()`. Every tensor is batched.
 */
export const step = <
  const I extends Signature,
  const O extends Signature,
  R extends { readonly [K in keyof O]: RowOutput<O[K]> },
>(
  options: FunctionOptions<
    I,
    O,
    (row: { readonly [K in keyof I]: RowInput<NoInfer<I>[K]> }) => Declared<R, O>
  >,
): Step<I, O> => functionStep("step", "row", options, step);

/**
 * A TypeScript function of all rows of a request as a step: `run` gets and returns `{ data, shape }` for every tensor, row by
 * row, the batch first. Otherwise like `step`. It never sees rows of other requests, however Triton batches.
 */
export const batchStep = <
  const I extends Signature,
  const O extends Signature,
  R extends { readonly [K in keyof O]: BatchOutput<O[K]> },
>(
  options: FunctionOptions<
    I,
    O,
    (batch: { readonly [K in keyof I]: BatchInput<NoInfer<I>[K]> }) => Declared<R, O>
  >,
): Step<I, O> => functionStep("batchStep", "request", options, batchStep);

/** The error for a name that the step does not declare. */
interface UndeclaredOutput<Name, Outputs> {
  readonly "~error": [Name, Outputs];
}

/** `R` itself if all of it is declared. */
type Declared<R, O extends Signature> = keyof R extends keyof O
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
  checkOptions(constructor, options);
  const { name, inputs, outputs, ...rest } = options;
  if (typeof rest.run !== "function") throw dslError("step/no-run", { constructor, name });
  return makeStep({ kind: "function", name, inputs, outputs, options: { ...rest, per }, calledAs });
};
