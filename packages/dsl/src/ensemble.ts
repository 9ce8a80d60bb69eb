import { isStream, type Signature, type StreamTensorType, type TensorType } from "@tritype/core";
import { callSite } from "./call-site.ts";
import { checkOptions, checkSignature } from "./check-options.ts";
import { handle, isHandle, wireOf } from "./handle.ts";
import type { DynamicBatching } from "./model-fields/dynamic-batching.ts";
import type { InstanceGroup } from "./model-fields/instance-group.ts";
import type { ModelFields } from "./model-fields/model-fields.ts";
import type { EnsembleProfile, MemberProfile } from "./model-fields/profile-fields.ts";
import type { WarmupSample } from "./model-fields/model-warmup.ts";
import { makeStep, type Step } from "./step.ts";
import type { Streaming } from "./values.ts";
import type { Tensor } from "./tensor.ts";
import { addNode, recordTrace } from "./trace.ts";
import type { AnyHandles } from "./wires.ts";
import { dslError } from "./errors.ts";

/** A pipeline of steps that Triton serves as one model; it is itself a step. */
export interface Ensemble<
  Inputs extends Signature = Signature,
  Outputs extends Signature = Signature,
  Name extends string = string,
> extends Step<Inputs, Outputs> {
  /** Name of the ensemble in the repository. */
  readonly name: Name;
  /** The step kind of an ensemble. */
  readonly kind: "ensemble";
}

/** How texts of different lengths are batched. */
export interface BatchBy {
  /** Groups texts with similar numbers of tokens. */
  readonly by: "length";
  /**
   * The share of a group's tokens that may be padding because its texts differ in length: 0 to 1. A larger share allows larger batches.
   * Default 0.1.
   */
  readonly maxWaste?: number;
  /** How much padding may change an answer when the build tests this: largest |a - b| / max(1, |b|). Default 1e-3. */
  readonly tolerance?: number;
}

/** Settings for every member model that does not have its own; in Triton an ensemble itself has none. */
export interface Members {
  /** Where copies of each member run. Default: one instance, on a GPU if there is one. */
  readonly instanceGroup?: readonly InstanceGroup[];
  /** Merges requests to a member into batches; only for batched members. Default: each step's own setting. */
  readonly dynamicBatching?: DynamicBatching;
  /** Maps a profile in `pipeline.config.ts` to the fields that it overrides. Default: none. */
  readonly profiles?: Readonly<Record<string, MemberProfile>>;
}

export interface EnsembleOptions<I extends Signature, O extends AnyHandles, Name extends string = string> {
  /** Name of the ensemble in the repository. */
  readonly name: Name;
  /** Largest batch size that a request may have. Required if the inputs' first dim is named "batch". */
  readonly maxBatchSize?: number;
  /** Dtype and dims of every input, by name. */
  readonly inputs: I;
  /** Called once, with handles, when the pipeline is loaded. `run` returns the outputs. */
  readonly run: (inputs: { readonly [K in keyof I]: Tensor<I[K]["dtype"], I[K]["dims"]> }) => O;
  /** Settings for member models without their own. Default: none. */
  readonly members?: Members;
  /**
   * Sample requests: short, typical and long ones, in the batch sizes that you expect. The build runs each through the graph, and every
   * member model is warmed up with the tensors that it got. With a TensorRT accelerator, their sizes become its profile. Default: none.
   */
  readonly warmup?: readonly WarmupSample<NoInfer<I>>[];
  /**
   * "length": the texts of all waiting requests are tokenized together, sorted by length and grouped; each group goes through everything
   * after the tokenizer as one batch. Triton's own batcher only merges texts of equal length. Needs samples in `warmup`. Padding must not
   * change the answers; the build verifies this. Default: off.
   */
  readonly batchBy?: "length" | BatchBy;
  /** Answers identical requests from the server's cache, if it has one. Default: off. */
  readonly responseCache?: NonNullable<ModelFields["responseCache"]>;
  /** Which versions of the ensemble are served. Default: the highest only. */
  readonly versionPolicy?: NonNullable<ModelFields["versionPolicy"]>;
  /** Parameters of the ensemble's own configuration, written as strings; Triton itself does not use any. Default none. */
  readonly parameters?: NonNullable<ModelFields["parameters"]>;
  /** Labels for each of the ensemble's metrics. Default none. */
  readonly metricTags?: NonNullable<ModelFields["metricTags"]>;
  /** Libraries that modify or check the ensemble's folder before it is loaded. Default none. */
  readonly modelRepositoryAgents?: NonNullable<ModelFields["modelRepositoryAgents"]>;
  /** Maximum number of requests in flight between the ensemble's steps, per step. Default: no limit. Since 25.11. */
  readonly maxInflightRequests?: number;
  /**
   * Maps a profile to the fields of the ensemble itself that it overrides; for the models, see `members.profiles` and their own profiles.
   * Default: none.
   */
  readonly profiles?: Readonly<Record<string, EnsembleProfile>>;
  /** A fragment of `config.pbtxt` that is merged into the ensemble's configuration, as on a step. Default none. */
  readonly raw?: string;
  /** Not available: an ensemble runs nothing itself. */
  readonly instanceGroup?: "✗ an ensemble has no instances in Triton: set `members.instanceGroup` or the step's own";
  /** Not available: an ensemble queues nothing itself. */
  readonly dynamicBatching?: "✗ an ensemble does not batch in Triton; its members do: set `members.dynamicBatching` or the step's own";
}

