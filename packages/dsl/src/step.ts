import { type Dim, isStream, type Signature, type StreamTensorType, type TensorType } from "@tritype/core";
import { callSite } from "./call-site.ts";
import { checkOptions, checkSignature } from "./check-options.ts";
import { noteDefinition } from "./definitions.ts";
import { handle, isHandle, wireOf } from "./handle.ts";
import { runHere, streamHere } from "./runner.ts";
import type { ServedModel } from "./served-model.ts";
import type { StreamTensor, Tensor } from "./tensor.ts";
import { addNode, type CalleeRecord, type StepRecord, type Trace } from "./trace.ts";
import type { InferInputs, RunResult, Streaming } from "./values.ts";
import type { Bindings, Substitute, WantedWires, Wires } from "./wires.ts";
import { dslError } from "./errors.ts";

interface Signatures {
  readonly inputs: Signature;
  readonly outputs: Signature;
}

/** A typed function from tensors to tensors that runs as a model (or inside one). Call it inside `run`. */
export interface Step<Inputs extends Signature = Signature, Outputs extends Signature = Signature> {
  <W extends Readonly<Record<string, unknown>>>(
    wires: W extends Wires<Inputs, W> ? W : WantedWires<Inputs, W>,
  ): {
    readonly [K in keyof Outputs]: [Extract<W[keyof W] | Outputs[K], Streaming>] extends [never]
      ? Tensor<Outputs[K]["dtype"], Substitute<Outputs[K]["dims"], Bindings<Inputs, W>>>
      : StreamTensor<Outputs[K]["dtype"], Substitute<Outputs[K]["dims"], Bindings<Inputs, W>>>;
  };
  readonly name: string;
  readonly inputs: Inputs;
  readonly outputs: Outputs;
  /**
   * The step with a specific version of its model: `encoder.version(2)({ … })`. The version must exist and be served (`versionPolicy`).
   * Without a version, a step uses its latest served version at the time of the request.
   */
  version(version: number): Step<Inputs, Outputs>;
  /**
   * Runs the step once in this process. If the step streams, read its answers with `for await`. The first call compiles the step; the local
   * runtime serves it in threads that do not keep the process alive.
   * @throws PipelineError `request/invalid` for inputs that do not match; `project/invalid` with every diagnostic if the step does not
   * compile.
   */
  run<S extends Signatures>(this: S, inputs: InferInputs<S>): RunResult<S>;
}

/** The arguments that a step kind's constructor passes; `options` are specific to the kind. */
export interface StepOptions<I extends Signature, O extends Signature> {
  /** The `StepKind` that compiles it. */
  readonly kind: string;
  /** Name of the model in the repository. */
  readonly name: string;
  readonly inputs: I;
  readonly outputs: O;
  readonly options: Readonly<Record<string, unknown>>;
  /** The constructor that the user called; messages point to the position of that call. */
  readonly calledAs: (...args: never[]) => unknown;
  readonly trace?: Trace;
  /** The models that its code calls, by the names that the code uses. */
  readonly callees?: Readonly<Record<string, CalleeRecord>>;
  /** Further steps and ensembles whose models its code calls, by the names of these models. Default: none. */
  readonly needs?: readonly StepRecord[];
}

/** Creates a step of any kind. All constructors, built-in and custom, call this function. */
export const makeStep = <I extends Signature, O extends Signature>({
  calledAs,
  ...options
}: StepOptions<I, O>): Step<I, O> => {
  checkSignature(options.name, "inputs", options.inputs);
  checkSignature(options.name, "outputs", options.outputs);
  const record: StepRecord = { ...options, site: callSite(calledAs) };
  noteDefinition(record);
  return callable(record, undefined) as Step<I, O>;
};

/**
 * Creates a step of a kind whose options declare its tensors; all other options belong to the kind.
 * @param needs Steps and ensembles whose models its code calls.
 * @typeParam Made The step's type, which the constructor derives from the type of its options.
 */
