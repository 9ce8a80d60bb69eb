import protobuf from "protobufjs/light.js";
import { onnxDescriptor } from "./generated/onnx-descriptor.ts";
import type { ModelProto } from "./model-proto.ts";

const modelType = protobuf.Root.fromJSON(onnxDescriptor).lookupType("onnx.ModelProto");

/**
 * Bytes of an ONNX file → its model. `rawData` and other byte fields share memory with `bytes`.
 * @throws protobufjs's Error if the bytes are not a ModelProto; `readOnnxSignature` returns an error message instead.
 */
export const decodeModel = (bytes: Uint8Array): ModelProto =>
  withExactNumbers(modelType.toObject(modelType.decode(bytes), { longs: BigInt })) as ModelProto;

/**
 * Encodes a model with fields in the order of their numbers; if the file that `decodeModel` read had them in that
 * order, the bytes are the same.
 */
export const encodeModel = (model: ModelProto): Uint8Array =>
  modelType.encode(modelType.fromObject(model)).finish();

type Decoded = bigint | number | string | boolean | Uint8Array | Decoded[] | { [field: string]: Decoded };

/** Converts, in place, bigints that a number can represent exactly into numbers. */
const withExactNumbers = (value: Decoded): Decoded => {
  if (typeof value === "bigint") return BigInt.asIntN(54, value) === value ? Number(value) : value;
  if (typeof value !== "object" || value instanceof Uint8Array) return value;
  if (Array.isArray(value)) {
    if (typeof value[0] !== "number" && typeof value[0] !== "string")
      value.forEach((item, index) => {
        value[index] = withExactNumbers(item);
      });
    return value;
  }
  for (const [field, item] of Object.entries(value)) value[field] = withExactNumbers(item);
  return value;
};
