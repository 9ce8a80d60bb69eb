// Tritype's typed client, beside the clients that `pipeline build` writes. Do not edit.
// SPDX-License-Identifier: Apache-2.0
import { Client, credentials as channelCredentials, Metadata, status } from "@grpc/grpc-js";
import { ClientError, deadlineError, openClient } from "./kserve.js";

/** A client of one ensemble over gRPC, in Node. `close` it at the end. */
export const createGrpcClient = (options) => openClient(grpcTransport(options), options.ensemble, options);

/** KServe v2 over gRPC; messages of any size. */
const grpcTransport = ({ address, credentials = channelCredentials.createInsecure(), headers = {} }) => {
  const client = new Client(address, credentials, {
    "grpc.max_send_message_length": -1,
    "grpc.max_receive_message_length": -1,
  });
  const call = (method, request, read, scope) =>
    new Promise((resolve, reject) => {
      const metadata = new Metadata();
      const given = typeof headers === "function" ? headers() : headers;
      for (const [name, value] of Object.entries(given)) metadata.set(name, value);
      const left = scope.remainingMs();
      const options = left === undefined ? {} : { deadline: Date.now() + left };
      const running = client.makeUnaryRequest(
        `/inference.GRPCInferenceService/${method}`,
        bufferOf,
        (answer) => answer,
        request,
        metadata,
        options,
        (error, answer) => {
          scope.signal.removeEventListener("abort", cancel);
          if (error !== null) reject(scope.ended() ?? failure(address, method, error, scope));
          else
            try {
              resolve(read(plainBytes(answer ?? new Uint8Array())));
            } catch (cause) {
              const why = `the server's answer cannot be read: ${cause.message}`;
              reject(new ClientError("malformed", why, { cause, mayHaveRun: true }));
            }
        },
      );
      const cancel = () => running.cancel();
      scope.signal.addEventListener("abort", cancel, { once: true });
      if (scope.signal.aborted) cancel();
    });
  return {
    describe: async (target, scope) => {
      try {
        return await call("ModelConfig", printTarget(target), readConfig, scope);
      } catch (error) {
        // Only Triton has configurations; every KServe server has metadata.
        if (!(error instanceof ClientError) || error.status !== "UNIMPLEMENTED") throw error;
        return call("ModelMetadata", printTarget(target), readMetadata, scope);
      }
    },
    ready: async (target, scope) => {
      try {
        return await call("ModelReady", printTarget(target), readReady, scope);
      } catch (error) {
        if (!(error instanceof ClientError)) throw error;
        if (error.kind === "unreachable" || error.kind === "lost" || error.kind === "refused") return false;
        throw error;
      }
    },
    infer: (request, scope) => call("ModelInfer", printInferRequest(request), readInferResponse, scope),
    close: () => client.close(),
  };
};

