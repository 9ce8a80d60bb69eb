import { requireSequenceName } from "./sequence-name.ts";
import type { Parameter, Parameters } from "./infer.ts";
import {
  as,
  doubleOf,
  invalid,
  isObject,
  JsonDouble,
  type JsonKind,
  type JsonValue,
  jsonBool,
  jsonSigned,
  jsonString,
  jsonUnsigned,
  malformed,
} from "./json-value.ts";

/** The request's own parameters, and the formats of its outputs. */
export interface RequestParameters {
  readonly parameters: Parameters | undefined;
  readonly binaryByDefault: boolean;
}

/** Parameters that Triton itself reads, with the kind of value that each requires. */
const known: Readonly<Record<string, JsonKind<boolean | number | bigint>>> = {
  sequence_start: jsonBool,
  sequence_end: jsonBool,
  priority: jsonUnsigned,
  timeout: jsonUnsigned,
  binary_data_output: jsonBool,
};

/** @throws PipelineError `request/malformed` and `request/invalid` with Triton's message. */
export const readRequestParameters = (json: JsonValue | undefined): RequestParameters => {
  if (json === undefined) return { parameters: undefined, binaryByDefault: false };
  if (!isObject(json))
    throw malformed("failed to get request params.: attempt to get members for non-object");
  const read = Object.entries(json).map(([name, value]) => [name, readParameter(name, value)] as const);
  const parameters = Object.fromEntries(read.filter(([name]) => name !== "binary_data_output"));
  return { parameters, binaryByDefault: json["binary_data_output"] === true };
};

/** Response parameters: every value that `Parameters` can represent. */
export const readParameters = (json: JsonValue | undefined): Parameters | undefined =>
  isObject(json)
    ? Object.fromEntries(Object.entries(json).map(([name, value]) => [name, readPlainParameter(name, value)]))
    : undefined;

/** `"parameters":{…}`; undefined if there are none. */
export const printParameters = (parameters: Parameters | undefined): string | undefined => {
  const entries = Object.entries(parameters ?? {});
  if (entries.length === 0) return undefined;
  const members = entries.map(([name, value]) => `${JSON.stringify(name)}:${printParameter(value)}`);
  return `"parameters":{${members.join(",")}}`;
};

/** A double keeps its fraction: `1.0`. NaN and infinities are printed as RapidJSON and Python read them. */
export const printParameter = (value: Parameter): string => {
  if (typeof value === "bigint") return String(value);
  if (value instanceof JsonDouble) return printDouble(value.valueOf());
  return typeof value === "number" && !Number.isFinite(value) ? String(value) : JSON.stringify(value);
};

const printDouble = (value: number): string => {
  const text = Object.is(value, -0) ? "-0" : String(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
};

const readParameter = (name: string, value: JsonValue): Parameter => {
  const kind = Object.hasOwn(known, name) ? known[name] : undefined;
  if (kind !== undefined) return as(value, kind, `Unable to parse '${name}'`);
  if (name === "sequence_id") return jsonUnsigned.is(value) ? value : readSequenceName(value);
  if (name.startsWith("triton_"))
    throw invalid(
      "parameter keys starting with 'triton_' are reserved for Triton usage and should not be specified.",
    );
  return readPlainParameter(name, value);
};

const readSequenceName = (value: JsonValue): string => {
  const name = as(value, jsonString, "Unable to parse 'sequence_id'");
  requireSequenceName(name);
  return name;
};

/** A parameter without a meaning for Triton; an integer beyond int64 is a double. @throws PipelineError `request/invalid` */
export const readPlainParameter = (name: string, value: JsonValue): Parameter => {
  if (value instanceof JsonDouble) return value;
  if (value === null || typeof value === "object")
    throw invalid(`parameter '${name}' has invalid type. It should be either 'int', 'bool', or 'string'.`);
  const isInt64 = typeof value !== "bigint" || jsonSigned.is(value);
  return isInt64 ? value : doubleOf(Number(value));
};
