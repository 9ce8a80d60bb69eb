import {
  elementCount,
  elementSize,
  type NamedTensors,
  sliceRows,
  splitRows,
  type TensorData,
  concatRows,
} from "@tritype/core";
import type { TensorComparison } from "@tritype/inspector/view";
import { compareTensors } from "./compare-tensors.ts";

export type Infer = (inputs: NamedTensors) => Promise<NamedTensors>;

/** The differences that result from sending a batch row by row, and from permuting its rows. */
export interface RowComparison {
  readonly way: "row by row" | "permuted";
  readonly tensors: readonly TensorComparison[];
}

/**
 * Compares N rows in one request with N requests of one row, and with the same rows in reverse order. Rows that are padded to different
 * lengths are compared only in the part that they share.
 */
export const compareRows = async (
  inputs: NamedTensors,
  infer: Infer,
  tolerance: number,
): Promise<readonly RowComparison[]> => {
  const whole = await infer(inputs);
  const singles: NamedTensors[] = [];
  for (const row of splitRows(inputs)) singles.push(await infer(row));
  const permuted = await infer(mapTensors(inputs, reverseRows));
  const restored = mapTensors(permuted, reverseRows);
  return [
    {
      way: "row by row",
      tensors: [...whole].map(([name, tensor]) =>
        worst(
          name,
          singles.map((single, row) =>
            compareShared(name, single.get(name), sliceRows(tensor, row, row + 1), tolerance),
          ),
        ),
      ),
    },
    {
      way: "permuted",
      tensors: [...whole].map(([name, tensor]) =>
        compareTensors(name, restored.get(name), tensor, tolerance),
      ),
    },
  ];
};

const mapTensors = (tensors: NamedTensors, map: (tensor: TensorData) => TensorData): NamedTensors =>
  new Map([...tensors].map(([name, tensor]) => [name, map(tensor)]));

const reverseRows = (tensor: TensorData): TensorData =>
  concatRows(
    Array.from({ length: tensor.shape[0] ?? 0 }, (_, row) => sliceRows(tensor, row, row + 1)).toReversed(),
  );

const worst = (name: string, comparisons: readonly TensorComparison[]): TensorComparison => {
  const failed = comparisons.find(({ ok }) => !ok);
  return {
    name,
    maxAbsolute: comparisons.reduce((most, { maxAbsolute }) => Math.max(most, maxAbsolute), 0),
    maxRelative: comparisons.reduce((most, { maxRelative }) => Math.max(most, maxRelative), 0),
    ok: failed === undefined,
    problem: failed?.problem,
  };
};

/** Compares the overlapping part of two tensors of the same rank. */
const compareShared = (
  name: string,
  got: TensorData | undefined,
  wanted: TensorData,
  tolerance: number,
): TensorComparison => {
  if (got === undefined || got.shape.length !== wanted.shape.length)
    return compareTensors(name, got, wanted, tolerance);
  const shape = got.shape.map((size, axis) => Math.min(size, wanted.shape[axis] ?? 0));
  return compareTensors(name, crop(got, shape), crop(wanted, shape), tolerance);
};

const crop = (tensor: TensorData, shape: readonly number[]): TensorData => {
  if (tensor.shape.join() === shape.join()) return tensor;
  const picked = Array.from({ length: elementCount(shape) }, (_, flat) =>
    sourceIndex(flat, shape, tensor.shape),
  );
  if (tensor.dtype === "BYTES")
    return { dtype: "BYTES", shape, data: picked.map((i) => tensor.data[i] ?? new Uint8Array()) };
  const size = elementSize(tensor.dtype);
  const data = new Uint8Array(picked.length * size);
  picked.forEach((from, to) => data.set(tensor.data.subarray(from * size, (from + 1) * size), to * size));
  return { dtype: tensor.dtype, shape, data };
};

const sourceIndex = (flat: number, shape: readonly number[], source: readonly number[]): number => {
  let rest = flat;
  let index = 0;
  let stride = 1;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    const size = shape[axis] ?? 1;
    index += (rest % size) * stride;
    rest = Math.floor(rest / size);
    stride *= source[axis] ?? 1;
  }
  return index;
};
