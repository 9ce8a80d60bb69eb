import { type FixedDType, typedArrayOf } from "@tritype/core";
import type { InferenceSession, OnnxValue, Tensor } from "onnxruntime-node";
import { monotonic } from "./monotonic.ts";
import { dtypeOfOrtType, ortTypes } from "./ort-types.ts";
import type { SessionRun, TravellingTensor } from "./worker-messages.ts";

/** The module onnxruntime-node, as this thread loaded it. */
export type Ort = Pick<typeof import("onnxruntime-node"), "InferenceSession" | "Tensor">;

/** Runs a session in this thread, which waits for it. Rejects with ONNX Runtime's own message. */
export const runSession = async (
  ort: Ort,
  session: InferenceSession,
  inputs: readonly TravellingTensor[],
  outputs: readonly string[],
): Promise<SessionRun> => {
  const feeds: Record<string, Tensor> = {};
  for (const tensor of inputs) feeds[tensor.name] = toOrt(ort, tensor);
  const started = monotonic();
  const made = await session.run(feeds, outputs);
  const ended = monotonic();
  return { outputs: outputs.map((name) => fromOrt(name, made[name])), took: ended - started, ended };
};

const toOrt = (ort: Ort, { dtype, shape, data }: TravellingTensor): Tensor => {
  if (dtype === "BYTES") return new ort.Tensor("string", data as string[], shape);
  const view = typedArrayOf({ dtype, shape, data: data as Uint8Array });
  return new ort.Tensor(ortTypes[dtype] as "float32", view as Float32Array, shape);
};

const fromOrt = (name: string, value: OnnxValue | undefined): TravellingTensor => {
  const tensor = value as Tensor;
  const dtype = dtypeOfOrtType(tensor.type);
  if (dtype === undefined)
    throw new Error(`output '${name}' has type ${tensor.type}, which the protocol does not support`);
  if (dtype === "BYTES") return { name, dtype, shape: tensor.dims, data: tensor.data as string[] };
  const { buffer, byteOffset, byteLength } = tensor.data as Float32Array;
  return {
    name,
    dtype: dtype satisfies FixedDType,
    shape: tensor.dims,
    data: new Uint8Array(buffer, byteOffset, byteLength),
  };
};
