import {
  byteLength,
  type DType,
  elementCount,
  type NamedTensors,
  type TensorData,
  type PipelineError,
} from "@tritype/core";
import { printRawData } from "@tritype/protocol";
import type { Body } from "./frame.ts";
import type { Packer, Unpacker } from "./packed.ts";
import { runtimeError } from "../errors.ts";

/** The index is TRITONSERVER_DataType. */
const dtypeOfCode: readonly (DType | undefined)[] = [
  undefined,
  "BOOL",
  "UINT8",
  "UINT16",
  "UINT32",
  "UINT64",
  "INT8",
  "INT16",
  "INT32",
  "INT64",
  "FP16",
  "FP32",
  "FP64",
  "BYTES",
  "BF16",
];
const codeOfDtype = new Map(dtypeOfCode.map((dtype, code) => [dtype, code]));

/** Writes name, dtype, offset, length and dims of each tensor to `meta`, and its bytes to `body`. */
export const packTensors = (meta: Packer, body: Body, tensors: NamedTensors): void => {
  meta.u32(tensors.size);
  for (const [name, tensor] of tensors) {
    const data = printRawData(tensor);
    meta.text(name).u8(codeOfDtype.get(tensor.dtype) ?? 0);
    meta.u64(body.add(data)).u64(data.byteLength).u8(tensor.shape.length);
    for (const dim of tensor.shape) meta.u64(dim);
  }
};

/**
 * The tensors described in `meta`, the first of each name, as Triton's ensembles find them; they share memory with `body`.
 * @throws PipelineError `model/failed` when a tensor is not within the body or does not fit its shape.
 */
export const unpackTensors = (meta: Unpacker, body: Buffer): NamedTensors => {
  const tensors = new Map<string, TensorData>();
  for (let count = meta.u32(); count > 0; count--) {
    const [name, tensor] = [meta.text(), unpackTensor(meta, body)];
    tensors.set(name, tensors.get(name) ?? tensor);
  }
  return tensors;
};

const unpackTensor = (meta: Unpacker, body: Buffer): TensorData => {
  const dtype = dtypeOfCode[meta.u8()];
  const [offset, length] = [meta.u64(), meta.u64()];
  const shape = Array.from({ length: meta.u8() }, () => meta.u64());
  if (dtype === undefined || offset + length > body.byteLength) throw misfit();
  const data = new Uint8Array(body.buffer, body.byteOffset + offset, length);
  if (dtype !== "BYTES") {
    if (byteLength(dtype, shape) !== length) throw misfit();
    return { dtype, shape, data };
  }
  const elements = splitElements(data);
  if (elements.length !== elementCount(shape)) throw misfit();
  return { dtype, shape, data: elements };
};

const misfit = (): PipelineError =>
  runtimeError("python/broken-answer", {
    problem: "sent a tensor whose bytes do not fit its dtype and shape",
  });

const splitElements = (data: Uint8Array): Uint8Array[] => {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const elements: Uint8Array[] = [];
  let offset = 0;
  while (offset < data.byteLength) {
    if (offset + 4 > data.byteLength) throw misfit();
    const end = offset + 4 + view.getUint32(offset, true);
    if (end > data.byteLength) throw misfit();
    elements.push(data.subarray(offset + 4, end));
    offset = end;
  }
  return elements;
};
