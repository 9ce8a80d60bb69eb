import type { Parameter, Parameters } from "./infer.ts";
import { JsonDouble } from "./json-value.ts";

/** `inference.InferParameter`, decoded. */
export interface GrpcParameter {
  readonly parameter_choice?: "bool_param" | "int64_param" | "string_param" | "double_param" | "uint64_param";
  readonly bool_param?: boolean;
  readonly int64_param?: string;
  readonly string_param?: string;
  readonly double_param?: number;
  readonly uint64_param?: string;
}
export type GrpcParameters = Readonly<Record<string, GrpcParameter>>;

/** `InferInputTensor` and `InferOutputTensor`, decoded. */
export interface GrpcTensor {
  readonly name: string;
  readonly datatype: string;
  readonly shape: readonly string[];
  readonly parameters: GrpcParameters;
  /** The bytes of an `InferTensorContents`. */
  readonly contents?: Uint8Array | undefined;
}
/** `inference.ModelInferRequest`, decoded. */
export interface GrpcInferRequest {
  readonly model_name: string;
  readonly model_version: string;
  readonly id: string;
  readonly parameters: GrpcParameters;
  readonly inputs: readonly GrpcTensor[];
  readonly outputs: readonly { readonly name: string; readonly parameters: GrpcParameters }[];
  readonly raw_input_contents: readonly Uint8Array[];
}
/** `inference.ModelInferResponse`, decoded. */
export interface GrpcInferResponse {
  readonly model_name: string;
  readonly model_version: string;
  readonly id: string;
  readonly parameters: GrpcParameters;
  readonly outputs: readonly GrpcTensor[];
  readonly raw_output_contents: readonly Uint8Array[];
}

export const readGrpcParameters = (parameters: GrpcParameters): Parameters =>
  Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, readParameter(value)]));

/** Integers become `int64_param`, or `uint64_param` above its range. */
export const grpcParameters = (parameters: Parameters = {}): Record<string, object> =>
  Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, grpcParameter(value)]));

/** A number if that is exact, otherwise a bigint. */
export const readInt64 = (text: string): number | bigint => {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : BigInt(text);
};

const readParameter = (parameter: GrpcParameter): Parameter => {
  const value = parameter.parameter_choice === undefined ? "" : (parameter[parameter.parameter_choice] ?? "");
  const wide = parameter.parameter_choice === "int64_param" || parameter.parameter_choice === "uint64_param";
  return wide ? readInt64(String(value)) : value;
};

const grpcParameter = (value: Parameter): object => {
  if (typeof value === "boolean") return { bool_param: value };
  if (typeof value === "string") return { string_param: value };
  if (value instanceof JsonDouble || (typeof value === "number" && !Number.isSafeInteger(value)))
    return { double_param: Number(value) };
  return value >= 2n ** 63n ? { uint64_param: String(value) } : { int64_param: String(value) };
};
