import type { Signature, TensorType } from "@tritype/core";
import { checkOptions } from "./check-options.ts";
import { dslError } from "./errors.ts";
import type { DeclaredOutputs, FunctionOptions } from "./function-step.ts";
import type { BatchInput, BatchOutput, RowInput, RowOutput } from "./run-values.ts";
import type { WarmupSample } from "./model-fields/model-warmup.ts";
import { calleeOf, makeStep, type Step } from "./step.ts";
import type { OptionalNames } from "./values.ts";

/** Steps and ensembles that a flow calls, by the names that its `run` uses for them. */
export type Uses = Readonly<Record<string, { readonly inputs: Signature; readonly outputs: Signature }>>;

type IsBatched<T extends TensorType> = T["dims"] extends readonly ["batch", ...unknown[]] ? true : false;
/** A tensor that a flow passes to a model: one row, or `{ data, shape }` if the tensor is not batched. */
type CallInput<T extends TensorType> = IsBatched<T> extends true ? RowOutput<T> : BatchOutput<T>;
/** A tensor that a model returns to a flow. */
type CallOutput<T extends TensorType> = IsBatched<T> extends true ? RowInput<T> : BatchInput<T>;

/** The values of a call: one row of every input, in the form in which a step's `run` returns its outputs. */
export type CallInputs<I extends Signature> = [OptionalNames<I>] extends [never]
  ? { readonly [K in keyof I]: CallInput<I[K]> }
  : { readonly [K in Exclude<keyof I, OptionalNames<I>>]: CallInput<I[K]> } & {
      readonly [K in OptionalNames<I>]?: CallInput<I[K]>;
    };
/** The values of an answer: one row of every output, in the form in which a step's `run` gets its inputs. */
export type CallOutputs<O extends Signature> = { readonly [K in keyof O]: CallOutput<O[K]> };

/**
 * The functions that a flow's `run` calls. A call is one request with one row; parallel calls are batched if the model supports batching.
 * @throws CallError if the values do not match the model's inputs, the model fails, its answer does not match its outputs, or the request
 * has run out of time.
 */
export type Callees<U extends Uses> = {
  readonly [K in keyof U]: (values: CallInputs<U[K]["inputs"]>) => Promise<CallOutputs<U[K]["outputs"]>>;
};

/** A flow's call that failed. Its `name` is "CallError". */
export interface CallError extends Error {
  /** The model that was called. */
  readonly model: string;
  /**
   * `call/invalid`: the values do not match the model's inputs; `call/failed`: the model refused the request or failed; `call/answer`: its
   * answer does not match its outputs; `call/late`: the flow's request ran out of time, or was already answered.
   */
  readonly code: "call/invalid" | "call/failed" | "call/answer" | "call/late";
}

/**
 * Options for a model that is a function and calls other models. They do not include the `engine` and `modelWarmup` options of other
 * functions.
 */
export interface FlowOptions<I extends Signature, O extends Signature, U extends Uses, Run>
  extends Omit<
    FunctionOptions<I, O, Run, "node">,
    "engine" | "fuse" | "maxBatchSize" | "modelWarmup" | "run"
  > {
  /** The steps and ensembles that `run` calls, by name. These steps and ensembles become part of the build. */
  readonly uses: U;
  /** An asynchronous function that takes one row, and the callees as its second argument. The function runs on Node. */
  readonly run: Run;
  /**
   * Largest batch size that a request may have. Required if nothing else in the build calls the flow; default: the largest batch size of
   * its callers.
   */
  readonly maxBatchSize?: number;
  /** Sample requests, as for an ensemble. The build runs the flow on each sample, and warms up the models that it calls. Default: none. */
  readonly warmup?: readonly WarmupSample<NoInfer<I>>[];
}

/**
 * A function that calls models: `run` decides which models, how many times and in which order. It gets one row of every input, as in
 * `step`, and the callees. It runs on Node, both in Triton and locally; `fetch` works, and is aborted when the request ends. If you export
 * it, clients call it as they call an ensemble; in ensembles and in other flows it is a step.
 */
export const flow = <
  const I extends Signature,
  const O extends Signature,
  const U extends Uses,
  R extends { readonly [K in keyof O]: RowOutput<O[K]> },
>(
  options: FlowOptions<
    I,
    O,
    U,
    (
      row: { readonly [K in keyof I]: RowInput<NoInfer<I>[K]> },
      callees: Callees<U>,
    ) => Promise<DeclaredOutputs<R, O>>
  >,
): Step<I, O> => {
  checkOptions("flow", options, ["inputs", "outputs", "uses", "run"]);
  const { name, inputs, outputs, uses, ...rest } = options;
  if (typeof rest.run !== "function")
    throw dslError("step/no-run", { constructor: "flow", name }, { option: ["run"] });
  if (typeof uses !== "object" || uses === null)
    throw dslError("flow/no-uses", { name }, { option: ["uses"] });
  const callees = Object.entries(uses as Readonly<Record<string, unknown>>).map(([called, value]) => {
    const callee = calleeOf(value);
    if (callee === undefined)
      throw dslError("flow/not-a-step", { name, called }, { option: ["uses", called] });
    return [called, callee] as const;
  });
  const record = { kind: "flow", name, inputs, outputs, options: { ...rest, per: "row" }, calledAs: flow };
  return makeStep({ ...record, callees: Object.fromEntries(callees) });
};
