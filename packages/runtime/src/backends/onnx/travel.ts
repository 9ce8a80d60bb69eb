import { encodeUtf8, type NamedTensors, type TensorData, tryDecodeUtf8, requestPrefix } from "@tritype/core";
import type { TravellingTensor } from "./worker-messages.ts";
import { runtimeError } from "../../errors.ts";

/**
 * The elements of a BYTES tensor as ONNX Runtime's strings, each of which ends at its first NUL, as in Triton's backend,
 * which passes on C strings (`SetStringInputBuffer` in its onnxruntime.cc).
 * @throws PipelineError `request/unsupported` for BYTES that are not UTF-8.
 */
export const textsOf = (tensor: TensorData, name: string, model: string, id: string): readonly string[] =>
  tensor.dtype === "BYTES" ? tensor.data.map(textOf(name, model, id)) : [];

export const unpack = (tensors: readonly TravellingTensor[]): NamedTensors =>
  new Map(
    tensors.map(({ name, dtype, shape, data }): [string, TensorData] => [
      name,
      dtype === "BYTES"
        ? { dtype, shape, data: (data as readonly string[]).map(encodeUtf8) }
        : { dtype, shape, data: data as Uint8Array },
    ]),
  );

/** Below this size copying is faster than transferring. */
const smallest = 16_384;

/** The memory to transfer with the tensors: each buffer once, even if several tensors share it. */
export const owned = (tensors: readonly TravellingTensor[]): ArrayBuffer[] => {
  const buffers = new Set<ArrayBuffer>();
  for (const { data } of tensors)
    if (data instanceof Uint8Array && data.buffer.byteLength >= smallest)
      buffers.add(data.buffer as ArrayBuffer);
  return [...buffers];
};

const textOf =
  (name: string, model: string, id: string) =>
  (bytes: Uint8Array, index: number): string => {
    const end = bytes.indexOf(0);
    const text = tryDecodeUtf8(end < 0 ? bytes : bytes.subarray(0, end));
    if (text !== undefined) return text;
    throw runtimeError("request/byte-string", { prefix: requestPrefix(id), index, input: name, model });
  };
