import type { GrpcRequest } from "../grpc-call.ts";

export type Json = Readonly<Record<string, unknown>>;
export type GrpcRequests = Readonly<Record<string, GrpcRequest>>;

export const infer = (message: Json, rest: Partial<GrpcRequest> = {}): GrpcRequest => ({
  method: "ModelInfer",
  message,
  ...rest,
});

export const floats = (...values: readonly number[]): Buffer => Buffer.from(new Float32Array(values).buffer);
export const tensor = (name: string, datatype: string, shape: readonly unknown[], rest: Json = {}): Json => ({
  name,
  datatype,
  shape,
  ...rest,
});

const row = (name: string): Json => tensor(name, "FP32", [1, 2]);

/** A request to `sum` with raw contents. `request` and `input` change the request and its second input. */
export const sum = (request: Json = {}, input: Json = {}): GrpcRequest =>
  infer({
    model_name: "sum",
    inputs: [row("A"), { ...row("B"), ...input }],
    raw_input_contents: [floats(1, 2), floats(0.5, -3)],
    ...request,
  });

/** The same request with typed contents. */
export const typedSum = (contents: unknown, input: Json = {}, request: Json = {}): GrpcRequest =>
  infer({
    model_name: "sum",
    inputs: [
      { ...row("A"), contents: { fp32_contents: [1, 2] } },
      { ...row("B"), contents, ...input },
    ],
    ...request,
  });
