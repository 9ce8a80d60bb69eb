import { type NamedTensors, PipelineError, showType, type TensorData } from "@tritype/core";
import type { Endpoint } from "@tritype/endpoint";
import type { Call, RecordedTensor, Recording } from "@tritype/inspector";
import {
  type ComparedPart,
  compareRecordings,
  different,
  inputsOf,
  pathOf,
  type TensorComparison,
} from "@tritype/inspector/view";
import { isDecoupled } from "@tritype/triton";
import { compareTensors } from "./compare-tensors.ts";
import type { Compared } from "./open-compared.ts";
import { recordSteps } from "./record-steps.ts";

/** An output of a step in another run, compared with the local native run. */
export interface ComparedOutput {
  readonly step: string;
  /** The step with its callers within the ensemble: `flow → recognize 3 of 8`. */
  readonly path: string;
  /** `y FP32[3, 4]`; empty for a step that only the other run has. */
  readonly output: string;
  /** The deviation with the inputs from the local native run; undefined if the other run did not get them. */
  readonly own: TensorComparison | undefined;
  /** The deviation with the answers of the other run's own earlier steps; undefined for a step that it did not reach. */
  readonly carried: TensorComparison | undefined;
  /** The largest difference of the step's inputs in the other run; undefined if that run did not reach the step. */
  readonly inputs: number | undefined;
}

/** A request whose steps are compared. */
export interface StepsRequest {
  readonly model: string;
  /** Number of the request, from 1. */
  readonly request: number;
  /** The name, if the request is a `warmup` sample. */
  readonly sample: string | undefined;
}

/** The steps of one request in one run. */
export interface ComparedSteps extends StepsRequest {
  /** The run that was compared with the local native run. */
  readonly check: string;
  /** In the order of the computation. */
  readonly outputs: readonly ComparedOutput[];
  /** The first output that deviates. */
  readonly first: ComparedOutput | undefined;
}

type Calls = Recording<RecordedTensor>;
type Step = Call<RecordedTensor>;

/**
 * Compares every output of every step of a request in the other runs; returns nothing if the local native run does not answer the request.
 */
export const compareSteps = async (
  request: StepsRequest,
  inputs: NamedTensors,
  { native, byStep }: Compared,
  tolerance: number,
): Promise<readonly ComparedSteps[]> => {
  const wanted = await recordSteps(native, request.model, inputs);
  if (wanted.calls[0]?.failed !== false) return [];
  const [ensembles, streaming] = [new Set<string>(), new Set<string>()];
  for (const { model, version } of wanted.calls) {
    const config = await native.config(model, version);
    if (config.ensemble_scheduling !== undefined) ensembles.add(model);
    if (isDecoupled(config)) streaming.add(model);
  }
  const compared: ComparedSteps[] = [];
  for (const other of byStep) {
    const got = await recordSteps(other, request.model, inputs);
    const outputs = await compareOutputs(other, { got, wanted, ensembles, streaming }, tolerance);
    const first = outputs.find(({ own, carried }) => own?.ok === false || carried?.ok === false);
    compared.push({ ...request, check: other.name, outputs, first });
  }
  return compared;
};

interface Recorded {
  readonly got: Calls;
  readonly wanted: Calls;
  readonly ensembles: ReadonlySet<string>;
  readonly streaming: ReadonlySet<string>;
}

const compareOutputs = async (
  other: Endpoint,
  { got, wanted, ensembles, streaming }: Recorded,
  tolerance: number,
): Promise<readonly ComparedOutput[]> => {
  const parts = compareRecordings(got, wanted, {
    names: [other.name, "local native"],
    compare: (one, reference) => compareRecorded(one, reference, tolerance),
  });
  /** Whether a call was only made through ensembles: a server does not show calls from code, and a twin may make others. */
  const isMember = ({ parent }: Step, all: Calls): boolean => {
    const caller = all.calls.find(({ id }) => id === parent);
    return caller === undefined || (ensembles.has(caller.model) && isMember(caller, all));
  };
  const stopped = got.calls[0]?.failed !== false;
  const outputs: ComparedOutput[] = [];
  for (const part of parts) {
    const { one, other: reference, model: step, problem } = part;
    const path = pathOf(part);
    if (reference === undefined) {
      if (one !== undefined && isMember(one, got))
        outputs.push({
          step,
          path,
          output: "",
          own: undefined,
          carried: different("", problem ?? ""),
          inputs: undefined,
        });
      continue;
    }
    if (ensembles.has(step) || (part.kind === "got" && one !== undefined)) continue;
    const lacks = one === undefined && !stopped && isMember(reference, wanted);
    const own = streaming.has(step) ? undefined : await askAlone(other, reference, tolerance);
    for (const { name, tensor } of reference.responses[(part.response ?? 1) - 1] ?? [])
      outputs.push({
        step,
        path,
        output: `${name} ${showType({ dtype: tensor.dtype, dims: tensor.shape })}`,
        own: own?.get(name),
        carried:
          lacks || (one !== undefined && problem !== undefined)
            ? different(name, problem ?? "")
            : part.tensors.find((each) => each.other?.name === name)?.comparison,
        inputs: one === undefined ? undefined : largestOf(inputsOf(part, parts)),
      });
  }
  return outputs;
};

const largestOf = (tensors: ComparedPart<RecordedTensor>["tensors"]): number =>
  Math.max(0, ...tensors.map(({ comparison }) => comparison.maxAbsolute));

/** How the answer of a single step deviates, by output; empty for a step whose inputs were not all recorded. */
const askAlone = async (
  other: Endpoint,
  { model, version, inputs, responses }: Step,
  tolerance: number,
): Promise<ReadonlyMap<string, TensorComparison>> => {
  const wanted = tensorsOf(responses[0] ?? []);
  if (!inputs.every(({ tensor }) => "data" in tensor)) return new Map();
  let answer: NamedTensors;
  try {
    answer = await other.infer(model, new Map(tensorsOf(inputs)), version);
  } catch (error) {
    if (!PipelineError.is(error) || error.code === "server/unreachable") throw error;
    return new Map(wanted.map(([name]) => [name, different(name, `no answer: ${error.message}`)]));
  }
  return new Map(
    wanted.map(([name, tensor]) => [name, compareTensors(name, answer.get(name), tensor, tolerance)]),
  );
};

const tensorsOf = (recorded: readonly RecordedTensor[]): [string, TensorData][] =>
  recorded.flatMap(({ name, tensor }) => ("data" in tensor ? [[name, tensor]] : []));

const compareRecorded = (got: RecordedTensor, wanted: RecordedTensor, tolerance: number): TensorComparison =>
  "data" in got.tensor && "data" in wanted.tensor
    ? compareTensors(wanted.name, got.tensor, wanted.tensor, tolerance)
    : { name: wanted.name, maxAbsolute: 0, maxRelative: 0, ok: true, problem: "not recorded" };
