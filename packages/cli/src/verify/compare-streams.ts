import {
  elementCount,
  groupBy,
  type NamedTensors,
  PipelineError,
  type TensorData,
  tensorOf,
  valuesOf,
} from "@tritype/core";
import type { Endpoint } from "@tritype/endpoint";
import { different, type TensorComparison } from "@tritype/inspector/view";
import { compareErrors } from "./compare-endpoints.ts";
import { compareAnswers } from "./compare-tensors.ts";

/** The responses to one request, up to the end or an error. */
export interface Streamed {
  readonly responses: readonly NamedTensors[];
  readonly error: string | undefined;
}

/** Sends a request; undefined for a server whose address has no streams of tensors. */
export const streamedBy = async (
  endpoint: Endpoint,
  model: string,
  inputs: NamedTensors,
): Promise<Streamed | undefined> => {
  const responses: NamedTensors[] = [];
  const stream = endpoint.stream?.(model, inputs);
  if (stream === undefined) return undefined;
  try {
    for await (const outputs of stream) responses.push(outputs);
    return { responses, error: undefined };
  } catch (error) {
    if (!PipelineError.is(error) || error.code === "server/unreachable") throw error;
    return { responses, error: error.message };
  }
};

/**
 * Compares two streams response by response. If they differ only in where their responses are cut, as those of a step that sends what it
 * has generated so far, their joined tensors are compared.
 */
export const compareStreams = (
  got: Streamed,
  wanted: Streamed,
  tolerance: number,
): readonly TensorComparison[] => {
  const ends =
    got.error === undefined && wanted.error === undefined
      ? []
      : [compareErrors(got.error ?? "it answers", wanted.error ?? "it answers")];
  const each = compareEach(got.responses, wanted.responses, tolerance);
  if (each.every(({ ok }) => ok)) return [...each, ...ends];
  const [one, other] = [joined(got.responses), joined(wanted.responses)];
  const whole = one === undefined || other === undefined ? undefined : compareAnswers(one, other, tolerance);
  return [...(whole?.every(({ ok }) => ok) === true ? whole : each), ...ends];
};

const compareEach = (
  got: readonly NamedTensors[],
  wanted: readonly NamedTensors[],
  tolerance: number,
): readonly TensorComparison[] => {
  const pairs = wanted.slice(0, got.length).flatMap((reference, index) =>
    compareAnswers(got[index] ?? new Map(), reference, tolerance).map((tensor) => ({
      ...tensor,
      problem: tensor.ok
        ? tensor.problem
        : `response ${index + 1}${tensor.problem === undefined ? "" : `: ${tensor.problem}`}`,
    })),
  );
  if (got.length === wanted.length) return pairs;
  return [
    ...pairs,
    different("(responses)", `${got.length} responses, but local native sends ${wanted.length}`),
  ];
};

/** The texts as one text, and the rows of other tensors one after the other; undefined for several rows in a response. */
const joined = (responses: readonly NamedTensors[]): NamedTensors | undefined => {
  const all = new Map<string, TensorData>();
  for (const [name, tensors] of groupBy(responses.flatMap((response) => [...response]))) {
    const dtype = tensors[0]?.dtype ?? "BYTES";
    if (tensors.some(({ shape }) => elementCount(shape.slice(0, -1)) !== 1)) return undefined;
    const values = tensors.flatMap((tensor) => [...valuesOf(tensor)]);
    all.set(
      name,
      dtype === "BYTES" ? tensorOf(dtype, [1], [values.join("")]) : tensorOf(dtype, [values.length], values),
    );
  }
  return all;
};