export const makeDeclared = <Made>(
  kind: string,
  options: object,
  calledAs: StepOptions<Signature, Signature>["calledAs"],
  needs: readonly StepRecord[] = [],
): Made => {
  checkOptions(calledAs.name, options, ["inputs", "outputs"]);
  const { name, inputs, outputs, ...rest } = options as ServedModel & Readonly<Record<string, unknown>>;
  const sent = rest.modelTransactionPolicy?.decoupled === true ? streamsOf(outputs) : outputs;
  const step = { kind, name, inputs, outputs: sent, options: rest, calledAs };
  return makeStep(needs.length === 0 ? step : { ...step, needs }) as Made;
};

const streamsOf = (outputs: Signature): Signature =>
  Object.fromEntries(
    Object.entries(outputs).map(([name, type]) => [
      name,
      { ...type, stream: true } satisfies StreamTensorType,
    ]),
  );

const callable = (record: StepRecord, version: number | undefined): Step => {
  const call = (wires: unknown): unknown => {
    if (isHandle(wires))
      throw dslError("step/called-with-tensor", {
        name: record.name,
        input: Object.keys(record.inputs)[0] ?? "x",
      });
    const given = Object.entries(typeof wires === "object" && wires !== null ? wires : {});
    const names = bindNames(record.inputs, new Map(given));
    const outputs = Object.fromEntries(
      Object.entries(record.outputs).map(([name, type]) => [
        name,
        { dtype: type.dtype, dims: type.dims.map((dim) => names.get(dim) ?? dim) },
      ]),
    );
    const inputs = Object.fromEntries(given.map(([name, wire]) => [name, wireOf(wire)]));
    const portOf = addNode({
      kind: "step",
      step: record,
      ...(version === undefined ? {} : { version }),
      inputs,
      outputs,
      site: callSite(call),
    });
    const takesStream = given.some(([, wire]) => isHandle(wire) && isStream(wire));
    return Object.fromEntries(
      Object.entries(outputs).map(([name, { dtype, dims }]) => {
        const made = handle(dtype, dims, portOf(name));
        const streams = takesStream || isStream(record.outputs[name] as TensorType);
        return [name, streams ? Object.assign(made, { stream: true as const }) : made];
      }),
    );
  };
  Object.defineProperty(call, "name", { value: record.name });
  const streams = Object.values(record.outputs).some(isStream);
  const run = (values: unknown): unknown => (streams ? streamHere : runHere)(step, values, callSite(run));
  const step = Object.assign(call, {
    inputs: record.inputs,
    outputs: record.outputs,
    version: (pinned: number) => callable(record, pinned),
    run,
    "~record": record,
    "~version": version,
  }) as unknown as Step;
  return step;
};

/** The sizes of a signature's names in one call, from the handles. */
const bindNames = (inputs: Signature, wires: ReadonlyMap<string, unknown>): ReadonlyMap<Dim, Dim> => {
  const names = new Map<Dim, Dim>();
  for (const [name, type] of Object.entries(inputs)) {
    const wire = wires.get(name);
    if (!isHandle(wire)) continue;
    type.dims.forEach((dim, index) => {
      const got = wire.dims[index];
      if (typeof dim === "string" && got !== undefined && (names.get(dim) ?? -1) === -1) names.set(dim, got);
    });
  }
  return names;
};

/** The record behind a step or ensemble; undefined for other values. Works across multiple copies of this package. */
export const recordOf = (value: unknown): StepRecord | undefined =>
  typeof value === "function" && "~record" in value ? (value["~record"] as StepRecord) : undefined;

/** Whether clients call the model itself if a project exports it: an ensemble or a flow. */
export const isCalledByClients = ({ trace, callees }: StepRecord): boolean =>
  trace !== undefined || callees !== undefined;

/** The steps and ensembles whose models a step's code calls. */
export const calledRecords = ({ callees = {}, needs = [] }: StepRecord): readonly StepRecord[] => [
  ...Object.values(callees).map(({ step }) => step),
  ...needs,
];

/** Returns a value that is a step or ensemble, with its version; undefined for other values. */
export const calleeOf = (value: unknown): CalleeRecord | undefined => {
  const step = recordOf(value);
  if (step === undefined) return undefined;
  const { "~version": version } = value as { readonly "~version"?: number };
  return version === undefined ? { step } : { step, version };
};