const bufferOf = (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Buffers' `slice` shares memory; the rest of the code relies on Uint8Array's. */
const plainBytes = ({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength);

/** gRPC says UNAVAILABLE for a model that is not ready, a server that is not there, and a connection that ends; only the words differ. */
const neverConnected = /^No connection established|^Name resolution failed|ECONNREFUSED/;

const cutOff = /^Connection dropped|ECONNRESET|RST_STREAM|[Ss]ocket|closed the (?:connection|stream)/;

const failure = (address, method, error, { deadlineMs }) => {
  const { code, details } = error;
  const name = status[code] ?? String(code);
  if (code === status.UNAVAILABLE && neverConnected.test(details))
    return new ClientError("unreachable", `no server answers at ${address}: ${details}`, { cause: error });
  // A cancellation that is not ours is the server's way, or a proxy's, to go away.
  if (code === status.CANCELLED || cutOff.test(details))
    return new ClientError(
      "lost",
      `the connection to ${address} ended before the answer was complete: ${details}`,
      { cause: error, mayHaveRun: true },
    );
  // Triton's words for a request whose `timeout` was up while it waited.
  if (code === status.DEADLINE_EXCEEDED || /timeout expired/i.test(details))
    return deadlineError(deadlineMs, error);
  return new ClientError("refused", `${method} answers ${name}: ${details || "without a reason"}`, {
    cause: error,
    status: name,
    mayHaveRun: code !== status.UNAVAILABLE && code !== status.RESOURCE_EXHAUSTED,
  });
};

/** `ModelConfigRequest`, `ModelMetadataRequest`, `ModelReadyRequest`: they have the same fields. */
const printTarget = ({ model, version = "" }) => writeProto().string(1, model).string(2, version).finish();

/** `ModelInferRequest`, all tensors raw. */
const printInferRequest = ({ model, version = "", id = "", ...request }) => {
  const message = writeProto().string(1, model).string(2, version).string(3, id);
  for (const [name, value] of Object.entries(request.parameters))
    message.message(4, writeProto().string(1, name).message(2, printParameter(value)));
  for (const { name, dtype, shape } of request.inputs)
    message.message(5, writeProto().string(1, name).string(2, dtype).integers(3, shape));
  for (const name of request.outputs) message.message(6, writeProto().string(1, name));
  for (const { data } of request.inputs) message.bytes(7, data);
  return message.finish();
};

/** `InferParameter`: a oneof, whose member is written even where it is zero. */
const printParameter = (value) => {
  if (typeof value === "boolean") return writeProto().bool(1, value);
  if (typeof value === "string") return writeProto().bytes(3, new TextEncoder().encode(value));
  if (typeof value === "number" && !Number.isSafeInteger(value)) return writeProto().double(4, value);
  return writeProto().integer(value >= 2n ** 63n ? 5 : 2, value);
};

/** `ModelInferResponse`. @throws RangeError */
const readInferResponse = (bytes) => {
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

/** `ModelReadyResponse`. @throws RangeError */
const readReady = (bytes) => integer(readProto(bytes), 1) === 1;

/** DataType of model_config.proto, by number. */
const dtypes =
  "INVALID BOOL UINT8 UINT16 UINT32 UINT64 INT8 INT16 INT32 INT64 FP16 FP32 FP64 BYTES BF16".split(" ");

/** What a `ModelConfigResponse` says a client may send and gets. @throws RangeError */
const readConfig = (bytes) => {
  const config = readProto(all(readProto(bytes), 1)[0] ?? new Uint8Array());
  const batched = integer(config, 4) > 0;
  const side = (tensors, dimsField) =>
    Object.fromEntries(
      tensors.map((tensor) => {
        const fields = readProto(tensor);
        const dims = readIntegers(fields, dimsField);
        return [
          string(fields, 1),
          {
            dtype: dtypes[integer(fields, 2)] ?? "INVALID",
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
    ...(hash === undefined ? {} : { hash: string(readProto(all(hash, 2)[0] ?? new Uint8Array()), 1) }),
  };
};

/** What a `ModelMetadataResponse` says; it does not know which inputs are optional. @throws RangeError */
const readMetadata = (bytes) => {
  const fields = readProto(bytes);
  const side = (tensors) =>
    Object.fromEntries(
      tensors.map((tensor) => {
        const fields = readProto(tensor);
        return [string(fields, 1), { dtype: string(fields, 2), dims: readIntegers(fields, 3) }];
      }),
    );
  return { name: string(fields, 1), inputs: side(all(fields, 4)), outputs: side(all(fields, 5)) };
};

const all = (fields, field) => fields.filter((one) => one.field === field).map(({ bytes }) => bytes);

const string = (fields, field) => new TextDecoder().decode(all(fields, field).at(-1));

const integer = (fields, field) => Number(fields.findLast((one) => one.field === field)?.integer ?? 0n);

const text = new TextEncoder();

const writeProto = () => {
  const parts = [];
  const tag = (field, wire) => void parts.push(varint((field << 3) | wire));
  const block = (field, value) => {
    tag(field, 2);
    parts.push(varint(value.byteLength), value);
  };
  const writer = {
    string: (field, value) => {
      if (value !== "") block(field, text.encode(value));
      return writer;
    },
    bool: (field, value) => {
      tag(field, 0);
      parts.push(varint(Number(value)));
      return writer;
    },
    integer: (field, value) => {
      tag(field, 0);
      parts.push(varint(value));
      return writer;
    },
    double: (field, value) => {
      tag(field, 1);
      const bytes = new Uint8Array(8);
      new DataView(bytes.buffer).setFloat64(0, value, true);
      parts.push(bytes);
      return writer;
    },
    bytes: (field, value) => {
      block(field, value);
      return writer;
    },
    message: (field, value) => {
      block(field, value.finish());
      return writer;
    },
    integers: (field, values) => {
      if (values.length > 0) block(field, concat(values.map(varint)));
      return writer;
    },
    finish: () => concat(parts),
  };
  return writer;
};

const concat = (parts) => {
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.byteLength, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.byteLength;
  }
  return whole;
};

const varint = (value) => {
  const bytes = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  while (rest > 127n) {
    bytes.push(Number(rest & 127n) | 128);
    rest >>= 7n;
  }
  return Uint8Array.of(...bytes, Number(rest));
};

const nothing = new Uint8Array(0);

/** The fields in their order. @throws RangeError where the bytes are no message. */
const readProto = (message) => {
  const fields = [];
  let at = 0;
  const take = (length) => {
    if (at + length > message.byteLength) throw new RangeError("the message ends early");
    at += length;
    return message.subarray(at - length, at);
  };
  const integer = () => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const [byte = 0] = take(1);
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return BigInt.asUintN(64, value);
    }
    throw new RangeError("a number is too long");
  };
  while (at < message.byteLength) {
    const key = Number(integer());
    const field = key >>> 3;
    const wire = key & 7;
    if (wire === 0) fields.push({ field, integer: integer(), bytes: nothing });
    else if (wire === 1) fields.push({ field, integer: 0n, bytes: take(8) });
    else if (wire === 2) fields.push({ field, integer: 0n, bytes: take(Number(integer())) });
    else if (wire === 5) fields.push({ field, integer: 0n, bytes: take(4) });
    else throw new RangeError(`wire type ${wire} is unknown`);
  }
  return fields;
};

/** Repeated int64, packed or not. */
const readIntegers = (fields, field) =>
  fields
    .filter((one) => one.field === field)
    .flatMap((one) => (one.bytes.byteLength === 0 ? [one.integer] : unpack(one.bytes)))
    .map((value) => Number(BigInt.asIntN(64, value)));

/** The numbers of a packed list. */
const unpack = (packed) => {
  const values = [];
  let value = 0n;
  let shift = 0n;
  for (const byte of packed) {
    value |= BigInt(byte & 127) << shift;
    shift += 7n;
    if (byte > 127) continue;
    values.push(value);
    value = 0n;
    shift = 0n;
  }
  return values;
};
