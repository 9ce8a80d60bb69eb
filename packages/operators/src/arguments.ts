import type { Json } from "@tritype/core";
import type { Attributes, ReadArguments } from "./operator.ts";

export const noArguments: ReadArguments = () => ({ operands: [], attributes: {} });
/** An additional operand: a tensor or a number. */
export const otherOperand: ReadArguments = ([other]) => ({ operands: [other], attributes: {} });
/** Each argument becomes the attribute whose name is at the same position. */
export const named =
  (...names: readonly string[]): ReadArguments =>
  (args) => ({ operands: [], attributes: attributesOf(names.map((name, i) => [name, args[i]])) });
/** All arguments become one attribute, a list. */
export const rest =
  (name: string): ReadArguments =>
  (args) => ({ operands: [], attributes: { [name]: jsonOf(args) } });

/** Attributes derived from the given arguments. */
export const attributesOf = (given: readonly (readonly [name: string, value: unknown])[]): Attributes =>
  Object.fromEntries(
    given.flatMap(([name, value]) => (value === undefined ? [] : [[name, jsonOf(value)] as const])),
  );

/** JSON does not support Infinity, NaN, -0 or 64-bit integers, so they are stored as strings. */
export const jsonOf = (value: unknown): Json => {
  if (Array.isArray(value)) return value.map(jsonOf);
  if (typeof value === "bigint" || (typeof value === "number" && !Number.isFinite(value)))
    return String(value);
  return Object.is(value, -0) ? "-0" : (value as Json);
};

/** The dtype that an argument such as `fp32` stands for. */
export const dtypeArgument = (name: unknown): string =>
  (name as { readonly dtype?: string } | undefined)?.dtype ?? String(name);

/** The fields of an options argument. */
export const optionsOf = (options: unknown): Readonly<Record<string, unknown>> =>
  (options ?? {}) as Readonly<Record<string, unknown>>;
