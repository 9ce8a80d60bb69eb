// The messages of Triton's grpc_service.proto and model_config.proto that a client needs, by field number.
import type { DType } from "@tritype/core";
import type { Contract, Signature } from "../contract.ts";
import type { Parameters, Target, WireRequest, WireTensor } from "../transport.ts";
import { type ProtoField, type ProtoWriter, readIntegers, readProto, writeProto } from "./proto-wire.ts";

/** `ModelConfigRequest`, `ModelMetadataRequest`, `ModelReadyRequest`: they have the same fields. */
export const printTarget = ({ model, version = "" }: Target): Uint8Array =>
  writeProto().string(1, model).string(2, version).finish();

/** `ModelInferRequest`, all tensors raw. */
export const printInferRequest = ({ model, version = "", id = "", ...request }: WireRequest): Uint8Array => {
  const message = writeProto().string(1, model).string(2, version).string(3, id);
  for (const [name, value] of Object.entries(request.parameters))
    message.message(4, writeProto().string(1, name).message(2, printParameter(name, value)));
  for (const { name, dtype, shape } of request.inputs)
    message.message(5, writeProto().string(1, name).string(2, dtype).integers(3, shape));
  for (const name of request.outputs) message.message(6, writeProto().string(1, name));
  for (const { data } of request.inputs) message.bytes(7, data);
  return message.finish();
};

/**
 * `InferParameter`: a oneof, whose member is written even if it is zero. Triton reads a `sequence_id` only from
 * `int64_param`, where ids from 2^63 on wrap around.
 */
const printParameter = (name: string, value: Parameters[string]): ProtoWriter => {
  if (typeof value === "boolean") return writeProto().bool(1, value);
  if (typeof value === "string") return writeProto().bytes(3, new TextEncoder().encode(value));
  if (typeof value === "number" && !Number.isSafeInteger(value)) return writeProto().double(4, value);
  return writeProto().integer(value >= 2n ** 63n && name !== "sequence_id" ? 5 : 2, value);
};

/** `ModelInferResponse`. @throws RangeError */
export const readInferResponse = (bytes: Uint8Array<ArrayBuffer>): readonly WireTensor[] => {
  const fields = readProto(bytes);
  const raw = all(fields, 6);
  return all(fields, 5).map((output, index) => {
    const tensor = readProto(output);
    const data = raw[index];
    const name = string(tensor, 1);
    if (data === undefined) throw new RangeError(`output \`${name}\` has no data`);
    return { name, dtype: string(tensor, 2), shape: readIntegers(tensor, 3), data };
  });
};

/** `ModelStreamInferResponse`: an error, or an answer; the last one may be without tensors. @throws RangeError */
export const readStreamResponse = (
  bytes: Uint8Array<ArrayBuffer>,
): { readonly error: string; readonly tensors: readonly WireTensor[]; readonly isLast: boolean } => {
  const fields = readProto(bytes);
  const response = all(fields, 2)[0] ?? new Uint8Array();
  const last = all(readProto(response), 4)
    .map(readProto)
    .find((entry) => string(entry, 1) === "triton_final_response");
  return {
    error: string(fields, 1),
    tensors: readInferResponse(response),
    isLast: last !== undefined && integer(readProto(all(last, 2)[0] ?? new Uint8Array()), 1) === 1,
  };
};

/** `ModelReadyResponse`. @throws RangeError */
export const readReady = (bytes: Uint8Array<ArrayBuffer>): boolean => integer(readProto(bytes), 1) === 1;

/** DataType of model_config.proto, by number. */
const dtypes: readonly string[] =
  "INVALID BOOL UINT8 UINT16 UINT32 UINT64 INT8 INT16 INT32 INT64 FP16 FP32 FP64 BYTES BF16".split(" ");

/** The inputs and outputs in a `ModelConfigResponse`. @throws RangeError */
export const readConfig = (bytes: Uint8Array<ArrayBuffer>): Contract => {
  const config = readProto(all(readProto(bytes), 1)[0] ?? new Uint8Array());
  const batched = integer(config, 4) > 0;
  const side = (tensors: readonly Uint8Array<ArrayBuffer>[], dimsField: number): Signature =>
    Object.fromEntries(
      tensors.map((tensor) => {
        const fields = readProto(tensor);
        const dims = readIntegers(fields, dimsField);
        return [
          string(fields, 1),
          {
            dtype: (dtypes[integer(fields, 2)] ?? "INVALID") as DType,
            dims: batched ? ["batch", ...dims] : dims,
            // Only inputs can be optional: field 8.
            ...(dimsField === 4 && integer(fields, 8) === 1 ? { optional: true } : {}),
          },
        ];
      }),
    );
  const hash = all(config, 14)
    .map(readProto)
    .find((entry) => string(entry, 1) === "tritype_contract");
  return {
    name: string(config, 1),
    inputs: side(all(config, 5), 4),
    outputs: side(all(config, 6), 3),
    // `model_transaction_policy { decoupled }`
    streams: integer(readProto(all(config, 19)[0] ?? new Uint8Array()), 1) === 1,
    ...(hash === undefined ? {} : { hash: string(readProto(all(hash, 2)[0] ?? new Uint8Array()), 1) }),
  };
};

/** The inputs and outputs in a `ModelMetadataResponse`, which does not say which inputs are optional. @throws RangeError */
export const readMetadata = (bytes: Uint8Array<ArrayBuffer>): Contract => {
  const fields = readProto(bytes);
  const side = (tensors: readonly Uint8Array<ArrayBuffer>[]): Signature =>
    Object.fromEntries(
      tensors.map((tensor) => {
        const fields = readProto(tensor);
        return [string(fields, 1), { dtype: string(fields, 2) as DType, dims: readIntegers(fields, 3) }];
      }),
    );
  return { name: string(fields, 1), inputs: side(all(fields, 4)), outputs: side(all(fields, 5)) };
};

const all = (fields: readonly ProtoField[], field: number): readonly Uint8Array<ArrayBuffer>[] =>
  fields.filter((one) => one.field === field).map(({ bytes }) => bytes);
const string = (fields: readonly ProtoField[], field: number): string =>
  new TextDecoder().decode(all(fields, field).at(-1));
const integer = (fields: readonly ProtoField[], field: number): number =>
  Number(fields.findLast((one) => one.field === field)?.integer ?? 0n);
