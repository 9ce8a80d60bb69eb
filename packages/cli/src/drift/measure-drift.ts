import {
  type BatchDependence,
  compareAnswers,
  type DriftLimitsByOutput,
  type DriftReportModel,
  type DriftReportRow,
  judgeDrift,
  type RankedRow,
} from "@tritype/drift";
import {
  groupBy,
  isDType,
  joinRows,
  type NamedTensors,
  PipelineError,
  reworded,
  splitRows,
  tensorOf,
  valuesOf,
} from "@tritype/core";
import { type Endpoint, maxBatchSizeOf } from "@tritype/endpoint";
import type { ModelMetadata, TensorMetadata } from "@tritype/runtime";
import { showType } from "../request-inputs.ts";
import { compareRows } from "../verify/row-independence.ts";
import type { PlacedRequest } from "../request-file.ts";
import { requestRows } from "./dataset.ts";
import { cliError } from "../errors.ts";
import { evenly } from "../evenly.ts";

export interface MeasureOptions {
  readonly limits: DriftLimitsByOutput;
  /** Maximum number of rows in one request; consecutive requests with the same shape are sent together. */
  readonly batchSize: number;
}

/**
 * Sends the same requests to one model of both variants and compares the responses. Then sends rows alone, together and in a different
 * order, to measure how much the rows of each variant depend on each other.
 * @throws PipelineError `request/invalid` if the model's inputs differ between the variants; a variant's failures are passed on with the
 * row.
 */
export const measureDrift = async (
  model: string,
  reference: Endpoint,
  candidate: Endpoint,
  requests: readonly PlacedRequest[],
  { limits, batchSize }: MeasureOptions,
): Promise<DriftReportModel> => {
  const [metadata, other] = await Promise.all([reference.metadata(model), candidate.metadata(model)]);
  refuseOtherInputs(metadata, other, reference, candidate);
  const largest = await Promise.all([maxBatchSizeOf(reference, model), maxBatchSizeOf(candidate, model)]);
  const batched = largest.every((size) => size > 0);
  const rows = requests.flatMap(({ where, inputs }) => {
    const split = batched ? splitRows(inputs) : [inputs];
    return split.map((one, row) => ({
      where: split.length === 1 ? where : `${where}, row ${row + 1}`,
      inputs: one,
    }));
  });
  const sent = batched ? together(requests, Math.min(batchSize, ...largest)) : requests;
  const inCandidate = (inputs: NamedTensors): NamedTensors => withDTypes(inputs, other.inputs);
  const comparison = compareAnswers((output) => ({
    rankBy: (limits[output] ?? limits["*"])?.top1 === undefined ? "distance" : "top1",
  }));
  let example = 0;
  for (const { where, inputs } of sent) {
    const examples = Array.from({ length: requestRows(inputs, batched) }, () => example++);
    const right = await answer(reference, model, where, inputs);
    const got = await answer(candidate, model, where, inCandidate(inputs));
    comparison.add(examples, right, got, batched);
  }
  const batch = batched ? batchOf(rows, Math.min(16, ...largest)) : undefined;
  const dependenceOfReference = await batchDependence(batch, (inputs) => reference.infer(model, inputs));
  const dependenceOfCandidate = await batchDependence(batch && inCandidate(batch), (inputs) =>
    candidate.infer(model, inputs),
  );
  const tensors = comparison.summarize();
  const describe = ({ example: at, cosine, worstElement, ...row }: RankedRow): DriftReportRow => ({
    example: at,
    where: rows[at]?.where ?? "",
    inputs: showInputs(rows[at]?.inputs ?? new Map()),
    ...row,
    cosine: cosine ?? null,
    worstElement: worstElement ?? null,
  });
  return {
    name: model,
    rows: rows.length,
    requests: sent.length,
    batchRows: batch === undefined ? 0 : requestRows(batch, true),
    limits,
    tensors: tensors.map(({ dtype, absolute, relative, cosine, top1, nonFinite, worst, ...tensor }) => ({
      ...tensor,
      equalExceptNumbers: tensor.equalExceptNumbers ?? null,
      dtype: { reference: dtype.reference ?? null, candidate: dtype.candidate ?? null },
      absolute: absolute ?? null,
      relative: relative ?? null,
      cosine: cosine ?? null,
      top1: top1 ?? null,
      nonFinite: nonFinite ?? null,
      batchDependence: {
        reference: dependenceOfReference.get(tensor.name) ?? null,
        candidate: dependenceOfCandidate.get(tensor.name) ?? null,
      },
      worst: worst.map(describe),
    })),
    failures: judgeDrift(tensors, limits, dependenceOfCandidate).map(({ limit, ...failure }) => ({
      ...failure,
      limit: limit ?? null,
    })),
  };
};

const isFloat = (datatype: string): boolean => /^(FP|BF)/.test(datatype);

