import { foreignError, type PipelineError } from "@tritype/core";

/**
 * The content of a JSON text. Integers that a double cannot hold exactly become bigint, up to forty digits; in
 * requests, integers written as doubles become `JsonDouble`.
 */
export type JsonValue =
  | null
  | boolean
  | number
  | bigint
  | JsonDouble
  | string
  | JsonArrayText
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue };

/**
 * An integer written with a fraction or an exponent, such as `1.0` or `1e3`: a double for RapidJSON, and never an
 * integer.
 */
export class JsonDouble {
  readonly #value: number;
  constructor(value: number) {
    this.#value = value;
  }
  valueOf(): number {
    return this.#value;
  }
  toJSON(): number {
    return this.#value;
  }
}

/** A double, distinguished from an integer of the same value. */
export const doubleOf = (value: number): number | JsonDouble =>
  Number.isInteger(value) ? new JsonDouble(value) : value;

/**
 * An array that has been validated but not yet parsed: the `data` of a tensor, which is parsed directly into its bytes.
 */
export class JsonArrayText {
  readonly bytes: Uint8Array;
  /** Whether integers written as doubles are distinguished. */
  readonly keepDoubles: boolean;
  constructor(bytes: Uint8Array, keepDoubles: boolean) {
    this.bytes = bytes;
    this.keepDoubles = keepDoubles;
  }
}

/** A kind of JSON value, with Triton's message for a value of a different kind (`triton_json.h`). */
export interface JsonKind<out T extends JsonValue> {
  readonly is: (value: JsonValue) => value is T;
  readonly wrong: string;
}

/** Whether a value is an integer from `min` to `max`. */
const isIntegerIn = (value: JsonValue, min: bigint, max: bigint): value is number | bigint =>
  (Number.isSafeInteger(value) && (value as number) >= 0) ||
  ((typeof value === "bigint" || Number.isInteger(value)) &&
    (value as number) >= min &&
    (value as number) <= max);
const [minInt64, maxInt64, maxUint64] = [-(2n ** 63n), 2n ** 63n - 1n, 2n ** 64n - 1n];

export const jsonString: JsonKind<string> = {
  is: (value) => typeof value === "string",
  wrong: "attempt to access JSON non-string as string",
};
export const jsonBool: JsonKind<boolean> = {
  is: (value) => typeof value === "boolean",
  wrong: "attempt to access JSON non-boolean as boolean",
};
export const jsonArray: JsonKind<readonly JsonValue[]> = {
  is: (value): value is readonly JsonValue[] => Array.isArray(value),
  wrong: "attempt to access JSON non-array as array",
};
/** The `data` of a tensor. */
export const jsonData: JsonKind<readonly JsonValue[] | JsonArrayText> = {
  is: (value): value is readonly JsonValue[] | JsonArrayText =>
    Array.isArray(value) || value instanceof JsonArrayText,
  wrong: jsonArray.wrong,
};
export const jsonSigned: JsonKind<number | bigint> = {
  is: (value): value is number | bigint => isIntegerIn(value, minInt64, maxInt64),
  wrong: "attempt to access JSON non-signed-integer as signed-integer",
};
export const jsonUnsigned: JsonKind<number | bigint> = {
  is: (value): value is number | bigint => isIntegerIn(value, 0n, maxUint64),
  wrong: "attempt to access JSON non-unsigned-integer as unsigned-integer",
};
export const jsonNumber: JsonKind<number | bigint | JsonDouble> = {
  is: (value) => typeof value === "number" || typeof value === "bigint" || value instanceof JsonDouble,
  wrong: "attempt to access JSON non-number as double",
};

/** The named member of an object; undefined if there is none or `value` is not an object. */
export const memberOf = (value: JsonValue | undefined, name: string): JsonValue | undefined =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;

/**
 * @throws PipelineError `request/malformed`, `Unable to parse '<name>': …`, if it is missing or of a different kind.
 */
export const requireMember = <T extends JsonValue>(object: JsonValue, name: string, kind: JsonKind<T>): T => {
  const value = memberOf(object, name);
  if (value === undefined)
    throw malformed(`Unable to parse '${name}': attempt to access non-existing object member '${name}'`);
  return as(value, kind, `Unable to parse '${name}'`);
};

/** The member, if present. @throws PipelineError `request/malformed` if it is of another kind. */
export const optionalMember = <T extends JsonValue>(
  object: JsonValue | undefined,
  name: string,
  kind: JsonKind<T>,
  complaint = `Unable to parse '${name}'`,
): T | undefined => {
  const value = memberOf(object, name);
  return value === undefined ? undefined : as(value, kind, complaint);
};

/** @throws PipelineError `request/malformed`, `<complaint>: …`, if the value is of another kind. */
export const as = <T extends JsonValue>(value: JsonValue, kind: JsonKind<T>, complaint: string): T => {
  if (!kind.is(value)) throw malformed(`${complaint}: ${kind.wrong}`);
  return value;
};

export const malformed = (message: string): PipelineError => foreignError("request/malformed", message);
export const invalid = (message: string): PipelineError => foreignError("request/invalid", message);

export const isObject = (value: JsonValue | undefined): value is { readonly [name: string]: JsonValue } =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof JsonDouble || value instanceof JsonArrayText);
