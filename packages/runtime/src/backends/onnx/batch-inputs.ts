import { elementCount, type FixedTensor, type TensorData, tensorOf } from "@tritype/core";
import type { BatchInput, BatchInputKind, ModelConfig } from "@tritype/triton";

/** Values and shape of a tensor that the backend computes from the shapes of a batch's inputs. */
type Made = readonly [shape: readonly number[], values: readonly number[]];

const counts = (sources: readonly TensorData[]): readonly number[] =>
  sources.map(({ shape }) => elementCount(shape));

const accumulated = (sources: readonly TensorData[]): readonly number[] => {
  let sum = 0;
  return counts(sources).map((count) => (sum += count));
};

const vector = (values: readonly number[]): Made => [[values.length], values];

/** The shape without the batch, once for each row. */
const itemShapes = (sources: readonly TensorData[]): readonly (readonly number[])[] =>
  sources.flatMap(({ shape: [rows = 1, ...item] }) => Array.from({ length: rows }, () => item));

/** Source: the comments of `BatchInput.Kind` in Triton's `model_config.proto`. */
const kinds: Readonly<Record<BatchInputKind, (sources: readonly TensorData[]) => Made>> = {
  BATCH_ELEMENT_COUNT: (sources) => vector(counts(sources)),
  BATCH_ACCUMULATED_ELEMENT_COUNT: (sources) => vector(accumulated(sources)),
  BATCH_ACCUMULATED_ELEMENT_COUNT_WITH_ZERO: (sources) => vector([0, ...accumulated(sources)]),
  BATCH_MAX_ELEMENT_COUNT_AS_SHAPE: (sources) =>
    vector(
      Array.from({ length: counts(sources).reduce((most, count) => Math.max(most, count), 0) }, () => 0),
    ),
  BATCH_ITEM_SHAPE: (sources) => {
    const rows = itemShapes(sources);
    return [[rows.length, rows[0]?.length ?? 0], rows.flat()];
  },
  BATCH_ITEM_SHAPE_FLATTEN: (sources) => vector(itemShapes(sources).flat()),
};

/** The tensors of `batch_input` for one execution, by name; `sourceOf` gives an input of every request in it. */
export const batchInputs = (
  { batch_input = [] }: ModelConfig,
  sourceOf: (input: string) => readonly TensorData[],
): readonly (readonly [string, FixedTensor])[] =>
  batch_input.flatMap((one) => {
    const tensor = makeTensor(one, sourceOf);
    return (one.target_name ?? []).map((name) => [name, tensor] as const);
  });

const makeTensor = (
  { kind = "BATCH_ELEMENT_COUNT", data_type, source_input = [] }: BatchInput,
  sourceOf: (input: string) => readonly TensorData[],
): FixedTensor => {
  const [shape, values] = kinds[kind](sourceOf(source_input[0] ?? ""));
  return tensorOf(data_type === "TYPE_FP32" ? "FP32" : "INT32", shape, values) as FixedTensor;
};
