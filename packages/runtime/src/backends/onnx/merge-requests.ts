import {
  elementCount,
  foreignError,
  type PipelineError,
  requestPrefix,
  rowsOf,
  type TensorData,
} from "@tritype/core";
import { concatSteps, type Steps } from "@tritype/protocol";
import type { ModelConfig } from "@tritype/triton";
import type { ModelRequest } from "../../backend.ts";
import { batchInputs } from "./batch-inputs.ts";
import { textsOf } from "./travel.ts";
import type { TravellingTensor } from "./worker-messages.ts";

/** Merges several requests into one execution, and splits its outputs by request. */
export interface RequestMerger {
  /**
   * The concatenated inputs of all requests, copied once, and the batch inputs.
   * @throws PipelineError `request/unsupported` for BYTES that are not UTF-8.
   */
  merge(requests: readonly ModelRequest[]): Steps<readonly TravellingTensor[]>;
  /**
   * Each request's part of an output: as many rows as the request has, even if the output has more; an error if it has
   * fewer.
   */
  split(
    output: TravellingTensor,
    requests: readonly ModelRequest[],
  ): readonly (TravellingTensor | PipelineError)[];
}

/**
 * Inputs are concatenated along the batch, ragged ones into one long vector. Outputs are split by rows; those of a
 * `batch_output` have their configured dims, with the source input's size for each variable one. Source:
 * `BackendInputCollector` and `BackendOutputResponder` of Triton's backend library.
 */
export const createRequestMerger = (config: ModelConfig): RequestMerger => {
  const model = config.name ?? "";
  const batched = (config.max_batch_size ?? 0) > 0;
  const ragged = new Set(
    (config.input ?? []).flatMap(({ name = "", allow_ragged_batch }) =>
      allow_ragged_batch === true ? [name] : [],
    ),
  );
  const scattered = new Map(
    (config.batch_output ?? []).flatMap(({ target_name = [], source_input = [] }) =>
      target_name.map((name) => {
        const { dims = [], reshape } = config.output?.find((output) => output.name === name) ?? {};
        const own = reshape?.shape ?? dims;
        return [name, { input: source_input[0] ?? "", dims: batched ? [-1, ...own] : own }] as const;
      }),
    ),
  );
  const sourceOf =
    (requests: readonly ModelRequest[]) =>
    (input: string): readonly TensorData[] =>
      requests.flatMap(({ inputs }) => inputs.get(input) ?? []);

  return {
    *merge(requests) {
      const merged: TravellingTensor[] = [];
      for (const name of requests[0]?.inputs.keys() ?? []) {
        const tensors = requests.map(({ inputs }) => inputs.get(name) as TensorData);
        const dtype = tensors[0]?.dtype ?? "FP32";
        const shape = mergedShape(tensors, ragged.has(name), batched);
        const data =
          dtype === "BYTES"
            ? requests.flatMap(({ id }, i) => textsOf(tensors[i] as TensorData, name, model, id))
            : // New memory: a view would transfer the entire memory that it refers to, and the caller keeps its own.
              yield* concatSteps(tensors.map((tensor) => tensor.data as Uint8Array));
        merged.push({ name, dtype, shape, data });
      }
      for (const [name, tensor] of batchInputs(config, sourceOf(requests))) merged.push({ name, ...tensor });
      return merged;
    },
    split: (output, requests) => {
      const source = scattered.get(output.name);
      if (source === undefined && (!batched || isOfOne(output, requests))) return [output];
      const shapes = requests.map(({ inputs }) => {
        if (source === undefined) return [rowsOf(inputs), ...output.shape.slice(1)];
        const shape = inputs.get(source.input)?.shape ?? [];
        return source.dims.map((dim, i) => (dim === -1 ? (shape[i] ?? 1) : dim));
      });
      return cut(output, shapes, (index) => {
        const { id } = requests[index] as ModelRequest;
        const rows = shapes.slice(0, index + 1).reduce((sum, [count = 0]) => sum + count, 0);
        return foreignError(
          "request/unsupported",
          `${requestPrefix(id)}failed to split the output tensor '${output.name}' in responses: expected batch size of at least ${rows} in model output, got ${output.shape[0] ?? 0}`,
        );
      });
    },
  };
};

/** Whether the output has the rows of the only request. */
const isOfOne = ({ shape }: TravellingTensor, [first, second]: readonly ModelRequest[]): boolean =>
  first !== undefined && second === undefined && shape[0] === rowsOf(first.inputs);

const mergedShape = (
  tensors: readonly TensorData[],
  ragged: boolean,
  batched: boolean,
): readonly number[] => {
  if (ragged) return [tensors.reduce((sum, { shape }) => sum + elementCount(shape), 0)];
  const [{ shape } = { shape: [] }] = tensors;
  if (!batched) return shape;
  return [tensors.reduce((sum, one) => sum + (one.shape[0] ?? 0), 0), ...shape.slice(1)];
};

const cut = (
  output: TravellingTensor,
  shapes: readonly (readonly number[])[],
  missing: (index: number) => PipelineError,
): readonly (TravellingTensor | PipelineError)[] => {
  const elements = elementCount(output.shape);
  const size = elements === 0 ? 0 : output.data.length / elements;
  const wanted = shapes.map(elementCount);
  // Triton distributes the elements request by request. Once they do not suffice, all later requests get the error too.
  let end = 0;
  return wanted.map((count, index) => {
    const at = end;
    end += count;
    if (end > elements) return missing(index);
    const data = sliced(output.data, at * size, end * size);
    return { ...output, shape: shapes[index] as readonly number[], data };
  });
};

const sliced = (data: TravellingTensor["data"], start: number, end: number): TravellingTensor["data"] =>
  data instanceof Uint8Array ? data.subarray(start, end) : data.slice(start, end);
