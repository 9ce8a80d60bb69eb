import type { RawRequest } from "../raw-request.ts";

export type Json = Readonly<Record<string, unknown>>;
export type Headers = Readonly<Record<string, string>>;
export type Requests = Readonly<Record<string, RawRequest>>;

/** An inference request. `body`: a value to send as JSON, or text. */
export const infer = (model: string, body: unknown, headers: Headers = {}): RawRequest => ({
  path: `/v2/models/${model}/infer`,
  body: typeof body === "string" ? body : JSON.stringify(body),
  headers,
});

export const a: Json = { name: "A", datatype: "FP32", shape: [1, 2], data: [1, 2] };
export const b: Json = { name: "B", datatype: "FP32", shape: [1, 2], data: [0.5, -3] };

/** A request to `sum`. `change` modifies its second input, and `request` the request. */
export const sum = (change: Json = {}, request: Json = {}, headers: Headers = {}): RawRequest =>
  infer("sum", { inputs: [a, { ...b, ...change }], ...request }, headers);

/** A request to the model that returns `Y` = `X` for a dtype. */
export const echo = (dtype: string, shape: unknown, data: unknown, rest: Json = {}): RawRequest =>
  infer(`echo_${dtype.toLowerCase()}`, { inputs: [{ name: "X", datatype: dtype, shape, data, ...rest }] });

/** JSON followed by binary data. The header has `length` instead of the length of the JSON. */
export const binary = (model: string, json: unknown, data: Uint8Array, length?: string): RawRequest => {
  const head = Buffer.from(JSON.stringify(json));
  return {
    path: `/v2/models/${model}/infer`,
    headers: { "Inference-Header-Content-Length": length ?? String(head.length) },
    body: Buffer.concat([head, data]),
  };
};

/** A request with one input `X` of `size` bytes of binary data. */
export const binaryInput = (
  datatype: string,
  shape: readonly number[],
  size: unknown,
  rest: Json = {},
): Json => ({
  inputs: [{ name: "X", datatype, shape, parameters: { binary_data_size: size } }],
  ...rest,
});

export const int32 = (...values: readonly number[]): Buffer => Buffer.from(new Int32Array(values).buffer);

/** BYTES elements as binary data, each preceded by its length. */
export const text = (...elements: readonly string[]): Buffer =>
  Buffer.concat(
    elements.flatMap((element) => {
      const length = Buffer.alloc(4);
      length.writeUInt32LE(Buffer.byteLength(element));
      return [length, Buffer.from(element)];
    }),
  );