/** Names and dtypes must match; floats may differ in width, and sizes may differ if one is -1. */
const refuseOtherInputs = (
  reference: ModelMetadata,
  candidate: ModelMetadata,
  { name: left }: Endpoint,
  { name: right }: Endpoint,
): void => {
  const fits = (one: TensorMetadata, other: TensorMetadata | undefined): boolean =>
    other !== undefined &&
    (one.datatype === other.datatype || (isFloat(one.datatype) && isFloat(other.datatype))) &&
    one.shape.length === other.shape.length &&
    one.shape.every((size, axis) => size === -1 || other.shape[axis] === -1 || size === other.shape[axis]);
  const same =
    reference.inputs.length === candidate.inputs.length &&
    reference.inputs.every((input) =>
      fits(
        input,
        candidate.inputs.find(({ name }) => name === input.name),
      ),
    );
  if (same) return;
  const shown = ({ inputs }: ModelMetadata): string =>
    inputs.map((input) => `${input.name} ${showType(input)}`).join(", ");
  throw cliError("drift/other-inputs", {
    model: reference.name,
    inputs: shown(reference),
    left,
    others: shown(candidate),
    right,
  });
};

/** The same values in the float dtypes of the other model. */
const withDTypes = (inputs: NamedTensors, wanted: readonly TensorMetadata[]): NamedTensors =>
  new Map(
    [...inputs].map(([name, tensor]) => {
      const datatype = wanted.find((input) => input.name === name)?.datatype ?? tensor.dtype;
      return [
        name,
        datatype === tensor.dtype || !isDType(datatype)
          ? tensor
          : tensorOf(datatype, tensor.shape, valuesOf(tensor)),
      ];
    }),
  );

const answer = async (
  variant: Endpoint,
  model: string,
  where: string,
  inputs: NamedTensors,
): Promise<NamedTensors> => {
  try {
    return await variant.infer(model, inputs);
  } catch (error) {
    if (!PipelineError.is(error)) throw error;
    const said = error.message.replace("[request id: <id_unknown>] ", "").trim();
    throw reworded(error, `${where}: ${variant.name} does not answer: ${said}`, {
      cause: error,
      help: error.help ?? "fix the row, or remove it from the dataset",
    });
  }
};

/** Names, dtypes and sizes without the batch. */
const layoutOf = (inputs: NamedTensors): string =>
  JSON.stringify([...inputs].map(([name, { dtype, shape }]) => [name, dtype, shape.slice(1)]));

/** Consecutive requests with the same layout, as batches of at most `size` rows. */
const together = (requests: readonly PlacedRequest[], size: number): readonly PlacedRequest[] => {
  const groups: [PlacedRequest, ...PlacedRequest[]][] = [];
  for (const request of requests) {
    const group = groups.at(-1);
    const rows = [...(group ?? []), request].reduce((sum, { inputs }) => sum + requestRows(inputs, true), 0);
    if (group !== undefined && rows <= size && layoutOf(group[0].inputs) === layoutOf(request.inputs))
      group.push(request);
    else groups.push([request]);
  }
  return groups.map(([first, ...others]) => ({
    where: [first, ...others.slice(-1)].map(({ where }) => where).join(" to "),
    inputs: joinRows([first, ...others].map(({ inputs }) => inputs)),
  }));
};

/** Up to `size` rows of the most common layout, spread over the dataset; undefined if there are fewer than two. */
const batchOf = (rows: readonly PlacedRequest[], size: number): NamedTensors | undefined => {
  const layouts = groupBy(rows.map(({ inputs }) => [layoutOf(inputs), inputs] as const));
  const most = [...layouts.values()].toSorted((a, b) => b.length - a.length)[0] ?? [];
  const chosen = evenly(most, size);
  return chosen.length < 2 ? undefined : joinRows(chosen);
};

const batchDependence = async (
  batch: NamedTensors | undefined,
  infer: (inputs: NamedTensors) => Promise<NamedTensors>,
): Promise<ReadonlyMap<string, BatchDependence>> => {
  if (batch === undefined) return new Map();
  const [alone, permuted] = await compareRows(batch, infer, 0);
  const largest = (comparison: typeof alone, name: string): number =>
    Math.min(Number.MAX_VALUE, comparison?.tensors.find((tensor) => tensor.name === name)?.maxAbsolute ?? 0);
  return new Map(
    (alone?.tensors ?? []).map(({ name }) => [
      name,
      { rowByRow: largest(alone, name), permuted: largest(permuted, name) },
    ]),
  );
};

const longest = 200;

const showInputs = (inputs: NamedTensors): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...inputs].map(([name, tensor]) => {
      const values = valuesOf(tensor).slice(0, longest);
      const shown = values
        .map((value) => (typeof value === "string" ? JSON.stringify(value) : String(value)))
        .join(", ");
      const text = tensor.shape.every((size) => size === 1) ? shown : `[${shown}]`;
      return [name, text.length <= longest ? text : `${text.slice(0, longest - 1)}…`];
    }),
  );