type OutputsOf<O extends AnyHandles> = {
  readonly [K in keyof O]: O[K] extends Streaming
    ? StreamTensorType<O[K]["dtype"], O[K]["dims"]>
    : TensorType<O[K]["dtype"], O[K]["dims"]>;
};

/**
 * Records `run` and returns the ensemble: a model in Triton, and a step that other ensembles may call. Errors thrown by `run` are passed
 * on; the compiler finds mistakes in the graph.
 */
export const defineEnsemble = <
  const I extends Signature,
  O extends AnyHandles,
  const Name extends string = string,
>(
  options: EnsembleOptions<I, O, Name>,
): Ensemble<
  I,
  {
    readonly [K in keyof O]: O[K] extends Streaming
      ? StreamTensorType<O[K]["dtype"], O[K]["dims"]>
      : TensorType<O[K]["dtype"], O[K]["dims"]>;
  },
  Name
> => {
  checkOptions("defineEnsemble", options, ["inputs", "run"]);
  const { name, inputs, run, ...rest } = options;
  checkSignature(name, "inputs", inputs);
  if (typeof run !== "function") throw dslError("ensemble/no-run", { name }, { option: ["run"] });
  const site = callSite(defineEnsemble);
  let outputs: Signature = {};
  const trace = recordTrace(() => {
    const handles = Object.entries(inputs).map(([input, type]) => {
      const portOf = addNode({
        kind: "input",
        name: input,
        inputs: {},
        outputs: { [input]: type },
        site,
      });
      return [input, handle(type.dtype, type.dims, portOf(input))];
    });
    const returned: unknown = run(Object.fromEntries(handles) as never);
    if (returned instanceof Promise) throw dslError("ensemble/async-run", { name }, { option: ["run"] });
    const hasNames = !Array.isArray(returned) && !isHandle(returned);
    const results = Object.entries(hasNames ? ((returned ?? {}) as O) : {});
    outputs = Object.fromEntries(
      results
        .filter(([, x]) => isHandle(x))
        .map(([output, x]) => [
          output,
          { dtype: x.dtype, dims: x.dims, ...(isStream(x) ? { stream: true } : {}) },
        ]),
    );
    return Object.fromEntries(results.map(([output, result]) => [output, wireOf(result)]));
  });
  const step = makeStep({
    kind: "ensemble",
    name,
    inputs,
    outputs: outputs as OutputsOf<O>,
    options: rest,
    calledAs: defineEnsemble,
    trace,
  });
  return Object.assign(step, { kind: "ensemble" as const }) as Ensemble<I, OutputsOf<O>, Name>;
};
